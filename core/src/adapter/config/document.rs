//! The document as such: small, strict JSON, one object, and that of PEFT LoRA.

use crate::json::{self, JsonErrorKind, Limits, Value};
use crate::problem::{
    CONFIG_BOM, CONFIG_DUPLICATE_KEY, CONFIG_INVALID_JSON, CONFIG_NOT_OBJECT, CONFIG_NOT_PEFT, CONFIG_NUL,
    CONFIG_TOO_DEEP, CONFIG_TOO_LARGE, Code, Finding, Findings, PEFT_TYPE_MISSING, PEFT_TYPE_UNSUPPORTED, Place, quote,
};

use super::MAX_BYTES;

const AGAIN: &str = "copy adapter_config.json again from where PEFT wrote it";

/// The members of the one object, when it configures LoRA.
pub(super) fn members(bytes: &[u8], place: &Place) -> Result<Vec<(String, Value)>, Findings> {
    let refuse = |code: Code, place: Place, found: String, expected: &str, next: &str| {
        Err(Findings::from(Finding::new(code, place, found, expected, next)))
    };
    if bytes.starts_with(b"version https://git-lfs") {
        let next = "run `git lfs pull` in the folder's repository";
        return refuse(CONFIG_INVALID_JSON, place.clone(), "a Git LFS pointer".into(), "a JSON object", next);
    }
    let value = match json::parse(bytes, Limits { bytes: MAX_BYTES, depth: 16 }) {
        Ok(value) => value,
        Err(error) => {
            let code = match &error.kind {
                JsonErrorKind::TooLarge(_) => CONFIG_TOO_LARGE,
                JsonErrorKind::ByteOrderMark => CONFIG_BOM,
                JsonErrorKind::TooDeep(_) => CONFIG_TOO_DEEP,
                JsonErrorKind::DuplicateKey(_) => CONFIG_DUPLICATE_KEY,
                JsonErrorKind::ControlCharacter(0) => CONFIG_NUL,
                JsonErrorKind::Unexpected(_) if bytes.get(error.at) == Some(&0) => CONFIG_NUL,
                _ => CONFIG_INVALID_JSON,
            };
            let line = bytes[..error.at.min(bytes.len())].split(|b| *b == b'\n').count() as u64;
            let place = place.clone().at_line(line).at_byte(error.at as u64);
            let found = if bytes.is_empty() { "no bytes".to_owned() } else { error.kind.to_string() };
            return refuse(code, place, found, "strict JSON in UTF-8, at most 64 KiB", AGAIN);
        }
    };
    let Value::Object(members) = value else {
        return refuse(CONFIG_NOT_OBJECT, place.clone(), value.kind().to_owned(), "a JSON object", AGAIN);
    };
    if let Some(key) = nul(&members) {
        let place = place.clone().at_field(key.replace('\0', ""));
        return refuse(CONFIG_NUL, place, "the character U+0000".into(), "text without NUL", AGAIN);
    }
    method(members, place)
}

/// A top-level key under which a NUL character stands, escaped or not.
fn nul(members: &[(String, Value)]) -> Option<&str> {
    fn holds(value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains('\0'),
            Value::Array(items) => items.iter().any(holds),
            Value::Object(members) => members.iter().any(|(k, v)| k.contains('\0') || holds(v)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    members.iter().find(|(k, v)| k.contains('\0') || holds(v)).map(|(k, _)| k.as_str())
}

/// Passes a configuration on whose `peft_type` is exactly `LORA`; says what anything else is.
fn method(members: Vec<(String, Value)>, place: &Place) -> Result<Vec<(String, Value)>, Findings> {
    let has = |key: &str| members.iter().any(|(k, _)| k == key);
    let place = place.clone().at_field("peft_type");
    let expected = "peft_type \"LORA\"";
    let found = members.iter().find(|(k, _)| k == "peft_type").map(|(_, v)| v);
    let finding = match found {
        Some(Value::String(method)) if method == "LORA" => return Ok(members),
        Some(Value::String(method)) => {
            let next = "train a LoRA adapter; other methods are not distributed here";
            Finding::new(PEFT_TYPE_UNSUPPORTED, place, quote(method), expected, next)
        }
        Some(Value::Null) | None if has("fine_tune_type") || has("lora_parameters") => Finding::new(
            PEFT_TYPE_MISSING,
            place,
            "no peft_type; this is the configuration that mlx-lm writes",
            expected,
            "convert the MLX adapter to PEFT first (its matrices are transposed and its scale is alpha/r)",
        ),
        Some(Value::Null) | None if has("config") && (has("model_class") || has("model_name")) => Finding::new(
            CONFIG_NOT_PEFT,
            place,
            "the configuration that AdapterHub writes under the same name",
            expected,
            "train with PEFT, or export the adapter to PEFT",
        ),
        Some(Value::Null) | None if has("architectures") || has("model_type") => Finding::new(
            CONFIG_NOT_PEFT,
            place,
            "the config.json of a model",
            expected,
            "give the adapter_config.json that save_pretrained wrote beside the weights",
        ),
        Some(Value::Null) | None if has("r") || has("lora_alpha") || has("target_modules") => {
            Finding::new(PEFT_TYPE_MISSING, place, "no peft_type", expected, AGAIN)
        }
        Some(Value::Null) | None => {
            Finding::new(CONFIG_NOT_PEFT, place, "no field of a PEFT configuration", expected, AGAIN)
        }
        Some(other) => Finding::new(PEFT_TYPE_UNSUPPORTED, place, other.kind(), expected, AGAIN),
    };
    Err(finding.into())
}
