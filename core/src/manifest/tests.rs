//! Every rule of the manifest, broken one at a time and all together.

use serde_json::{Value, json};

use super::*;
use crate::problem::{self, Code};

fn value() -> Value {
    serde_json::to_value(sample::manifest()).unwrap()
}

fn codes(bytes: &[u8]) -> Vec<(Code, String)> {
    let findings = Manifest::from_bytes(bytes).unwrap_err();
    findings.list().iter().map(|f| (f.code, f.place.field.clone().unwrap_or_default())).collect()
}

fn changed(pointer: &str, to: Value) -> Vec<u8> {
    let mut value = value();
    *value.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = to;
    serde_json_canonicalizer::to_vec(&value).unwrap()
}

#[test]
fn the_sample_comes_back() {
    let manifest = sample::manifest();
    let bytes = manifest.to_bytes().unwrap();
    assert_eq!(Manifest::from_bytes(&bytes).unwrap(), manifest);
    assert_eq!(manifest.digest().unwrap(), Digest::of(&bytes));
}

#[test]
fn each_field_is_needed_and_no_other_is_taken() {
    fn objects(value: &Value, at: &str, list: &mut Vec<(String, Vec<String>)>) {
        match value {
            Value::Object(members) if !at.ends_with("/coverage") && !at.ends_with("/settings") => {
                list.push((at.to_owned(), members.keys().cloned().collect()));
                members.iter().for_each(|(key, value)| objects(value, &format!("{at}/{key}"), list));
            }
            Value::Array(items) => items.iter().enumerate().for_each(|(n, v)| objects(v, &format!("{at}/{n}"), list)),
            _ => {}
        }
    }
    let mut list = Vec::new();
    objects(&value(), "", &mut list);
    assert!(list.len() > 15);
    for (at, keys) in list {
        for key in keys.iter().filter(|k| *k != "pieces") {
            let mut value = value();
            value.pointer_mut(&at).unwrap().as_object_mut().unwrap().remove(key);
            let bytes = serde_json_canonicalizer::to_vec(&value).unwrap();
            assert_eq!(codes(&bytes)[0].0, problem::MANIFEST_FIELD_MISSING, "{at}/{key}");
        }
        let mut value = value();
        value.pointer_mut(&at).unwrap()["zzz"] = json!(1);
        let bytes = serde_json_canonicalizer::to_vec(&value).unwrap();
        assert_eq!(codes(&bytes)[0].0, problem::MANIFEST_FIELD_UNKNOWN, "{at}");
    }
}

#[test]
fn each_value_has_its_rule() {
    use problem::{
        LICENCE_UNKNOWN, MANIFEST_FIELD_INVALID as INVALID, MANIFEST_FORMAT_UNKNOWN, MANIFEST_INCONSISTENT,
        PATH_ABSOLUTE, PATH_NOT_CANONICAL, PATH_TRAVERSAL,
    };
    let digest = Digest::of(b"other").to_string();
    let cases = [
        ("/format", json!("retoque-manifest/2"), MANIFEST_FORMAT_UNKNOWN),
        ("/format", json!(1), INVALID),
        ("/patch", json!("Acme/tiny-desk"), INVALID),
        ("/version", json!("v1.0.0"), INVALID),
        ("/version", json!("1.0.0+build"), INVALID),
        ("/base/commit", json!("main"), INVALID),
        ("/base/licence", json!("free as in beer"), LICENCE_UNKNOWN),
        ("/base/files", json!([]), INVALID),
        ("/base/files/0/path", json!("../config.json"), PATH_TRAVERSAL),
        ("/base/files/0/git_sha1", json!("0"), INVALID),
        ("/adapter/method", json!("dora"), INVALID),
        ("/adapter/rank", json!(0), INVALID),
        ("/adapter/rank", json!("16"), INVALID),
        ("/adapter/rank", json!(-1), INVALID),
        ("/adapter/alpha", json!("0"), INVALID),
        ("/adapter/alpha", json!("32.0"), INVALID),
        ("/adapter/alpha", json!("NaN"), INVALID),
        ("/adapter/dropout", json!("2"), INVALID),
        ("/adapter/tensors", json!(7), MANIFEST_INCONSISTENT),
        ("/adapter/layers", json!([0]), MANIFEST_INCONSISTENT),
        ("/adapter/layers", json!([1, 0]), INVALID),
        ("/adapter/modules", json!(["k_proj"]), MANIFEST_INCONSISTENT),
        ("/adapter/sha256", json!(digest), MANIFEST_INCONSISTENT),
        ("/adapter/sha256", json!("sha256:00"), INVALID),
        ("/files/0/path", json!("../README.md"), PATH_TRAVERSAL),
        ("/files/0/path", json!("/README.md"), PATH_ABSOLUTE),
        ("/files/0/path", json!("./README.md"), PATH_NOT_CANONICAL),
        ("/files/0/path", json!("setup.py"), INVALID),
        ("/files/0/size", json!(9_007_199_254_740_993u64), INVALID),
        ("/files/0/size", json!(9_007_199_254_740_992u64), INVALID),
        ("/files/2/pieces", json!([]), MANIFEST_INCONSISTENT),
        ("/files/2/pieces/0", json!(null), INVALID),
        ("/files/2/size", json!(10), MANIFEST_INCONSISTENT),
        ("/dataset/licence", json!("MIT OR Apache-2.0"), LICENCE_UNKNOWN),
        ("/dataset/source", json!("scraped"), INVALID),
        ("/dataset/rows", json!(99), MANIFEST_INCONSISTENT),
        ("/dataset/families", json!(9), MANIFEST_INCONSISTENT),
        ("/dataset/split/seed", json!(7), INVALID),
        ("/dataset/split/seed", json!("07"), INVALID),
        ("/training/settings", json!({"a b": "c"}), INVALID),
        ("/training/settings", json!({"a": 1}), INVALID),
        ("/evidence/state", json!("GREAT"), INVALID),
        ("/evidence/held_out/patched", json!(16), MANIFEST_INCONSISTENT),
        ("/evidence/introduced", json!(2), MANIFEST_INCONSISTENT),
        ("/evidence/allowance_points", json!(101), INVALID),
        ("/evidence/disabled_equals_base", json!("true"), INVALID),
    ];
    for (pointer, to, code) in cases {
        let found = codes(&changed(pointer, to.clone()));
        assert!(found.iter().any(|f| f.0 == code), "{pointer} {to}: {found:?}");
    }
}

#[test]
fn all_findings_come_together() {
    let mut value = value();
    value["version"] = json!("latest");
    value["evidence"]["state"] = json!("GREAT");
    value["extra"] = json!(1.5);
    let found = codes(serde_json::to_string_pretty(&value).unwrap().as_bytes());
    let fields: Vec<_> = found.iter().map(|f| f.1.as_str()).collect();
    assert!(["version", "evidence.state", "extra"].iter().all(|f| fields.contains(f)), "{found:?}");
}

#[test]
fn other_bytes_are_refused() {
    let good = sample::manifest().to_bytes().unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    let cases: [(String, Code); 6] = [
        (format!("{text}\n"), problem::MANIFEST_NOT_CANONICAL),
        (text.replacen(':', ": ", 1), problem::MANIFEST_NOT_CANONICAL),
        (text.replacen('{', r#"{"format":"x","#, 1), problem::MANIFEST_NOT_JSON),
        (text.replace("\"rank\":16", "\"rank\":16.0"), problem::MANIFEST_FIELD_INVALID),
        (text[..text.len() - 1].to_owned(), problem::MANIFEST_NOT_JSON),
        ("x".repeat(MAX_BYTES + 1), problem::MANIFEST_TOO_LARGE),
    ];
    for (bytes, code) in cases {
        let found = codes(bytes.as_bytes());
        assert!(found.iter().any(|f| f.0 == code), "{code}: {found:?}");
    }
}
