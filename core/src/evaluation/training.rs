//! `training.json`: the recorded training, as flat settings for the manifest.
//!
//! Settings stand in the object `adapter`, or at the top. Numbers become plain decimals, lists are joined by
//! commas, members of objects get dotted names. A setting that holds a local path is left out and named:
//! paths and user names never reach a package.

use std::collections::BTreeMap;

use super::record::TRAINING_BYTES;
use crate::dataset::{Seed, detect};
use crate::digest::Digest;
use crate::json::{Limits, Value, parse};
use crate::manifest::{TrainingSection, setting};
use crate::problem::{
    Finding, Findings, Place, RECORD_DISAGREES, RECORD_FIELD, RECORD_NOT_JSON, SECRET_FOUND, TRAINING_SETTING_LEFT_OUT,
};

/// The name of the file.
pub(crate) const FILE: &str = "training.json";
const SETTINGS_MOST: usize = 200;

/// Reads the settings. `train_rows`: the rows of the train part, which is all that training may read.
pub(crate) fn section(bytes: &[u8], train_rows: u64, findings: &mut Findings) -> Option<TrainingSection> {
    let document = match parse(bytes, Limits { bytes: TRAINING_BYTES, depth: 16 }) {
        Ok(document @ Value::Object(_)) => document,
        Ok(other) => {
            findings.push(wrong("", other.kind(), "an object"));
            return None;
        }
        Err(error) => {
            let place = Place::file(FILE).at_byte(error.at as u64);
            let next = "write the file with a JSON library";
            findings.push(Finding::new(RECORD_NOT_JSON, place, error.kind.to_string(), "one strict JSON object", next));
            return None;
        }
    };
    let source = match document.get("adapter") {
        Some(adapter @ Value::Object(_)) => adapter,
        _ => &document,
    };
    let mut settings = BTreeMap::new();
    flatten("", source, &mut settings, findings);
    if settings.len() > SETTINGS_MOST {
        findings.push(wrong("", &format!("{} settings", settings.len()), "at most 200 settings"));
    }
    if let Some(rows) = settings.get("train_rows").filter(|rows| **rows != train_rows.to_string()) {
        let next = "train on the rows of the train part and no others";
        let place = Place::file(FILE).at_field("train_rows");
        let found = rows.chars().take(40).collect::<String>();
        findings.push(Finding::new(RECORD_DISAGREES, place, found, train_rows.to_string(), next));
    }
    let seed = settings.remove("seed").or_else(|| scalar(document.get("seed")?));
    settings.retain(|name, value| publishable(name, value, findings));
    let Some(seed) = seed.and_then(|seed| seed.parse::<Seed>().ok()) else {
        findings.push(wrong("seed", "no seed", "the seed of the training, a whole number"));
        return None;
    };
    Some(TrainingSection { record: Digest::of(bytes), seed: seed.to_string(), settings })
}

fn wrong(field: &str, found: &str, expected: &str) -> Finding {
    let place = if field.is_empty() { Place::file(FILE) } else { Place::file(FILE).at_field(field) };
    Finding::new(RECORD_FIELD, place, found, expected, "record the settings of the training that was run")
}

fn publishable(name: &str, value: &str, findings: &mut Findings) -> bool {
    let place = Place::file(FILE).at_field(name.chars().take(80).collect::<String>());
    if detect::has_secret(value) || detect::has_secret(name) {
        let next = "remove it from the file, and make the key invalid";
        findings.push(Finding::new(SECRET_FOUND, place, "what looks like a secret", "settings", next));
        return false;
    }
    if is_path(value) {
        let next = "nothing to do; the setting stays in the private record";
        findings.push(Finding::new(
            TRAINING_SETTING_LEFT_OUT,
            place,
            "a local path",
            "a value that may be public",
            next,
        ));
        return false;
    }
    let mut refuse = |found: &str, expected: &str| {
        findings.push(wrong(&name.chars().take(80).collect::<String>(), found, expected));
    };
    let (named, holds) = (setting::is_name(name), setting::is_value(value));
    if !named {
        refuse("another name", setting::NAME);
    }
    if !holds && value.chars().any(char::is_control) {
        refuse("a control character in the value", setting::VALUE);
    } else if !holds {
        refuse(&format!("a value of {} characters", value.chars().count()), setting::VALUE);
    }
    named && holds
}

/// Whether any word of the text looks like a path on some machine.
fn is_path(text: &str) -> bool {
    text.split([',', ' ', '"', '\'', '=']).any(|word| {
        let drive = word.as_bytes();
        word.starts_with(['/', '~'])
            || word.starts_with("./")
            || word.starts_with("../")
            || word.starts_with("file:")
            || word.contains("/home/")
            || word.contains("/Users/")
            || word.contains('\\')
            || (drive.len() > 2
                && drive[0].is_ascii_alphabetic()
                && drive[1] == b':'
                && matches!(drive[2], b'/' | b'\\'))
    })
}

fn flatten(prefix: &str, value: &Value, settings: &mut BTreeMap<String, String>, findings: &mut Findings) {
    if let Value::Object(members) = value {
        for (name, member) in members {
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            flatten(&name, member, settings, findings);
        }
    } else if let Some(text) = scalar(value).filter(|text| !text.is_empty())
        && settings.insert(prefix.to_owned(), text).is_some()
    {
        let found = "the same dotted name a second time";
        findings.push(wrong(&prefix.chars().take(80).collect::<String>(), found, "each setting once"));
    }
}

/// A value that is no object, as text; nothing for null. An empty one says nothing either.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Object(_) => None,
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_plain_decimal().unwrap_or_else(|| number.text().to_owned())),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => Some(items.iter().filter_map(scalar).collect::<Vec<_>>().join(",")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn settings_are_flat_text() {
        let mut findings = Findings::new();
        let bytes = br#"{"adapter":{"r":16,"learning_rate":2e-4,"modules":["a","b"],"x":{"y":true},"seed":7,
            "out":"/home/someone/run"},"device":"cpu"}"#;
        let section = section(bytes, 10, &mut findings).unwrap();
        let pairs: Vec<_> = section.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("learning_rate", "0.0002"), ("modules", "a,b"), ("r", "16"), ("x.y", "true")]);
        assert_eq!(section.seed, "7");
        assert!(findings.has(TRAINING_SETTING_LEFT_OUT) && !findings.refused());
        assert!(!format!("{findings:?}").contains("someone"));
    }

    #[test]
    fn what_no_manifest_takes_is_refused_here_and_all_at_once() {
        use crate::problem::Code;
        let long = "x".repeat(201);
        let document = serde_json::json!({"adapter": {
            "Learning-Rate": "1", "note": long, "two": "a\nb", "x.y": 1, "x": {"y": 2}, "n".repeat(65): 1, "empty": "",
            "none": [], "fits": "x".repeat(200), "z".repeat(64): "1",
        }});
        let mut findings = Findings::new();
        assert!(section(document.to_string().as_bytes(), 10, &mut findings).is_none());
        let list: Vec<(Code, String)> =
            findings.list().iter().map(|f| (f.code, f.place.field.clone().unwrap_or_default())).collect();
        for field in ["Learning-Rate", "note", "two", "x.y", &"n".repeat(65), "seed"] {
            assert!(list.contains(&(RECORD_FIELD, field.to_owned())), "{field}: {list:?}");
        }
        assert_eq!(list.len(), 6, "{list:?}");
    }

    #[test]
    fn what_passes_fits_into_a_manifest() {
        let mut findings = Findings::new();
        let document =
            serde_json::json!({"seed": 1, "fits": "x".repeat(200), "z".repeat(64): "1", "empty": "", "n": null});
        let training = section(document.to_string().as_bytes(), 10, &mut findings).unwrap();
        assert_eq!((training.settings.len(), findings.list().len()), (2, 0));
        let manifest = crate::manifest::Manifest { training, ..crate::manifest::sample::manifest() };
        crate::manifest::Manifest::from_bytes(&manifest.to_bytes().unwrap()).unwrap();
    }

    #[test]
    fn other_rows_and_no_seed_are_refused() {
        let mut findings = Findings::new();
        assert!(section(br#"{"seed":1,"train_rows":11}"#, 10, &mut findings).is_some());
        assert!(findings.has(RECORD_DISAGREES));
        let mut findings = Findings::new();
        assert!(section(br#"{"seed":1.5}"#, 10, &mut findings).is_none());
        assert!(findings.has(RECORD_FIELD));
    }
}
