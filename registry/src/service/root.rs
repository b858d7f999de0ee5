//! What the registry says of itself, and its root of trust: served to anyone, moved on by an operator.
//!
//! A new root must follow from the one in force by that one's own rules, and must keep the keys that this
//! installation signs with: another root would make everything that it signs from now on worthless.

use jiff::Timestamp;
use retoque_core::api::RegistryView;
use retoque_core::decision::{FORMAT, Record, RootKind, RootRecord};
use retoque_core::permission::Act;
use retoque_core::problem::{Finding, Findings, PLATFORM_KEY_MISMATCH, Place};
use retoque_core::sign::{Envelope, KeyId, Role, Root};

use super::policy::{self, Subject};
use super::{Actor, Error, Service, signers};
use crate::clock::time;
use crate::log;
use crate::store::{Tx, meta};

/// Who this registry is.
pub async fn registry(service: &Service, actor: &Actor) -> Result<RegistryView, Error> {
    policy::authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let first = tx.root(1).await?.ok_or_else(|| Error::internal("no first root"))?;
    let first = Envelope::parse(&first.envelope).map_err(|_| Error::internal("an unreadable first root"))?;
    Ok(RegistryView {
        origin: service.settings.origin.clone(),
        root_version: signers::root(&mut tx).await?.version(),
        root_fingerprint: first.payload_digest().hex(),
        max_package_bytes: service.settings.max_package_bytes,
    })
}

/// The envelope of the newest root, or of one version.
pub async fn envelope(service: &Service, actor: &Actor, version: Option<u64>) -> Result<Vec<u8>, Error> {
    policy::authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let row = match version {
        None => tx.latest_root().await?,
        Some(version) => tx.root(version).await?,
    };
    row.map(|row| row.envelope).ok_or_else(|| Error::not_found("such root"))
}

/// Brings in the next root, with its leaf, in one transaction.
pub async fn advance(service: &Service, actor: &Actor, bytes: &[u8]) -> Result<RegistryView, Error> {
    policy::authorize(actor, Act::ManageRoot, Subject::PLATFORM)?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            take_in(&mut tx, bytes, now).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await?;
    registry(service, actor).await
}

/// Takes in the next root as it arrived, with its leaf: the one way in, for the route and for the command.
pub(crate) async fn take_in(tx: &mut Tx, received: &[u8], now: Timestamp) -> Result<Root, Error> {
    let root = signers::root(tx).await?.update_from(received)?;
    root.check_expiry(time(now)?)?;
    keeps_our_keys(tx, &root).await?;
    let record = Record::Root(RootRecord {
        format: FORMAT.to_owned(),
        kind: RootKind::RootChanged,
        root: root.version(),
        envelope: root.envelope().digest(),
        time: time(now)?,
    });
    let log_index = Some(log::append(tx, &record.to_bytes()?, now).await?);
    let row = meta::Root { version: root.version(), envelope: received.to_vec(), created_at: now, log_index };
    tx.insert_root(&row).await?;
    Ok(root)
}

/// The service starts only with the keys that the installation names, so these are the ones that it signs with.
async fn keeps_our_keys(tx: &mut Tx, root: &Root) -> Result<(), Error> {
    let mut findings = Findings::new();
    for (name, stored) in meta::KEY_IDS {
        let id = tx.meta(stored).await?.ok_or_else(|| Error::internal("an installation without key ids"))?;
        let key: KeyId = id.parse().map_err(|_| Error::internal("an unreadable key id"))?;
        if Role::from_name(name).is_none_or(|role| root.keys(role).get(key).is_none()) {
            let expected = format!("a root in which {key} is a key of the role");
            let next =
                "keep the key in the next root, and take it out in a later one, after the service has its new key";
            let found = "a root without the key that this registry signs with";
            findings.push(Finding::new(PLATFORM_KEY_MISMATCH, Place::field(name), found, expected, next));
        }
    }
    findings.into_result(())?;
    Ok(())
}
