//! What is checked before submission and by the reviewer. [`Qa::outstanding`] names what is missing.
//!
//! Clause: specification, section 6 (submit, review). A suite that the base itself fails proves nothing when
//! no regression is introduced, so regression results count only when the base passes at least half of it.

mod checklist;
mod qa;

pub use checklist::{Checklist, ChecklistItem};
pub use qa::{Qa, QaItem};

use serde::{Deserialize, Serialize};

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Approved.
    Approve,
    /// Sent back with reasons.
    Return,
    /// An approval was taken back.
    Revoke,
}
