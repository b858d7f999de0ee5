//! Decisions: what a person signs, the record that the registry keeps of it, and the fold over the records.
//!
//! A decision is an in-toto statement about the manifest digest, signed with the person's own key. It names
//! the decision before it (`previous`), so that it can be used once and only where it was meant. Records are
//! canonical JSON of at most 65,535 bytes: the later leaves of the transparency log.
//! Clause: specification, sections 6 and 8.

mod check;
mod commitment;
mod history;
mod logged;
mod offer;
mod record;
mod statement;

#[cfg(test)]
mod tests;

pub use check::{CLOCK_TOLERANCE, Expected, MAX_TEXT};
pub use commitment::{COMMITMENT_FORMAT, Commitment, MAX_COMMITMENT};
pub use history::History;
pub use logged::LogProof;
pub use offer::{Declarations, Offer, PROPRIETARY};
pub(crate) use record::broken;
pub use record::{FORMAT, KeyKind, KeyRecord, MAX_RECORD, Record, RecordKind, RootKind, RootRecord, VersionRecord};
pub use statement::Decision;
