//! The newest head of a registry's log: checkpoint and status of one moment, verified and remembered.
//!
//! A head is believed when the log's own key signed the checkpoint under the origin that the newest root names, enough
//! witnesses cosigned it, the status beside it is signed for the same origin, size and root, and both follow from what
//! was remembered: no smaller log, no other history, no older status. Freshness is checked apart, against the one start
//! time of the command. Only then is it remembered. Clause: TRUST, client duties, attack by attack.

mod authority;
mod lock;
mod protections;
mod quorum;
mod refresh;
mod state;
#[cfg(test)]
mod tests;
mod verdict;

pub use authority::Authority;
pub use lock::Lock;
pub use protections::Protections;
pub use quorum::Quorum;
pub use refresh::{Asking, Current, tiles};
pub use state::{LogState, State};
pub use verdict::Verdict;

use retoque_core::log::{Head as Tree, SignedCheckpoint, VerifiedCheckpoint, checkpoint, freshness};
use retoque_core::problem::{Finding, Findings, Place, REGISTRY_MISMATCH, STATUS_EXPIRED, excerpt};
use retoque_core::sign::{Envelope, Role, Time, dsse};
use retoque_core::status::Status;

use crate::error::Failure;
use crate::trust_store::TrustStore;

/// The oldest cosignature and status that count as fresh, in seconds.
pub const MAX_AGE: i64 = freshness::MAX_AGE_SECONDS;
/// The most bytes of a remembered head.
pub const MAX_LOG_STATE: u64 = 64 << 10;
/// The most bytes of a status envelope.
pub const MAX_STATUS: usize = dsse::MAX_BYTES;
/// The most bytes of `GET /api/v1/head`: the status, and the checkpoint with each byte escaped.
pub const MAX_HEAD: usize = MAX_STATUS + 6 * checkpoint::MAX_BYTES + (1 << 10);

/// Checkpoint and status of one moment, verified.
#[derive(Debug, Clone)]
pub struct Head {
    /// The checkpoint.
    pub checkpoint: VerifiedCheckpoint,
    /// The status of the log of that size.
    pub status: Status,
    /// The note of the checkpoint, as it came.
    pub note: String,
    /// The status, as it came.
    pub envelope: Envelope,
    /// Who cosigned.
    pub quorum: Quorum,
    /// Since when enough witnesses have cosigned; when none is demanded, the newest time that anybody stated.
    pub cosigned: Option<Time>,
}

impl Head {
    /// Verifies a pair by itself, whatever the time.
    pub fn verify(note: &str, status: Envelope, authority: &Authority<'_>) -> Result<Self, Failure> {
        let signed = SignedCheckpoint::parse(note.as_bytes())?;
        let keys = authority.keys(Role::PlatformLog, signed.claimed().size());
        let checkpoint = signed.verify(&authority.origin(), &keys)?;
        let (quorum, evaluation) = Quorum::of(&authority.policy()?, &checkpoint)?;
        let verified = Status::verify(&status, |size| authority.keys(Role::PlatformStatus, size))?;
        let as_of = verified.as_of();
        as_of.check_log(checkpoint.origin(), checkpoint.head())?;
        if as_of.registry != authority.registry() {
            return Err(other_registry(&as_of.registry, authority.registry()).into());
        }
        let status_list = verified.into_inner();
        Ok(Self {
            checkpoint,
            status: status_list,
            note: note.to_owned(),
            envelope: status,
            quorum,
            cosigned: evaluation.fresh_at,
        })
    }

    /// The remembered head, verified again. Nothing when there is none, when it is of keys that no longer count, or when
    /// only half of it could be written.
    pub fn remembered(store: &TrustStore, authority: &Authority<'_>) -> Result<Option<Self>, Failure> {
        let state = store.state(&authority.origin());
        let (Some(log), Some(status)) = (state.log()?, state.status()?) else { return Ok(None) };
        Ok(Self::verify(&log.note, Envelope::parse(&status)?, authority).ok().filter(|head| head.tree() == log.tree()))
    }

    /// Size and root.
    pub fn tree(&self) -> Tree {
        self.checkpoint.head()
    }

    /// Everything about it that is too old, or of a time that has not come, at `now`.
    pub fn staleness(&self, now: Time, max_age: i64) -> Vec<Finding> {
        let status = self.status.as_of();
        let expired = status.check_time(now);
        // An expired status need not be called old as well.
        let old = if expired.is_ok() { check_issued(status.issued, now, max_age) } else { Ok(()) };
        [freshness::check(self.cosigned, now, max_age), expired, old].into_iter().filter_map(Result::err).collect()
    }

    /// Refuses unless it is fresh.
    pub fn check_fresh(&self, now: Time, max_age: i64) -> Result<(), Failure> {
        let mut stale = Findings::new();
        self.staleness(now, max_age).into_iter().for_each(|finding| stale.push(finding));
        match stale.list() {
            [] => Ok(()),
            [one] => Err(one.clone().into()),
            _ => Err(Failure::findings("the newest head of the log is too old", &stale)),
        }
    }

    /// As it is remembered.
    pub fn log_state(&self) -> LogState {
        LogState {
            origin: self.checkpoint.origin().to_owned(),
            size: self.checkpoint.size(),
            root: self.checkpoint.root(),
            note: self.note.clone(),
        }
    }
}

fn other_registry(found: &str, expected: &str) -> Finding {
    let next = "use the registry that you trust; this status is of another one";
    Finding::new(REGISTRY_MISMATCH, Place::field("registry"), excerpt(found), expected, next)
}

fn check_issued(issued: Time, now: Time, max_age: i64) -> Result<(), Finding> {
    let oldest = now.plus_seconds(max_age.saturating_neg());
    if issued >= oldest {
        return Ok(());
    }
    let next = "ask the registry again, or allow a greater age";
    let (found, expected) =
        (format!("a status as of {issued}"), format!("one of {oldest} or later, as it is {now} here"));
    Err(Finding::new(STATUS_EXPIRED, Place::field("issued"), found, expected, next))
}
