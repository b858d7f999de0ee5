//! The platform's own keys, and whose keys may sign what.
//!
//! A decision is signed by the person's own key: reviewers and operators with a key that the current root gives their
//! role, members with a key that is registered to their account. Clause: specification, section 8.

use std::sync::Arc;

use retoque_core::lifecycle::Action;
use retoque_core::problem::{Place, SIGNING_KEY_MISSING};
use retoque_core::sign::{KeySet, PublicKey, Role, Root, Signer};

use super::{Actor, Error};
use crate::store::Tx;

/// The keys that this installation signs with. Each may live elsewhere than in this process.
#[derive(Clone)]
pub struct Signers {
    /// Signs build statements.
    pub build: Arc<dyn Signer + Send + Sync>,
    /// Signs key registrations, and later the log.
    pub log: Arc<dyn Signer + Send + Sync>,
    /// Signs licence records, and later the status.
    pub status: Arc<dyn Signer + Send + Sync>,
}

/// The root in force, as this transaction sees it.
pub(super) async fn root(tx: &mut Tx) -> Result<Root, Error> {
    let envelope = tx.latest_root().await?.ok_or_else(|| Error::internal("no root of trust"))?;
    // It was verified against the one before it when it was taken in.
    Root::trust(&envelope.envelope, None).map_err(|_| Error::internal("an unreadable root of trust"))
}

/// The keys with which `actor` may sign `action`.
pub(super) async fn signing_keys(tx: &mut Tx, actor: &Actor, action: Action) -> Result<KeySet, Error> {
    let rows = tx.keys_of(actor.account_id()?).await?;
    let own = rows.iter().filter(|key| key.revoked_at.is_none());
    let own: Vec<PublicKey> = own.filter_map(|key| PublicKey::from_hex(&key.public).ok()).collect();
    let roles: &[Role] = match action {
        Action::Submit | Action::Publish => &[],
        Action::Return | Action::Approve | Action::Revoke => &[Role::Review, Role::Operate],
        Action::Deprecate | Action::Restore | Action::Withdraw | Action::TakeDown => &[Role::Operate],
    };
    let root = root(tx).await?;
    let holds = |key: &&PublicKey| {
        roles.is_empty()
            || root.roles_of(key.id()).iter().any(|role| roles.contains(role)) && !root.is_revoked(key.id(), u64::MAX)
    };
    let keys: Vec<PublicKey> = own.iter().filter(holds).cloned().collect();
    if keys.is_empty() {
        let name = actor.account_name()?;
        let expected = match roles {
            [] => format!("a key that {name} registered"),
            _ => format!("a key of {name} to which the root gives the role `{}`", names(roles)),
        };
        let next = match roles {
            [] => "register one with `retoque key register`",
            _ => "register one, and have the operator put it into the root with `retoque key authorize`",
        };
        return Err(Error::refuse(SIGNING_KEY_MISSING, Place::field("signatures"), "none", expected, next));
    }
    let purpose = if roles.is_empty() { "the account's own key".to_owned() } else { names(roles) };
    Ok(KeySet::new(purpose, keys, 1)
        .with_others(own.into_iter().map(|key| ("a key without that role".to_owned(), key))))
}

fn names(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join("` or `")
}
