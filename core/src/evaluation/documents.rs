//! The two documents made from a record: the public `evaluation.json`, and `validation-cases.json`.
//!
//! `evaluation.json` holds counts, and each case as an opaque id with pass or fail per arm, in the order of
//! the ids, so that no line number shows. `validation-cases.json` holds the validation cases in full; it is
//! published only when the submitter confirmed it. Both are canonical JSON.

use serde::Serialize;

use super::cases::{Arm, Case, Cases, Suite};
use crate::canonical::CanonicalError;
use crate::digest::Digest;
use crate::manifest::EvidenceSection;

/// The format of `evaluation.json`.
pub const EVALUATION_FORMAT: &str = "retoque-evaluation/1";
/// The format of `validation-cases.json`.
pub const VALIDATION_CASES_FORMAT: &str = "retoque-validation-cases/1";

#[derive(Serialize)]
struct Evaluation<'a> {
    format: &'static str,
    #[serde(flatten)]
    evidence: &'a EvidenceSection,
    cases: BySuite,
}

#[derive(Serialize)]
struct BySuite {
    held_out: Vec<Opaque>,
    validation: Vec<Opaque>,
    regression: Vec<Opaque>,
}

#[derive(Serialize)]
struct Opaque {
    id: String,
    base: bool,
    control: bool,
    patched: bool,
    disabled: bool,
}

#[derive(Serialize)]
struct ValidationCases<'a> {
    format: &'static str,
    cases: Vec<Full<'a>>,
}

#[derive(Serialize)]
struct Full<'a> {
    id: String,
    line: u64,
    family: &'a str,
    system: &'a str,
    user: &'a str,
    expected: &'a str,
    base: Shown<'a>,
    control: Shown<'a>,
    patched: Shown<'a>,
    disabled: Shown<'a>,
}

#[derive(Serialize)]
struct Shown<'a> {
    output: &'a str,
    passed: bool,
}

/// The id under which a case is public: the first 16 bytes of a digest with the record's salt.
pub(crate) fn case_id(salt: Digest, suite: Suite, line: u64) -> String {
    let digest = Digest::of(format!("{}:{}:{line}", salt.hex(), suite.name()).as_bytes());
    digest.hex()[..32].to_owned()
}

/// The bytes of `evaluation.json`.
pub(crate) fn evaluation(
    evidence: &EvidenceSection,
    cases: &Cases<'_>,
    salt: Digest,
) -> Result<Vec<u8>, CanonicalError> {
    let opaque = |suite| {
        let mut list: Vec<Opaque> = cases.of(suite).map(|case| opaque(case, salt)).collect();
        list.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        list
    };
    let cases = BySuite {
        held_out: opaque(Suite::HeldOut),
        validation: opaque(Suite::Validation),
        regression: opaque(Suite::Regression),
    };
    write(&Evaluation { format: EVALUATION_FORMAT, evidence, cases })
}

fn opaque(case: &Case<'_>, salt: Digest) -> Opaque {
    Opaque {
        id: case_id(salt, case.suite, case.row.line),
        base: case.passed(Arm::Base),
        control: case.passed(Arm::Control),
        patched: case.passed(Arm::Patched),
        disabled: case.passed(Arm::Disabled),
    }
}

/// The bytes of `validation-cases.json`.
pub(crate) fn validation_cases(cases: &Cases<'_>, salt: Digest) -> Result<Vec<u8>, CanonicalError> {
    let cases = cases
        .of(Suite::Validation)
        .map(|case| {
            let shown = |arm| Shown {
                output: case.answer(arm).and_then(|answer| answer.text.as_deref()).unwrap_or_default(),
                passed: case.passed(arm),
            };
            Full {
                id: case_id(salt, case.suite, case.row.line),
                line: case.row.line,
                family: &case.row.family,
                system: case.row.system_text(),
                user: &case.row.user,
                expected: &case.row.assistant,
                base: shown(Arm::Base),
                control: shown(Arm::Control),
                patched: shown(Arm::Patched),
                disabled: shown(Arm::Disabled),
            }
        })
        .collect();
    write(&ValidationCases { format: VALIDATION_CASES_FORMAT, cases })
}

/// Canonical bytes, without the size limit of our other documents: these grow with the dataset.
fn write<T: Serialize>(document: &T) -> Result<Vec<u8>, CanonicalError> {
    serde_json_canonicalizer::to_vec(document).map_err(|error| CanonicalError::Unwritable(error.to_string()))
}
