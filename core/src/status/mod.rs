//! What is no longer as it was at publication: the signed status of the whole registry, and the signed listing of one
//! patch.
//!
//! A [`Status`] names a log (origin, size, root) and every version that is deprecated, withdrawn or taken down by the
//! entries below that size. It is a deterministic function of those entries and of the decisions whose digests they
//! hold, so [`Replay`] recomputes it and a lie is proof against whoever signed it. It is signed under
//! `platform-status` and lives for 24 hours at most. A [`Listing`] names the published versions of one patch, as of
//! the same log. Refuses what is not well-formed, expired, from the future, older than what was seen, or of another
//! log than the checkpoint beside it. Clause: specification, sections 7 and 8.

mod compare;
mod fresh;
mod listing;
mod replay;
mod snapshot;

#[cfg(test)]
mod tests;

pub use fresh::AsOf;
pub use listing::{Listed, Listing};
pub use replay::{Known, Replay};
pub use snapshot::{Lists, PrivateState, Status, VersionState};

/// The longest life of a status or listing, in seconds.
pub const LIFETIME: i64 = 24 * 60 * 60;
/// The subject of a status or listing: the root hash of the log.
pub const SUBJECT: &str = "log";
/// The largest payload that is written: as an envelope it stays below 1 MiB.
const MAX_PAYLOAD: usize = 720 << 10;
