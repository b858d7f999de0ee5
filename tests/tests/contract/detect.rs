//! `cases/detect.jsonl`: texts, and what the scan for secrets and personal data says.

use base64::Engine as _;
use retoque_core::dataset::detect::{Class, scan, verdict};
use serde_json::Value;

use crate::files::case_path;

const fn word(class: Option<Class>) -> &'static str {
    match class {
        None => "pass",
        Some(Class::Warn) => "warn",
        Some(Class::Acknowledge) => "ack",
        Some(Class::Block) => "block",
    }
}

#[test]
fn every_text_has_the_stated_verdict() {
    let cases = std::fs::read_to_string(case_path("detect.jsonl")).unwrap();
    let (mut seen, mut wrong) = (0, Vec::new());
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(case["text_base64"].as_str().unwrap()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let expected = case["expect"].as_str().unwrap();
        let got = word(verdict(&text));
        seen += 1;
        if !expected.split("-or-").any(|word| word == got) {
            let rules: Vec<_> = scan(&text).iter().map(|hit| hit.rule.name()).collect();
            wrong.push(format!("{} {}: expected {expected}, got {got} {rules:?}: {text}", case["id"], case["kind"]));
        }
    }
    assert!(seen > 0, "no cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
