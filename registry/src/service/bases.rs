//! Supported bases: each is one exact revision with its record, kept as the bytes that the operator handed in.

use retoque_core::api::{BaseView, Page};
use retoque_core::base::BaseRecord;
use retoque_core::digest::Digest;
use retoque_core::id::BasePin;
use retoque_core::permission::Act;
use retoque_core::problem::{ALREADY_EXISTS, Place};

use super::page::{Window, page};
use super::policy::{self, Subject};
use super::{Actor, Error, Service};
use crate::store::bases::Base;
use crate::store::id::BaseId;

/// Adds a base. The second part says whether it is new: adding the same record again succeeds quietly.
pub async fn create(service: &Service, actor: &Actor, bytes: &[u8]) -> Result<(BaseView, bool), Error> {
    policy::authorize(actor, Act::RegisterBase, Subject::PLATFORM)?;
    let record = BaseRecord::from_bytes(bytes)?;
    let row = &Base {
        id: BaseId::mint(&service.chance)?,
        pin: record.pin(),
        licence: record.licence,
        record_sha256: Digest::of(bytes),
        files: record.files.len() as u64,
        created_at: service.chance.now(),
        created_by: actor.account_id()?,
    };
    service
        .store
        .write(|mut tx| async move {
            if let Some(there) = tx.base_by_pin(&row.pin).await? {
                return if there.record_sha256 == row.record_sha256 {
                    Ok(tx.done((view(there), false)))
                } else {
                    Err(conflict(row, &there))
                };
            }
            tx.insert_base(row, bytes).await?;
            Ok(tx.done((view(row.clone()), true)))
        })
        .await
}

/// All bases, by pin.
pub async fn list(service: &Service, actor: &Actor, window: &Window) -> Result<Page<BaseView>, Error> {
    policy::authorize(actor, Act::ReadBase, Subject::PLATFORM)?;
    page(service.store.read().await?.bases(&window.rows()).await?, |base| Ok(view(base)))
}

/// The record of a base, as it was handed in.
pub async fn record(service: &Service, actor: &Actor, pin: &BasePin) -> Result<Vec<u8>, Error> {
    policy::authorize(actor, Act::ReadBase, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let missing = || Error::not_found("such base");
    let base = tx.base_by_pin(pin).await?.ok_or_else(missing)?;
    tx.base_record(base.id).await?.ok_or_else(missing)
}

fn view(row: Base) -> BaseView {
    BaseView {
        base: row.pin,
        licence: row.licence,
        record: row.record_sha256,
        files: row.files,
        created: row.created_at,
    }
}

/// A revision never changes, so a second record of it means that one of them is wrong.
fn conflict(new: &Base, there: &Base) -> Error {
    Error::refuse(
        ALREADY_EXISTS,
        Place::field("commit"),
        format!("another record of {}, {}", new.pin, new.record_sha256),
        format!("the record that is there, {}", there.record_sha256),
        "compare the two with `retoque base record`; a revision has one record",
    )
}
