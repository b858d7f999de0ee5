#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::problem::{
    BASE_FILE_INVALID, BASE_FILE_MISSING, BASE_INDEX_MISMATCH, BASE_RECORD_INVALID, BASE_TENSOR_DUPLICATE, Code,
};

const CONFIG: &str = r#"{"model_type":"qwen2","num_hidden_layers":1,"hidden_size":2}"#;

fn weights(names: &[&str]) -> Vec<u8> {
    let entries: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(i, n)| format!(r#""{n}":{{"dtype":"U8","shape":[2],"data_offsets":[{},{}]}}"#, i * 2, i * 2 + 2))
        .collect();
    let header = format!("{{{}}}", entries.join(","));
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(vec![7; names.len() * 2]);
    bytes
}

fn build(files: &[(&str, &[u8])]) -> Result<BaseRecord, Vec<Code>> {
    let pin = format!("acme/tiny@{}", "7".repeat(40)).parse().unwrap();
    let mut builder = Builder::new(pin, "Apache-2.0".to_owned());
    let codes = |f: crate::problem::Findings| f.list().iter().map(|f| f.code).collect::<Vec<_>>();
    for (path, bytes) in files {
        builder.add(measure(path, bytes.len() as u64, *bytes, |_| {}).map_err(codes)?);
    }
    builder.finish().map_err(codes)
}

fn whole() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("tokenizer.json", b"{}".to_vec()),
        ("config.json", CONFIG.as_bytes().to_vec()),
        ("model.safetensors", weights(&["b.weight", "a.weight"])),
        ("README.md", b"x".to_vec()),
    ]
}

fn build_owned(files: &[(&str, Vec<u8>)]) -> Result<BaseRecord, Vec<Code>> {
    build(&files.iter().map(|(p, b)| (*p, b.as_slice())).collect::<Vec<_>>())
}

#[test]
fn a_record_has_one_form() {
    let record = build_owned(&whole()).unwrap();
    let names: Vec<_> = record.tensors.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a.weight", "b.weight"]);
    assert_eq!(record.files[0].git_sha1, "c1b0730e0133447badcfd47fd144e254807b06e1");
    let bytes = record.to_bytes().unwrap();
    assert_eq!(BaseRecord::from_bytes(&bytes).unwrap(), record);
    let text = String::from_utf8(bytes).unwrap();
    for (from, to) in [
        ("\"layers\":1", "\"layers\":0"),
        ("\"layers\":1", "\"layers\": 1"),
        ("\"layers\":1", "\"extra\":1,\"layers\":1"),
        ("README.md", "../README.md"),
        ("README.md", "zREADME.md"),
        ("retoque-base/1", "retoque-base/2"),
        ("Apache-2.0", "two words"),
        ("\"U8\"", "\"X8\""),
        ("a.weight", "b.weight"),
        (&record.tokenizer.hex(), &"0".repeat(64)),
    ] {
        assert!(text.contains(from), "{from}");
        let refused = BaseRecord::from_bytes(text.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(refused.has(BASE_RECORD_INVALID), "{from} -> {to}");
    }
}

#[test]
fn snapshots_that_are_not_whole() {
    for missing in ["tokenizer.json", "config.json", "model.safetensors"] {
        let files: Vec<_> = whole().into_iter().filter(|(p, _)| *p != missing).collect();
        assert_eq!(build_owned(&files).unwrap_err(), [BASE_FILE_MISSING], "{missing}");
    }
    let with = |path: &'static str, bytes: &[u8]| {
        let mut files: Vec<_> = whole().into_iter().filter(|(p, _)| *p != path).collect();
        files.push((path, bytes.to_vec()));
        build_owned(&files).unwrap_err()
    };
    assert_eq!(with("config.json", b"{\"model_type\":\"x\"}"), [BASE_FILE_INVALID, BASE_FILE_INVALID]);
    assert_eq!(with("a\\b", b""), [BASE_FILE_INVALID]);
    assert_eq!(with("../a", b""), [BASE_FILE_INVALID]);
    let shard = weights(&["a.weight"]);
    assert!(with("model-00001-of-00002.safetensors", &shard).contains(&BASE_TENSOR_DUPLICATE));
    assert!(with("model-00001-of-00002.safetensors", &shard).contains(&BASE_FILE_MISSING));
}

#[test]
fn shards_and_index_agree() {
    let with = |index: &str| {
        build_owned(&[
            ("tokenizer.json", b"{}".to_vec()),
            ("config.json", CONFIG.as_bytes().to_vec()),
            ("model-00001-of-00002.safetensors", weights(&["a"])),
            ("model-00002-of-00002.safetensors", weights(&["b"])),
            ("model.safetensors.index.json", index.as_bytes().to_vec()),
        ])
    };
    let good = r#"{"metadata":{"total_size":4},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}"#;
    assert_eq!(with(good).unwrap().tensors.len(), 2);
    for bad in [
        "{}",
        "[",
        &good.replace("00002-of", "00001-of"),
        &good.replace("\"b\":\"model", "\"c\":\"model"),
        r#"{"weight_map":{"a":"model-00001-of-00002.safetensors"}}"#,
    ] {
        assert!(with(bad).unwrap_err().contains(&BASE_INDEX_MISMATCH), "{bad}");
    }
}
