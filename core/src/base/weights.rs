//! The weight files of a base: which they are, that they are complete, and the tensors they hold.

use std::collections::BTreeMap;

use super::measure::Measured;
use super::record::BaseTensor;
use crate::json::{self, Limits, Value};
use crate::problem::{BASE_FILE_MISSING, BASE_INDEX_MISMATCH, BASE_TENSOR_DUPLICATE, Finding, Findings, Place, quote};

/// The index that maps tensors to shards.
pub(super) const INDEX: &str = "model.safetensors.index.json";

const COMPLETE: &str = "download the snapshot again, whole";

/// Whether a file is one of those that a model is loaded from: `model.safetensors` or one of its shards.
/// Other containers in the repository are pinned as files only.
pub(super) fn is_weights(path: &str) -> bool {
    path == "model.safetensors" || shard(path).is_some()
}

/// Number and count of a shard: `model-00001-of-00003.safetensors`.
fn shard(path: &str) -> Option<(u32, u32)> {
    let digits = |t: &str| if t.len() == 5 && t.bytes().all(|b| b.is_ascii_digit()) { t.parse().ok() } else { None };
    let (number, count) = path.strip_prefix("model-")?.strip_suffix(".safetensors")?.split_once("-of-")?;
    Some((digits(number)?, digits(count)?))
}

/// The tensors of all weight files, sorted by name.
pub(super) fn tensors(files: &[Measured], findings: &mut Findings) -> Vec<BaseTensor> {
    let mut all: BTreeMap<&str, (&str, BaseTensor)> = BTreeMap::new();
    let weights: Vec<&Measured> = files.iter().filter(|f| f.header.is_some()).collect();
    if weights.is_empty() {
        let expected = "model.safetensors or its shards";
        let next = "record a base that is published as safetensors";
        findings.push(Finding::new(BASE_FILE_MISSING, Place::default(), "no safetensors weights", expected, next));
    }
    shards(&weights, findings);
    for file in weights {
        let path = file.file.path.as_str();
        for tensor in file.header.iter().flat_map(|h| &h.tensors) {
            let entry =
                BaseTensor { name: tensor.name.clone(), dtype: tensor.dtype.clone(), shape: tensor.shape.clone() };
            if let Some((other, _)) = all.insert(&tensor.name, (path, entry)) {
                findings.push(Finding::new(
                    BASE_TENSOR_DUPLICATE,
                    Place::file(path).at_tensor(tensor.name.clone()),
                    format!("a tensor that {other} holds too"),
                    "every tensor in one file",
                    COMPLETE,
                ));
            }
        }
    }
    if let Some(index) = files.iter().find(|f| f.file.path == INDEX) {
        check_index(index, &all, findings);
    }
    all.into_values().map(|(_, tensor)| tensor).collect()
}

/// Every shard of a numbered set is there.
fn shards(weights: &[&Measured], findings: &mut Findings) {
    let numbers: Vec<(u32, u32)> = weights.iter().filter_map(|f| shard(&f.file.path)).collect();
    let Some(&(_, count)) = numbers.first() else { return };
    let mut missing = (1..=count).filter(|n| !numbers.contains(&(*n, count)));
    if let Some(first) = missing.next() {
        let more = missing.count();
        let found = format!(
            "shard {first} of {count} missing{}",
            if more > 0 { format!(", and {more} more") } else { String::new() }
        );
        findings.push(Finding::new(BASE_FILE_MISSING, Place::default(), found, "all shards of the weights", COMPLETE));
    }
    if numbers.iter().any(|(_, n)| *n != count) {
        let found = "shards of different counts";
        findings.push(Finding::new(BASE_INDEX_MISMATCH, Place::default(), found, "one set of shards", COMPLETE));
    }
}

/// The index names exactly the tensors that the shards hold.
fn check_index(index: &Measured, all: &BTreeMap<&str, (&str, BaseTensor)>, findings: &mut Findings) {
    let mut refuse = |found: String, expected: &str| {
        findings.push(Finding::new(BASE_INDEX_MISMATCH, Place::file(INDEX), found, expected, COMPLETE));
    };
    let text = index.text.as_deref().unwrap_or_default();
    let value = match json::parse(text, Limits { bytes: 32 << 20, depth: 8 }) {
        Ok(value) => value,
        Err(error) => return refuse(error.to_string(), "strict JSON of at most 32 MiB"),
    };
    let Some(map) = value.get("weight_map").and_then(Value::as_object) else {
        return refuse("no weight_map".to_owned(), "a weight_map from tensor to file");
    };
    let mut told = 0;
    for (tensor, file) in map {
        let held = all.get(tensor.as_str()).map(|(path, _)| *path);
        if held != file.as_str() {
            told += 1;
            if told <= 10 {
                let place = held.map_or_else(|| "no file".to_owned(), str::to_owned);
                refuse(format!("{} in {place}", quote(tensor)), "the file that the index names");
            }
        }
    }
    if map.len() != all.len() {
        refuse(format!("{} tensors in the index, {} in the files", map.len(), all.len()), "the same tensors");
    }
}
