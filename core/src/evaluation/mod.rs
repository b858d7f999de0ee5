//! Evaluation: the fixed grader, the evidence state, and evidence re-derived from the private record.
//!
//! Clause: specification, section 5. Evidence is recomputed, never believed.

mod grade;
mod state;

pub use grade::{Expected, GRADER, Grade, Reason, grade};
pub use state::{ALLOWANCE_POINTS, EvidenceState, GAIN_POINTS, INTRODUCED_MOST, Tally, evidence_state};
