//! Where the cases and vectors lie, and how they are read.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The `tests` folder of the project.
pub fn tests_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A path under `tests/cases`.
pub fn case_path(relative: &str) -> PathBuf {
    tests_dir().join("cases").join(relative)
}

/// The cases of one file of `tests/vectors`; there is at least one.
pub fn vectors(name: &str) -> Vec<Value> {
    let path = tests_dir().join("vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let Value::Object(mut file) = serde_json::from_str(&text).unwrap() else { panic!("{name} is not an object") };
    let Some(Value::Array(cases)) = file.remove("cases") else { panic!("{name} has no cases") };
    assert!(!cases.is_empty(), "{name} has no cases");
    cases
}

/// The digits of a whole number, written as a number or as a string.
pub fn whole_number(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The rows of a tab-separated file under `tests/cases`, padded to the columns of its header; there is at
/// least one.
pub fn table(relative: &str) -> Vec<Vec<String>> {
    let path = case_path(relative);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let columns = lines.next().unwrap().split('\t').count();
    let rows: Vec<Vec<String>> = lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let mut row: Vec<String> = line.split('\t').map(str::to_owned).collect();
            row.resize(row.len().max(columns), String::new());
            row
        })
        .collect();
    assert!(!rows.is_empty(), "{relative} has no rows");
    rows
}
