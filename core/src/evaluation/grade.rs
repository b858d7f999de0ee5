//! The fixed grader: does an output pass for an expected answer, and if not, why not.
//!
//! Both sides lose Unicode `White_Space` at their ends, nothing else (zero-width characters, a byte-order
//! mark and NUL stay; no normalisation; code fences are never stripped). When the expected answer is a
//! strict JSON object or array, parsed values are compared: objects unordered, arrays ordered, numbers as
//! exact decimals, strings by code point. Otherwise the trimmed texts are. Clause: specification, section 5.

use std::collections::HashMap;

use serde::Serialize;

use crate::json::{self, JsonErrorKind, Limits, Value};

/// The name of this grader in manifests.
pub const GRADER: &str = "retoque-grader/1";

/// What the grader says of one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Grade {
    /// Whether it passes.
    pub passed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// Why an output does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Nothing but white space.
    Empty,
    /// Another text.
    TextDiffers,
    /// JSON, but another value.
    ValueDiffers,
    /// JSON inside a code fence.
    Fenced,
    /// Text where JSON was expected.
    NotJson,
    /// Text before or after the JSON.
    TextAround,
    /// More than one JSON document.
    TwoDocuments,
    /// JSON that breaks off.
    CutOff,
    /// JSON with the same key twice.
    DuplicateKey,
    /// JSON nested too deeply.
    TooDeep,
}

impl Reason {
    /// One sentence for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Empty => "the output is empty",
            Self::TextDiffers => "the text differs",
            Self::ValueDiffers => "the JSON value differs",
            Self::Fenced => "the JSON stands in a code fence",
            Self::NotJson => "the output is not JSON",
            Self::TextAround => "there is text before or after the JSON",
            Self::TwoDocuments => "there is more than one JSON document",
            Self::CutOff => "the JSON breaks off",
            Self::DuplicateKey => "a key stands twice in one object",
            Self::TooDeep => "the JSON is nested more than 64 levels deep",
        }
    }
}

/// Grades one output against the expected answer.
pub fn grade(expected: &str, output: &str) -> Grade {
    Expected::new(expected).grade(output)
}

/// An expected answer, parsed once for several outputs.
#[derive(Debug)]
pub struct Expected<'a> {
    text: &'a str,
    value: Option<Value>,
}

impl<'a> Expected<'a> {
    /// Prepares an expected answer.
    pub fn new(expected: &'a str) -> Self {
        let text = expected.trim();
        let value = structured(text).then(|| json::parse(text.as_bytes(), Limits::TEXT).ok()).flatten();
        Self { text, value }
    }

    /// Whether outputs are compared as parsed JSON.
    pub const fn is_json(&self) -> bool {
        self.value.is_some()
    }

    /// Grades one output.
    pub fn grade(&self, output: &str) -> Grade {
        let output = output.trim();
        let reason = match &self.value {
            Some(value) => compare_json(value, output),
            None if self.text == output => None,
            None if output.is_empty() => Some(Reason::Empty),
            None => Some(Reason::TextDiffers),
        };
        Grade { passed: reason.is_none(), reason }
    }
}

fn structured(text: &str) -> bool {
    text.starts_with(['{', '['])
}

fn compare_json(expected: &Value, output: &str) -> Option<Reason> {
    match json::parse(output.as_bytes(), Limits::TEXT) {
        Ok(value) if same(expected, &value) => None,
        Ok(_) => Some(Reason::ValueDiffers),
        Err(_) if output.is_empty() => Some(Reason::Empty),
        Err(_) if output.starts_with("```") => Some(Reason::Fenced),
        Err(error) => Some(match error.kind {
            JsonErrorKind::Trailing if structured(&output[error.at..]) => Reason::TwoDocuments,
            JsonErrorKind::Trailing => Reason::TextAround,
            JsonErrorKind::DuplicateKey(_) => Reason::DuplicateKey,
            JsonErrorKind::TooDeep(_) => Reason::TooDeep,
            JsonErrorKind::Incomplete if structured(output) => Reason::CutOff,
            _ if !structured(output) && output.ends_with(['}', ']']) => Reason::TextAround,
            _ => Reason::NotJson,
        }),
    }
}

/// Equality of values: objects without order, arrays in order, numbers as exact decimals.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let b: HashMap<&str, &Value> = b.iter().map(|(k, v)| (k.as_str(), v)).collect();
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k.as_str()).is_some_and(|other| same(v, other)))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y)),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_its_reason() {
        for (output, reason) in [
            ("", Reason::Empty),
            ("```json\n{\"a\":1}\n```", Reason::Fenced),
            ("{\"a\":1} {\"a\":1}", Reason::TwoDocuments),
            ("{\"a\":1} done", Reason::TextAround),
            ("It is {\"a\":1}", Reason::TextAround),
            ("{\"a\":", Reason::CutOff),
            ("{\"a\":1,\"\\u0061\":1}", Reason::DuplicateKey),
            ("{\"a\":2}", Reason::ValueDiffers),
            ("one", Reason::NotJson),
        ] {
            assert_eq!(grade("{\"a\":1}", output), Grade { passed: false, reason: Some(reason) }, "{output}");
        }
        assert_eq!(grade("a", "b").reason, Some(Reason::TextDiffers));
        assert_eq!(grade("{\"a\":1}", &"[".repeat(80)).reason, Some(Reason::TooDeep));
    }

    #[test]
    fn only_white_space_is_trimmed() {
        assert!(grade("yes", "\u{85}\u{2028}yes\u{1680}").passed);
        for kept in ['\u{feff}', '\u{200b}', '\u{2060}', '\u{180e}', '\0'] {
            assert!(!grade("yes", &format!("yes{kept}")).passed);
        }
    }
}
