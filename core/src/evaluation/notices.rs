//! What a reviewer should be told about outputs that are graded correctly but say little.

use super::cases::{Arm, Cases, Suite};
use crate::problem::{Finding, Findings, NO_CASE_PASSED, ONE_ANSWER_FOR_ALL, PATCH_WITHOUT_EFFECT, Place};

pub(crate) fn notice(cases: &Cases<'_>, findings: &mut Findings) {
    let mut told = |code, found: String, expected: &str, next: &str| {
        findings.push(Finding::new(code, Place::file("outputs.jsonl"), found, expected, next));
    };
    for suite in Suite::ALL {
        let count = cases.count(suite);
        if count.cases > 0 && count.patched == 0 {
            let found = format!("0 of {} cases of {} passed", count.cases, suite.name());
            told(
                NO_CASE_PASSED,
                found,
                "some that pass",
                "check the answer format: fences, a leading word, a chat template",
            );
        }
    }
    let mut answers = cases.of(Suite::HeldOut).filter_map(|case| case.answer(Arm::Patched)).map(|a| a.digest);
    let first = answers.next().filter(|_| cases.of(Suite::HeldOut).count() > 1);
    if first.is_some_and(|first| answers.all(|answer| answer == first)) {
        let next = "check that the cases ask for different answers";
        told(ONE_ANSWER_FOR_ALL, "one answer to every held-out case".into(), "different answers", next);
    }
    if !cases.list.is_empty() && cases.list.iter().all(|case| case.same(Arm::Base, Arm::Patched)) {
        let next = "check that the adapter was loaded in the patched arm";
        told(PATCH_WITHOUT_EFFECT, "the base's text in every case".into(), "other texts in some cases", next);
    }
}
