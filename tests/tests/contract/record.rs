//! The evaluation record of the sample: what it gives, and that nothing else can be read into it.

use std::collections::BTreeMap;

use retoque_core::digest::Digest;
use retoque_core::evaluation::{
    Bindings, Declared, RECORD_FILES, RecordError, RecordFiles, Rederived, is_informative, profile, rederive, section,
};
use retoque_core::manifest::{AdapterSection, Scale};
use retoque_core::problem::Findings;
use serde_json::Value;

use crate::files::tests_dir;

/// The five files, to be changed at will.
struct Record {
    files: BTreeMap<&'static str, Vec<u8>>,
    declared: Declared,
    adapter: Digest,
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(tests_dir().join("fixtures/sample").join(name)).unwrap()
}

impl Record {
    fn of_sample() -> Self {
        Self {
            files: RECORD_FILES.into_iter().map(|name| (name, sample(name))).collect(),
            declared: Declared {
                seed: "7".parse().unwrap(),
                source: "own-generated".into(),
                licence: "CC0-1.0".into(),
                allowance_points: 5,
                acknowledged: None,
                regression_suite: None,
            },
            adapter: Digest::of(&sample("adapter/adapter_model.safetensors")),
        }
    }

    fn change(mut self, file: &str, from: &str, to: &str) -> Self {
        let bytes = self.files.get_mut(file).unwrap();
        let text = String::from_utf8(std::mem::take(bytes)).unwrap();
        assert!(text.contains(from), "{from} is not in {file}");
        *bytes = text.replacen(from, to, 1).into_bytes();
        self
    }

    fn rederive(&self) -> Result<Rederived, Findings> {
        let file = |name| self.files[name].as_slice();
        let files = RecordFiles {
            dataset: &mut file("dataset.jsonl"),
            regression: &mut file("regression.jsonl"),
            outputs: &mut file("outputs.jsonl"),
            run: &mut file("run.json"),
            training: &mut file("training.json"),
        };
        match rederive(files, &self.declared, &Bindings { adapter: self.adapter, base_files: &[] }) {
            Ok(rederived) => Ok(rederived),
            Err(RecordError::Refused(findings)) => Err(findings),
            Err(RecordError::Io(error)) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn refused_with(&self, code: &str) -> Findings {
        let findings = self.rederive().unwrap_err();
        assert!(findings.list().iter().any(|f| f.code.name() == code), "{code} is not in {findings:?}");
        findings
    }
}

#[test]
fn the_sample_gives_its_results() {
    let results: Value = serde_json::from_slice(&sample("results.json")).unwrap();
    let rederived = Record::of_sample().rederive().unwrap();
    let evidence = serde_json::to_value(&rederived.evidence).unwrap();
    for suite in ["held_out", "validation", "regression"] {
        assert_eq!(evidence[suite]["cases"], results["suites"][suite]["cases"]);
        for arm in ["base", "control", "patched", "disabled"] {
            assert_eq!(evidence[suite][arm], results["suites"][suite]["passed"][arm], "{suite} {arm}");
        }
    }
    assert_eq!(evidence["state"], results["state"]);
    assert_eq!(evidence["introduced"], results["introduced"]);
    assert_eq!(evidence["disabled_equals_base"], results["disabled_equals_base"]);
    assert_eq!(serde_json::to_value(&rederived.introduced_lines).unwrap(), results["introduced_lines"]);
    assert_eq!(serde_json::to_value(&rederived.repaired_lines).unwrap(), results["repaired_regression_lines"]);
    assert!(is_informative(&rederived.evidence.regression));

    let split: Value = serde_json::from_slice(&sample("split.json")).unwrap();
    let stated = serde_json::to_value(&rederived.dataset.split).unwrap();
    for part in ["held_out", "validation", "train"] {
        assert_eq!(stated[part]["rows"], split["row_counts"][part]);
        assert_eq!(stated[part]["families"], split["families"][part].as_array().unwrap().len());
    }
}

#[test]
fn the_public_document_shows_no_line_and_no_text() {
    let rederived = Record::of_sample().rederive().unwrap();
    let public: Value = serde_json::from_slice(&rederived.evaluation_json).unwrap();
    let held_out = public["cases"]["held_out"].as_array().unwrap();
    assert_eq!(held_out.len() as u64, rederived.evidence.held_out.cases);
    let patched = held_out.iter().filter(|case| case["patched"] == true).count() as u64;
    assert_eq!(patched, rederived.evidence.held_out.patched);
    assert!(held_out.iter().all(|case| case.as_object().unwrap().len() == 5));
    let text = String::from_utf8(rederived.evaluation_json).unwrap();
    assert!(!text.contains("shipping") && !text.contains("\"line\""));

    let validation: Value = serde_json::from_slice(&rederived.validation_cases_json).unwrap();
    let cases = validation["cases"].as_array().unwrap();
    assert_eq!(cases.len() as u64, rederived.evidence.validation.cases);
    assert_eq!(rederived.evidence.validation_cases, Digest::of(&rederived.validation_cases_json));
    let ids: Vec<&Value> = public["cases"]["validation"].as_array().unwrap().iter().map(|case| &case["id"]).collect();
    assert!(cases.iter().all(|case| ids.contains(&&case["id"]) && case["patched"]["output"].is_string()));
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let (a, b) = (Record::of_sample().rederive().unwrap(), Record::of_sample().rederive().unwrap());
    assert_eq!(a.evaluation_json, b.evaluation_json);
    assert_eq!(a.validation_cases_json, b.validation_cases_json);
    assert_eq!(a.evidence, b.evidence);
}

#[test]
fn a_changed_output_changes_the_counts() {
    let better = r#"{"suite": "held_out", "line": 1, "arm": "patched", "output": "{\"priority\":\"low\",\"queue\":\"shipping\"}"}"#;
    let was =
        r#"{"suite": "held_out", "line": 1, "arm": "patched", "output": "{\"queue\":\"sales\",\"priority\":\"low\"}"}"#;
    let before = Record::of_sample().rederive().unwrap();
    let after = Record::of_sample().change("outputs.jsonl", was, better).rederive().unwrap();
    assert_eq!(after.evidence.held_out.patched, before.evidence.held_out.patched + 1);
    let differences = section("evidence", &before.evidence, &after.evidence);
    let fields: Vec<_> = differences.list().iter().filter_map(|f| f.place.field.as_deref()).collect();
    assert_eq!(fields, ["evidence.held_out.patched", "evidence.record", "evidence.validation_cases"]);
    let counts = &differences.list()[0];
    assert_eq!((counts.found.as_str(), counts.expected.as_str()), ("153", "154"));
}

#[test]
fn outputs_outside_the_rules_are_refused_by_line() {
    let first = r#"{"suite": "held_out", "line": 1, "arm": "base","#;
    for (to, code) in [
        (r#"{"suite": "held_out", "line": 2, "arm": "base","#, "output_unknown_case"),
        (r#"{"suite": "train", "line": 2, "arm": "base","#, "record_field"),
        (r#"{"suite": "held_out", "line": 1, "arm": "other","#, "record_field"),
        (r#"{"suite": "held_out", "line": 1, "arm": "control","#, "output_repeated"),
        (r#"{"suite": "held_out", "line": 1.0, "arm": "base","#, "record_field"),
        (r#"{"suite": "held_out", "line": 1, "arm": "base", "passed": true,"#, "record_field"),
        (r#"{"suite": "held_out", "suite": "held_out", "line": 1, "arm": "base","#, "record_not_json"),
    ] {
        let findings = Record::of_sample().change("outputs.jsonl", first, to).refused_with(code);
        assert!(findings.has(retoque_core::problem::OUTPUT_MISSING), "{to}");
        let line = findings.list().iter().find(|f| f.code.name() == code).unwrap().place.line;
        assert!(matches!(line, Some(1 | 2)), "{to}: {line:?}");
    }
}

#[test]
fn files_that_speak_of_others_are_refused() {
    for (file, from, to, code) in [
        ("run.json", "\"f283672c", "\"f283672d", "record_disagrees"),
        ("run.json", "\"68ce4927", "\"68ce4928", "record_disagrees"),
        ("run.json", "\"44113b17", "\"44113b18", "record_disagrees"),
        ("run.json", "    30,\n    25,", "    25,\n    30,", "control_lines"),
        ("run.json", "\"seed\": 7", "\"seed\": 8", "record_disagrees"),
        ("run.json", "\"cases\": 576", "\"cases\": 575", "record_disagrees"),
        ("run.json", "\"adapter/adapter_model.safetensors\"", "\"other\"", "record_field"),
        ("training.json", "\"train_rows\": 883", "\"train_rows\": 1323", "record_disagrees"),
        ("dataset.jsonl", "Route this ticket", "Sort this ticket", "record_disagrees"),
    ] {
        Record::of_sample().change(file, from, to).refused_with(code);
    }
    let mut other = Record::of_sample();
    other.declared.seed = "8".parse().unwrap();
    other.refused_with("control_lines");
    let mut pinned = Record::of_sample();
    pinned.declared.regression_suite = Some(Digest::of(b"another"));
    pinned.refused_with("regression_suite_other");
    let mut small = Record::of_sample();
    let suite = small.files.get_mut("regression.jsonl").unwrap();
    let end = suite.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(38).unwrap().0;
    suite.truncate(end + 1);
    small.refused_with("regression_too_small");
}

#[test]
fn the_sample_follows_the_training_profile() {
    let training = Record::of_sample().rederive().unwrap().training;
    let mut adapter = AdapterSection {
        method: "lora".into(),
        rank: 16,
        alpha: "32".into(),
        dropout: "0.05".into(),
        scale: Scale { rule: "alpha/r".into(), value: "2".into() },
        modules: profile::MODULES.map(str::to_owned).to_vec(),
        layers: vec![0],
        coverage: BTreeMap::new(),
        dtype: "F32".into(),
        tensors: 14,
        parameters: 1,
        sha256: Digest::of(b""),
        semantic: Digest::of(b""),
    };
    let findings = profile::check(&training, &adapter);
    assert!(findings.is_empty(), "{findings:?}");
    adapter.rank = 8;
    let mut other = training.clone();
    other.settings.insert("learning_rate".into(), "0.0001".into());
    other.settings.remove("epochs");
    assert_eq!(profile::check(&other, &adapter).errors(), 3);
}
