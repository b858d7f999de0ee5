//! Evaluation: the fixed grader, the evidence state, and evidence re-derived from the private record.
//!
//! Clause: specification, section 5. Evidence is recomputed, never believed.

mod cases;
mod compare;
mod documents;
mod grade;
mod notices;
mod outputs;
mod pairs;
pub mod profile;
mod record;
mod run;
mod state;
mod training;

pub use cases::{Arm, Suite};
pub use compare::{compare, compare_package, section};
pub use documents::{EVALUATION_FORMAT, VALIDATION_CASES_FORMAT};
pub use grade::{Expected, GRADER, Grade, Reason, grade};
pub use outputs::OUTPUTS_BYTES;
pub use pairs::{Graded, grade_lines};
pub use record::{
    Bindings, Declared, RECORD_FILES, REGRESSION_CASES, RecordError, RecordFiles, Rederived, TRAINING_BYTES,
    check_suite, is_informative, rederive, tally,
};
pub use state::{ALLOWANCE_POINTS, EvidenceState, GAIN_POINTS, INTRODUCED_MOST, Tally, evidence_state};
