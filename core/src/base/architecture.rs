//! What the base's `config.json` says of its architecture.

use super::measure::Measured;
use super::record::Architecture;
use crate::json::{self, Limits, Value};
use crate::problem::{BASE_FILE_INVALID, BASE_FILE_MISSING, Finding, Findings, Place};

/// The facts, from the top level or from `text_config`, where models of several inputs keep them.
pub(super) fn read(files: &[Measured], findings: &mut Findings) -> Option<Architecture> {
    let place = Place::file("config.json");
    let Some(file) = files.iter().find(|f| f.file.path == "config.json") else {
        let next = "download the snapshot again, whole";
        findings.push(Finding::new(BASE_FILE_MISSING, place, "no config.json", "the configuration of the base", next));
        return None;
    };
    let mut refuse = |place: Place, found: String, expected: &str| {
        let next = "record a base whose config.json says so";
        findings.push(Finding::new(BASE_FILE_INVALID, place, found, expected, next));
    };
    let text = file.text.as_deref().unwrap_or_default();
    let config = match json::parse(text, Limits { bytes: 1 << 20, depth: 32 }) {
        Ok(config) => config,
        Err(error) => {
            refuse(place, error.to_string(), "strict JSON of at most 1 MiB");
            return None;
        }
    };
    let look = |names: &[&str]| {
        let inner = config.get("text_config");
        names.iter().find_map(|n| config.get(n).or_else(|| inner?.get(n))).cloned()
    };
    let number = |names: &[&str]| look(names)?.as_number()?.as_u64().filter(|n| *n > 0);
    let model_type = look(&["model_type"]).and_then(|v| v.as_str().map(str::to_owned)).filter(|t| plain(t));
    let layers = number(&["num_hidden_layers", "n_layer", "num_layers"]);
    let hidden_size = number(&["hidden_size", "n_embd", "d_model"]);
    for (absent, field) in [
        (model_type.is_none(), "model_type"),
        (layers.is_none(), "num_hidden_layers"),
        (hidden_size.is_none(), "hidden_size"),
    ] {
        if absent {
            let found = config.get(field).map_or("no such field", Value::kind).to_owned();
            refuse(place.clone().at_field(field), found, "a model type, or a number above 0");
        }
    }
    Some(Architecture { model_type: model_type?, layers: layers?, hidden_size: hidden_size? })
}

/// A model type as libraries write it.
pub(super) fn plain(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}
