//! Bad input over HTTP is refused by name, all at once, and leaves nothing: no object, no version, no row of it.

mod decisions;
mod packages;
mod uploads;

use std::collections::BTreeSet;

use retoque_tests::registry::Answer;
use retoque_tests::town::Town;

/// The codes of every finding of a refusal.
fn codes(answer: &Answer) -> BTreeSet<String> {
    let body = answer.json();
    let findings = body["findings"].as_array().cloned().unwrap_or_default();
    let all = findings.iter().map(|finding| &finding["code"]).chain([&body["code"]]);
    all.map(|code| code.as_str().unwrap_or_default().to_owned()).collect()
}

/// The paths of everything that is stored.
fn stored(town: &Town) -> Vec<String> {
    town.stored().into_keys().collect()
}
