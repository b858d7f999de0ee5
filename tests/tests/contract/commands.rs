//! `dataset check`, `dataset split` and `grade`, as a user sees them.

use std::fs;

use serde_json::Value;

use crate::files::{case_path, tests_dir};
use crate::run::{json, retoque};

fn sample() -> String {
    tests_dir().join("fixtures/sample/dataset.jsonl").display().to_string()
}

#[test]
fn a_good_dataset_is_summed_up() {
    let run = retoque(&["dataset", "check", &sample(), "--json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let summary = json(&run.stdout);
    assert_eq!((summary["rows"].as_u64(), summary["blank_lines"].as_u64()), (Some(1323), Some(0)));
    assert_eq!(summary["sha256"], "sha256:f283672c13b4263dc596fb823919a487832b7bd42a78a34e7847a177df0c63c8");
    assert_eq!(summary["families"].as_object().unwrap().len(), 48);
}

#[test]
fn faults_stand_with_file_and_line() {
    let file = case_path("datasets/070-repeat.jsonl").display().to_string();
    let run = retoque(&["dataset", "check", &file]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("070-repeat.jsonl, line "), "{}", run.stderr);
    assert!(run.stderr.contains("repeated_pair") && run.stderr.contains("hint: "), "{}", run.stderr);
}

#[test]
fn personal_data_is_taken_by_the_digest_that_was_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.jsonl");
    let text = fs::read_to_string(sample()).unwrap().replacen("Dear team,", "Write to maria.keller@example.org,", 1);
    fs::write(&file, &text).unwrap();
    let path = file.display().to_string();
    let refused = retoque(&["dataset", "check", &path, "--json"]);
    assert_eq!(refused.status, 1);
    assert!(!refused.stdout.contains("maria.keller") && !refused.stdout.contains("example.org"), "{}", refused.stdout);
    let document = json(&refused.stdout);
    let digest = document["next"].as_str().unwrap().split(['`', ' ']).find(|w| w.starts_with("sha256:")).unwrap();
    let taken = retoque(&["dataset", "check", &path, "--acknowledge", digest, "--json"]);
    assert_eq!(taken.status, 0, "{}", taken.stdout);
    assert_eq!(json(&taken.stdout)["acknowledgement"], digest);
    fs::write(&file, text.replacen("delivery", "parcel", 1)).unwrap();
    assert_eq!(retoque(&["dataset", "check", &path, "--acknowledge", digest]).status, 1, "another file");
}

#[test]
fn the_split_is_printed_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("parts");
    let run = retoque(&["dataset", "split", &sample(), "--seed", "7", "--out", &out.display().to_string(), "--json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let stated: Value =
        serde_json::from_slice(&fs::read(tests_dir().join("fixtures/sample/split.json")).unwrap()).unwrap();
    let split = json(&run.stdout);
    for field in ["families", "row_counts", "lines"] {
        assert_eq!(split[field], stated[field], "{field}");
    }
    assert_eq!(split["control_lines"], serde_json::json!([30, 25, 1007]));
    let rows = |part: &str| fs::read_to_string(out.join(part)).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    let all: Vec<String> = fs::read_to_string(sample()).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(rows("held_out.jsonl")[1], all[11]);
    let mut parts = [rows("held_out.jsonl"), rows("validation.jsonl"), rows("train.jsonl")].concat();
    parts.sort();
    let mut sorted = all;
    sorted.sort();
    assert_eq!(parts, sorted);
    assert_eq!(retoque(&["dataset", "split", &sample(), "--seed", "07"]).status, 2);
}

#[test]
fn grades_say_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pairs.jsonl");
    fs::write(
        &file,
        "{\"expected\":\"{\\\"a\\\":1}\",\"output\":\"{\\\"a\\\":1.0}\"}\n{\"expected\":\"a\",\"output\":\"b\"}\n",
    )
    .unwrap();
    let path = file.display().to_string();
    let run = retoque(&["grade", &path]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1  pass\n") && run.stdout.contains("2  fail: the text differs"), "{}", run.stdout);
    let document = json(&retoque(&["grade", &path, "--json"]).stdout);
    assert_eq!((document["cases"].as_u64(), document["passed"].as_u64()), (Some(2), Some(1)));
    assert_eq!(document["lines"][1]["reason"], "text_differs");
    fs::write(&file, "{\"expected\":\"a\"}\n").unwrap();
    assert_eq!(retoque(&["grade", &path]).status, 1);
}
