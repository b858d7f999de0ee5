//! The public keys with which people sign their decisions. Who registers one proves that it holds the private half.
//!
//! A key belongs to one account for ever; a revoked one does not come back.

use std::fmt;
use std::str::FromStr;

use retoque_core::api::{KeyView, NewKey, Page};
use retoque_core::id::AccountName;
use retoque_core::permission::Act;
use retoque_core::problem::{ALREADY_EXISTS, Finding, KEY_INVALID, KEY_REVOKED, Place, SIGNATURE_INVALID};
use retoque_core::sign::{KeyId, PublicKey, Role, Root};

use super::policy::{self, Subject, token_missing};
use super::{Actor, Error, Service, accounts, error, registration, signers};
use crate::store::id::KeyRowId;
use crate::store::keys::Key;

/// Keys in force of one account: each is signed anew whenever the account's memberships change.
const KEYS_MOST: usize = 20;

/// Names a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyRef(KeyId);

/// The text is no key id.
#[derive(Debug, thiserror::Error)]
#[error("the id of a key, 64 lower-case hex digits, as `GET /keys` lists it")]
pub struct NotAKeyRef;

impl FromStr for KeyRef {
    type Err = NotAKeyRef;
    fn from_str(text: &str) -> Result<Self, NotAKeyRef> {
        text.parse().map(Self).map_err(|_| NotAKeyRef)
    }
}

impl fmt::Display for KeyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Registers the caller's key. The second part says whether it is new: doing it again renews
/// the registration if the memberships have changed.
pub async fn register(service: &Service, actor: &Actor, new: NewKey) -> Result<(KeyView, bool), Error> {
    policy::authorize(actor, Act::RegisterOwnKey, Subject::PLATFORM)?;
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let key = &PublicKey::from_hex(&new.public).map_err(|f| Finding { place: Place::field("public"), ..f })?;
    check_possession(&service.settings.origin, &signed_in.name, key, &new.proof)?;
    let id = KeyRowId::mint(&service.chance)?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            // The registration states the memberships: a change of them waits, or is seen here.
            tx.lock_account(signed_in.account).await?;
            let account = tx.account(signed_in.account).await?.ok_or_else(|| Error::not_found("such account"))?;
            let known = tx.key(&key.id().to_string()).await?;
            if let Some(known) = &known {
                check_again(known, account.id == known.account_id)?;
            }
            let new = known.is_none();
            if new {
                let held = tx.keys_of(account.id).await?.iter().filter(|key| key.revoked_at.is_none()).count();
                error::room(held, KEYS_MOST, "key", "revoke one that you no longer use")?;
            }
            let registered = match &known {
                Some(known) => registration::refresh(service, &mut tx, &account, known, key.clone()).await?,
                None => registration::register(service, &mut tx, &account, key.clone()).await?,
            };
            let row = Key {
                id,
                account_id: account.id,
                keyid: key.id().to_string(),
                public: key.hex(),
                created_at: known.map_or(now, |known| known.created_at),
                revoked_at: None,
                log_index: registered.log_index,
                registration: registered.envelope,
            };
            if new {
                tx.insert_key(&row).await?;
            } else {
                tx.set_key_registration(&row.keyid, &row.registration, row.log_index).await?;
            }
            let root = signers::root(&mut tx).await?;
            Ok(tx.done((view(row, account.name, &root), new)))
        })
        .await
}

/// The keys of the caller, or of `account` for an operator; oldest first, revoked ones too.
pub async fn list(service: &Service, actor: &Actor, account: Option<&str>) -> Result<Page<KeyView>, Error> {
    let mut tx = service.store.read().await?;
    let owner = accounts::own_or_asked(&mut tx, actor, account).await?;
    let root = signers::root(&mut tx).await?;
    let rows = tx.keys_of(owner.id).await?;
    Ok(Page { items: rows.into_iter().map(|row| view(row, owner.name.clone(), &root)).collect(), next: None })
}

/// Revokes a key for good. What it signed before stays as it is.
pub async fn revoke(service: &Service, actor: &Actor, key: KeyRef) -> Result<(), Error> {
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let (keyid, now) = (&key.to_string(), service.chance.now());
    service
        .store
        .write(|mut tx| async move {
            let row = tx.key(keyid).await?;
            // One that is not there is treated as somebody else's: who may not revoke those, cannot tell.
            let own = row.as_ref().is_some_and(|row| row.account_id == signed_in.account);
            let act = if own { Act::RegisterOwnKey } else { Act::ManageAccounts };
            policy::authorize(actor, act, Subject::PLATFORM)?;
            let row = row.ok_or_else(|| Error::not_found("such key"))?;
            tx.lock_account(row.account_id).await?;
            tx.revoke_key(keyid, now).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
}

/// Without this, somebody could claim the key of another and with it what the other signs.
fn check_possession(origin: &str, account: &AccountName, key: &PublicKey, proof: &str) -> Result<(), Finding> {
    let place = Place::field("proof");
    let next = "register the key with `retoque key register`, on the registry and for the account that it is meant for";
    let proof = hex::decode(proof)
        .map_err(|_| Finding::new(KEY_INVALID, place.clone(), "a text that is no signature", "128 hex digits", next))?;
    let message = format!("retoque-key-registration/1\n{origin}\n{account}\n{}\n", key.hex());
    if key.verifies(message.as_bytes(), &proof) {
        return Ok(());
    }
    let expected = format!("a signature of the key over its registration for {account} at {origin}");
    Err(Finding::new(SIGNATURE_INVALID, place, "a signature over something else, or of another key", expected, next))
}

fn check_again(known: &Key, own: bool) -> Result<(), Error> {
    let next = "make a new key with `retoque key generate`";
    let refuse = |code, found: &str| {
        Err(Error::refuse(code, Place::field("public"), found, "a key that no account has used", next))
    };
    match (own, known.revoked_at) {
        (true, None) => Ok(()),
        (true, Some(_)) => refuse(KEY_REVOKED, "a key that was revoked"),
        (false, _) => refuse(ALREADY_EXISTS, "a key of another account"),
    }
}

fn view(row: Key, account: AccountName, root: &Root) -> KeyView {
    let roles = row.keyid.parse().map(|id| root.roles_of(id)).unwrap_or_default();
    KeyView {
        keyid: row.keyid,
        account,
        public: row.public,
        created: row.created_at,
        revoked: row.revoked_at.is_some(),
        root_roles: roles.into_iter().map(Role::name).map(str::to_owned).collect(),
    }
}
