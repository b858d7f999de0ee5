//! The registry's signed word that a key belongs to an account, made anew when the account's memberships change.
//! Each has a leaf in the log, written in the transaction of what it says.

use retoque_core::decision::{FORMAT, KeyKind, KeyRecord, Record};
use retoque_core::sign::registration::{KeyRegistration, Purpose};
use retoque_core::sign::statement::Statement;
use retoque_core::sign::{Envelope, PublicKey};

use super::{Error, Service, chain};
use crate::clock::time;
use crate::log;
use crate::store::Tx;
use crate::store::accounts::Account;
use crate::store::keys::Key;

/// A registration in its stored form, and where the log says so.
pub(super) struct Registered {
    pub(super) envelope: Vec<u8>,
    pub(super) log_index: u64,
}

/// A signed registration whose leaf is not appended yet.
struct Draft {
    envelope: Vec<u8>,
    record: Vec<u8>,
    at: jiff::Timestamp,
}

/// Signs that `key` is the account's, with the memberships that this transaction sees, and appends the leaf.
pub(super) async fn register(
    service: &Service,
    tx: &mut Tx,
    account: &Account,
    key: PublicKey,
) -> Result<Registered, Error> {
    draft(service, tx, account, key).await?.append(service, tx).await
}

impl Draft {
    /// Appends the leaf.
    async fn append(self, service: &Service, tx: &mut Tx) -> Result<Registered, Error> {
        let log_index = log::append(tx, &self.record, self.at).await?;
        chain::ours_count(service, tx, log_index).await?;
        Ok(Registered { envelope: self.envelope, log_index })
    }
}

async fn draft(service: &Service, tx: &mut Tx, account: &Account, key: PublicKey) -> Result<Draft, Error> {
    let at = service.chance.now();
    let time = time(at)?;
    let keyid = key.id();
    let memberships = tx.memberships(account.id).await?;
    let registration = KeyRegistration {
        registry: service.settings.origin.clone(),
        account: account.name.clone(),
        key,
        purpose: Purpose::Member,
        memberships: memberships.into_iter().map(|m| (m.org, m.role)).collect(),
        time,
    };
    let envelope = registration.statement().sign(&[service.signers.log.as_ref()])?;
    let record = Record::Key(KeyRecord {
        format: FORMAT.to_owned(),
        kind: KeyKind::KeyRegistered,
        account: account.name.clone(),
        key: keyid,
        envelope: envelope.digest(),
        time,
    });
    Ok(Draft { envelope: envelope.to_bytes(), record: record.to_bytes()?, at })
}

/// The registration of a known key, signed anew only when it would say something else than the one that is stored.
pub(super) async fn refresh(
    service: &Service,
    tx: &mut Tx,
    account: &Account,
    row: &Key,
    key: PublicKey,
) -> Result<Registered, Error> {
    let unreadable = |_| Error::internal("an unreadable stored registration");
    let stored = Envelope::parse(&row.registration).map_err(unreadable)?;
    let stored = Statement::<KeyRegistration>::parse_unverified(stored.payload_unverified()).map_err(unreadable)?;
    let memberships = tx.memberships(account.id).await?.into_iter().map(|m| (m.org, m.role)).collect();
    let said = stored.predicate();
    if said.memberships == memberships && said.registry == service.settings.origin {
        return Ok(Registered { envelope: row.registration.clone(), log_index: row.log_index });
    }
    register(service, tx, account, key).await
}

/// Signs the account's keys that are in force anew. All are signed before the first leaf: nothing waits for a signer
/// while the log is locked.
pub(super) async fn renew(service: &Service, tx: &mut Tx, account: &Account) -> Result<(), Error> {
    let mut drafts = Vec::new();
    for row in tx.keys_of(account.id).await?.into_iter().filter(|key| key.revoked_at.is_none()) {
        let key = PublicKey::from_hex(&row.public).map_err(|_| Error::internal("an unreadable stored key"))?;
        drafts.push((row.keyid, draft(service, tx, account, key).await?));
    }
    for (keyid, draft) in drafts {
        let registered = draft.append(service, tx).await?;
        tx.set_key_registration(&keyid, &registered.envelope, registered.log_index).await?;
    }
    Ok(())
}
