//! The platform's own keys, and whose keys may sign what.
//!
//! A decision is signed by the person's own key: reviewers and operators with a key that the roots give their role at
//! the decision's place in the log, members with a key that is registered to their account.
//! Clause: specification, section 8.

use std::sync::Arc;

use retoque_core::decision::Decision;
use retoque_core::lifecycle::Action;
use retoque_core::problem::{Finding, Place, SIGNING_KEY_MISSING};
use retoque_core::sign::dsse::IN_TOTO;
use retoque_core::sign::statement::Statement;
use retoque_core::sign::{Chain, Envelope, KeyId, KeySet, PublicKey, Role, Root, Signer, Verified};

use super::{Actor, Error, Service};
use crate::store::Tx;

/// The keys that this installation signs with. Each may live elsewhere than in this process.
#[derive(Clone)]
pub struct Signers {
    /// Signs build statements.
    pub build: Arc<dyn Signer + Send + Sync>,
    /// Signs key registrations and the log.
    pub log: Arc<dyn Signer + Send + Sync>,
    /// Signs licence records and the status.
    pub status: Arc<dyn Signer + Send + Sync>,
}

impl Signers {
    /// Which key signs for which role of the platform.
    pub(super) fn ids(&self) -> [(Role, KeyId); 3] {
        [
            (Role::PlatformBuild, self.build.public().id()),
            (Role::PlatformLog, self.log.public().id()),
            (Role::PlatformStatus, self.status.public().id()),
        ]
    }
}

/// The root in force, as this transaction sees it.
pub(super) async fn root(tx: &mut Tx) -> Result<Root, Error> {
    let envelope = tx.latest_root().await?.ok_or_else(|| Error::internal("no root of trust"))?;
    // It was verified against the one before it when it was taken in.
    Root::trust(&envelope.envelope, None).map_err(|_| Error::internal("an unreadable root of trust"))
}

/// The roles whose keys sign this action; none when any registered key of the account does.
pub(super) const fn roles_for(action: Action) -> &'static [Role] {
    match action {
        Action::Submit | Action::Publish => &[],
        Action::Return | Action::Approve | Action::Revoke => &[Role::Review, Role::Operate],
        Action::Deprecate | Action::Restore | Action::Withdraw | Action::TakeDown => &[Role::Operate],
    }
}

/// A decision whose signatures count at the next place in the log, and the root by which they do.
pub(super) struct Judged {
    pub(super) statement: Verified<Statement<Decision>>,
    root: u64,
}

/// Verifies a decision under the keys with which `actor` may sign it, as it would be logged next. Of a role with a
/// higher threshold others must have signed as well.
pub(super) async fn verify(
    service: &Service,
    tx: &mut Tx,
    actor: &Actor,
    action: Action,
    envelope: &Envelope,
) -> Result<Judged, Error> {
    let index = tx.log_size().await?;
    let chain = service.roots.chain(tx).await?;
    let rows = tx.keys_of(actor.account_id()?).await?;
    let registered = rows.iter().filter(|key| key.revoked_at.is_none());
    let registered: Vec<PublicKey> = registered.filter_map(|key| PublicKey::from_hex(&key.public).ok()).collect();
    let roles = roles_for(action);
    let own = own_keys(&chain, index, roles, registered, actor)?;
    let statement = if roles.is_empty() {
        Statement::verify(envelope, &own)?
    } else {
        // Whose it is comes first: a good decision of somebody else is not this account's.
        envelope.verify(IN_TOTO, &own)?;
        under_roles(&chain, index, roles, envelope)?
    };
    Ok(Judged { statement, root: chain.newest().version() })
}

/// The first of the roles whose threshold the signatures meet.
fn under_roles(
    chain: &Chain,
    index: u64,
    roles: &[Role],
    envelope: &Envelope,
) -> Result<Verified<Statement<Decision>>, Error> {
    let mut refusal = None;
    for role in roles {
        match Statement::verify(envelope, &chain.keys_at(*role, index)) {
            Ok(statement) => return Ok(statement),
            Err(finding) => refusal = refusal.or(Some(finding)),
        }
    }
    Err(refusal.map_or_else(|| Error::internal("an action without roles"), Error::from))
}

/// The keys of the account that count at this index.
fn own_keys(
    chain: &Chain,
    index: u64,
    roles: &[Role],
    registered: Vec<PublicKey>,
    actor: &Actor,
) -> Result<KeySet, Error> {
    let holds = |key: &&PublicKey| match roles {
        [] => !chain.is_revoked(key.id(), index),
        roles => roles.iter().any(|role| chain.keys_at(*role, index).get(key.id()).is_some()),
    };
    let keys: Vec<PublicKey> = registered.iter().filter(holds).cloned().collect();
    if keys.is_empty() {
        return Err(missing(roles, actor)?.into());
    }
    let purpose = if roles.is_empty() { "the account's own key".to_owned() } else { names(roles) };
    let (revoked, others) = registered.into_iter().partition::<Vec<_>, _>(|key| chain.is_revoked(key.id(), index));
    Ok(KeySet::new(purpose, keys, 1)
        .with_others(others.into_iter().map(|key| ("a key without that role".to_owned(), key)))
        .with_revoked(revoked))
}

fn missing(roles: &[Role], actor: &Actor) -> Result<Finding, Error> {
    let name = actor.account_name()?;
    let (expected, next) = match roles {
        [] => (format!("a key that {name} registered"), "register one with `retoque key register`"),
        _ => (
            format!("a key of {name} to which the root gives the role `{}`", names(roles)),
            "register one, and have the operator put it into the root with `retoque key authorize`",
        ),
    };
    Ok(Finding::new(SIGNING_KEY_MISSING, Place::field("signatures"), "none", expected, next))
}

/// Asked when the decision has its place in the log, behind the log's lock: that the roots are still those by which it
/// was judged, and that its keys count at that place too. Otherwise the transaction is run again.
pub(super) async fn confirm(service: &Service, tx: &mut Tx, judged: &Judged, index: u64) -> Result<(), Error> {
    let chain = service.roots.chain(tx).await?;
    let revoked = |id: &KeyId| chain.is_revoked(*id, index);
    if chain.newest().version() == judged.root && !judged.statement.signers().iter().any(revoked) {
        return Ok(());
    }
    Err(Error::Transient("the root of trust changed while a decision was taken".to_owned()))
}

fn names(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join("` or `")
}
