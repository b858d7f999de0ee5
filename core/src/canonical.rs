//! Canonical JSON (RFC 8785), limited to integers up to 2^53, and the check that bytes are in that form.
//!
//! Documents are signed and digested as the bytes they were stored with; the check exists so that a
//! document has only one such form, never so that it could be written again.

use serde::Serialize;

use crate::json::{self, Limits, Value};

/// Why a value has no canonical form here, or bytes are not in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// The value cannot be written.
    #[error("cannot be written as canonical JSON: {0}")]
    Unwritable(String),
    /// The bytes are not JSON at all.
    #[error(transparent)]
    Json(#[from] json::JsonError),
    /// A number that is not an integer within ±2^53.
    #[error("numbers in canonical documents are integers up to 2^53; found {0}")]
    Number(String),
    /// JSON, but in another form.
    #[error("not in canonical form (RFC 8785): first difference at byte {0}")]
    NotCanonical(usize),
}

/// The largest integer that every JSON reader keeps exactly.
pub const MAX_INTEGER: u64 = 1 << 53;

/// Writes `value` in canonical form.
pub fn to_vec<T: Serialize>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let bytes = serde_json_canonicalizer::to_vec(value).map_err(|e| CanonicalError::Unwritable(e.to_string()))?;
    integers_only(&json::parse(&bytes, Limits::DOCUMENT)?)?;
    Ok(bytes)
}

/// Checks that `bytes` are exactly the canonical form of the JSON they hold.
pub fn check(bytes: &[u8], limits: Limits) -> Result<(), CanonicalError> {
    integers_only(&json::parse(bytes, limits)?)?;
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|e| CanonicalError::Unwritable(e.to_string()))?;
    let again = serde_json_canonicalizer::to_vec(&value).map_err(|e| CanonicalError::Unwritable(e.to_string()))?;
    if again == bytes {
        return Ok(());
    }
    let at = again.iter().zip(bytes).position(|(a, b)| a != b).unwrap_or_else(|| again.len().min(bytes.len()));
    Err(CanonicalError::NotCanonical(at))
}

fn integers_only(value: &Value) -> Result<(), CanonicalError> {
    match value {
        Value::Number(number) => match number.text().parse::<i64>() {
            Ok(n) if n.unsigned_abs() <= MAX_INTEGER && number.text() != "-0" => Ok(()),
            _ => Err(CanonicalError::Number(number.text().chars().take(40).collect())),
        },
        Value::Array(items) => items.iter().try_for_each(integers_only),
        Value::Object(members) => members.iter().try_for_each(|(_, v)| integers_only(v)),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canonical_bytes_pass() {
        let good = to_vec(&serde_json::json!({"b": 1, "a": ["é", null, true]})).unwrap();
        assert_eq!(good, "{\"a\":[\"é\",null,true],\"b\":1}".as_bytes());
        assert_eq!(check(&good, Limits::DOCUMENT), Ok(()));
        for bad in [r#"{"b":1,"a":2}"#, r#"{"a": 1}"#, "{\"a\":1}\n", r#"{"a":"\u0041"}"#] {
            assert!(matches!(check(bad.as_bytes(), Limits::DOCUMENT), Err(CanonicalError::NotCanonical(_))), "{bad}");
        }
        for bad in [r#"{"a":1.0}"#, r#"{"a":1e3}"#, r#"{"a":9007199254740993}"#, r#"{"a":-0}"#] {
            assert!(matches!(check(bad.as_bytes(), Limits::DOCUMENT), Err(CanonicalError::Number(_))), "{bad}");
        }
    }
}
