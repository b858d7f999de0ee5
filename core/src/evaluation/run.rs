//! `run.json`: how the outputs were made, and that it speaks of the same files as everything else.
//!
//! Its `sha256` entries have to name the dataset, the regression suite and the adapter with the digests that
//! they have; entries for files of the base have to agree with the base. Its seed and worked examples have
//! to be those of the rule. What else it says (engine, versions, times) is kept in the record as it is.

use super::record::Bindings;
use crate::dataset::{DEFAULT_SYSTEM, Seed};
use crate::digest::Digest;
use crate::json::{Limits, Number, Value, parse};
use crate::problem::{CONTROL_LINES, Code, Finding, Findings, Place, RECORD_DISAGREES, RECORD_FIELD, RECORD_NOT_JSON};

/// The name of the file.
pub(crate) const FILE: &str = "run.json";

/// What the rest of the record and the package say.
pub(crate) struct Facts<'a> {
    pub(crate) bindings: &'a Bindings<'a>,
    pub(crate) seed: &'a Seed,
    pub(crate) dataset: Digest,
    pub(crate) regression: Digest,
    pub(crate) control_lines: &'a [u64],
    pub(crate) cases: u64,
}

/// Checks the file against the facts.
pub(crate) fn check(bytes: &[u8], facts: &Facts<'_>, findings: &mut Findings) {
    let run = match parse(bytes, Limits::DOCUMENT) {
        Ok(run) => run,
        Err(error) => {
            let next = "correct the program that writes the file; docs/format/evaluation.md describes it";
            let place = Place::file(FILE).at_byte(error.at as u64);
            findings.push(Finding::new(RECORD_NOT_JSON, place, error.kind.to_string(), "one strict JSON object", next));
            return;
        }
    };
    let mut differs = |code: Code, field: &str, found: String, expected: String| {
        let next = "evaluate these files again, and upload the record of that run";
        findings.push(Finding::new(code, Place::file(FILE).at_field(field), found, expected, next));
    };
    match run.get("seed").and_then(Value::as_number).map(Number::text).or_else(|| run.get("seed")?.as_str()) {
        Some(seed) if seed == facts.seed.as_str() => {}
        Some(seed) => differs(RECORD_DISAGREES, "seed", short(seed), facts.seed.to_string()),
        None => differs(RECORD_FIELD, "seed", "no seed".into(), facts.seed.to_string()),
    }
    let lines: Option<Vec<u64>> = run
        .get("control_lines")
        .and_then(Value::as_array)
        .and_then(|lines| lines.iter().map(|line| line.as_number()?.as_u64()).collect());
    if lines.as_deref() != Some(facts.control_lines) {
        let found = lines.map_or_else(|| "no list of lines".to_owned(), |lines| short(&format!("{lines:?}")));
        differs(CONTROL_LINES, "control_lines", found, format!("{:?}", facts.control_lines));
    }
    if run.get("default_system").is_some_and(|system| system.as_str() != Some(DEFAULT_SYSTEM)) {
        differs(RECORD_DISAGREES, "default_system", "another text".into(), DEFAULT_SYSTEM.into());
    }
    for (field, expected) in [("cases", facts.cases), ("generations", facts.cases * 4)] {
        let stated = run.get(field).map(|stated| stated.as_number().and_then(Number::as_u64));
        if stated.is_some_and(|stated| stated != Some(expected)) {
            differs(RECORD_DISAGREES, field, "another number".into(), expected.to_string());
        }
    }
    let Some(entries) = run.get("sha256").and_then(Value::as_object) else {
        differs(RECORD_FIELD, "sha256", "no digests".into(), "the digest of every file that was used".into());
        return;
    };
    digests(entries, facts, &mut differs);
}

fn digests(entries: &[(String, Value)], facts: &Facts<'_>, differs: &mut impl FnMut(Code, &str, String, String)) {
    let stated = |name: &str| {
        let text = entries.iter().find(|(key, _)| key == name)?.1.as_str()?;
        Digest::from_hex(text.strip_prefix("sha256:").unwrap_or(text)).ok()
    };
    let adapter = "adapter_model.safetensors";
    let adapter_entry = entries.iter().map(|(key, _)| key.as_str()).find(|key| key.rsplit('/').next() == Some(adapter));
    for (name, expected) in [
        ("dataset.jsonl", facts.dataset),
        ("regression.jsonl", facts.regression),
        (adapter_entry.unwrap_or(adapter), facts.bindings.adapter),
    ] {
        match stated(name) {
            Some(digest) if digest == expected => {}
            Some(digest) => differs(RECORD_DISAGREES, &format!("sha256.{name}"), digest.hex(), expected.hex()),
            None => differs(RECORD_FIELD, &format!("sha256.{name}"), "no digest".into(), expected.hex()),
        }
    }
    for file in facts.bindings.base_files {
        let name = format!("base/{}", file.path);
        match stated(&name) {
            Some(digest) if digest != file.sha256 => {
                differs(RECORD_DISAGREES, &format!("sha256.{name}"), digest.hex(), file.sha256.hex());
            }
            _ => {}
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
