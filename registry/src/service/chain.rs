//! The roots of trust of this registry as one chain, and whether its own keys still count.
//!
//! A document is judged by the roots at its own place in the log, a new one at the next place. The chain is kept in
//! memory and verified anew only from where the database has more. A replica whose key was replaced or revoked signs
//! nothing: that is asked in the transaction that writes, behind the lock of the log, so that no race lets one through.

use std::sync::Mutex;

use retoque_core::problem::{Finding, Findings};
use retoque_core::sign::{Chain, Envelope, KeyId, Role, Root};

use super::{Error, Service};
use crate::keys::retired;
use crate::store::{Tx, meta};

/// The chain as it was last seen.
#[derive(Debug, Default)]
pub(super) struct Roots(Mutex<Option<Chain>>);

impl Roots {
    /// Every root that this transaction sees.
    pub(super) async fn chain(&self, tx: &mut Tx) -> Result<Chain, Error> {
        let known = self.0.lock().map_or(None, |known| known.clone());
        let chain = match known {
            Some(known) => follow(tx, known).await?,
            None => load(tx).await?,
        };
        if let Ok(mut known) = self.0.lock()
            && known.as_ref().is_none_or(|known| known.newest().version() < chain.newest().version())
        {
            *known = Some(chain.clone());
        }
        Ok(chain)
    }
}

/// The whole chain, verified from the first root on, which is this installation's own.
pub(crate) async fn load(tx: &mut Tx) -> Result<Chain, Error> {
    let rows = tx.roots(1).await?;
    let (first, later) = rows.split_first().ok_or_else(|| Error::internal("no root of trust"))?;
    let mut chain = Chain::pinned(Root::trust(&first.envelope, None).map_err(unreadable)?);
    for row in later {
        chain.extend(&Envelope::parse(&row.envelope).map_err(unreadable)?).map_err(unreadable)?;
    }
    Ok(chain)
}

/// The known chain with what came after it; the whole one anew when the database tells another story.
async fn follow(tx: &mut Tx, mut known: Chain) -> Result<Chain, Error> {
    let rows = tx.roots(known.newest().version()).await?;
    let same = rows.first().is_some_and(|row| row.envelope == known.newest().to_bytes());
    if !same {
        return load(tx).await;
    }
    for row in &rows[1..] {
        known.extend(&Envelope::parse(&row.envelope).map_err(unreadable)?).map_err(unreadable)?;
    }
    Ok(known)
}

/// It was verified when it was taken in.
#[expect(clippy::needless_pass_by_value, reason = "the last stop of a finding, passed to map_err")]
fn unreadable(finding: Finding) -> Error {
    Error::internal(format!("an unreadable root of trust: {finding}"))
}

/// Refuses to go on when a key of this replica is not the one that the installation expects, or does not count for the
/// leaf at `index` and the head that it makes. Asked after the append, when nobody else can change either.
pub(super) async fn ours_count(service: &Service, tx: &mut Tx, index: u64) -> Result<(), Error> {
    let chain = service.roots.chain(tx).await?;
    check_ours(tx, &chain, &service.signers.ids(), index).await?.into_result(())?;
    Ok(())
}

/// What is wrong with the keys of a replica that appends the leaf `index`.
pub(crate) async fn check_ours(
    tx: &mut Tx,
    chain: &Chain,
    ours: &[(Role, KeyId); 3],
    index: u64,
) -> Result<Findings, Error> {
    let mut findings = Findings::new();
    for (role, key) in ours {
        if expected(tx, *role).await? != *key || !chain.accepts(*role, index + 1, &[*key]) {
            findings.push(retired(*role, *key));
        }
    }
    Ok(findings)
}

/// The key with which every replica must sign for this role.
pub(crate) async fn expected(tx: &mut Tx, role: Role) -> Result<KeyId, Error> {
    let (_, stored) = meta::KEY_IDS
        .iter()
        .find(|(name, _)| *name == role.name())
        .ok_or_else(|| Error::internal(format!("no key id for {role}")))?;
    let id = tx.meta(stored).await?.ok_or_else(|| Error::internal("an installation without key ids"))?;
    id.parse().map_err(|_| Error::internal("an unreadable key id"))
}
