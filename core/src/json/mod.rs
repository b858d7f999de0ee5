//! Strict JSON (RFC 8259 and I-JSON): what every reader agrees on, and nothing else.
//!
//! Refuses duplicate keys (compared after their escapes are decoded), NaN and Infinity, lone surrogates,
//! a byte-order mark, raw control characters, anything after the value, and nesting or size beyond the
//! given limits. Numbers stay exact decimal text ([`Number`]). Clauses: specification, sections 2, 3 and 5.

mod number;
mod parse;

pub use number::Number;
pub use parse::parse;

use serde::de::DeserializeOwned;

/// How large and how deep a document may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most bytes.
    pub bytes: usize,
    /// Most levels of arrays and objects.
    pub depth: usize,
}

impl Limits {
    /// For our own documents: 4 MiB, 32 levels.
    pub const DOCUMENT: Self = Self { bytes: 4 << 20, depth: 32 };
    /// For answers that are graded and rows of datasets: 64 levels.
    pub const TEXT: Self = Self { bytes: 20_000_000, depth: 64 };
}

/// A parsed value. Objects keep the order in which they were written; their keys are unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&[(String, Value)]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The exact number.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// What kind of value it is, as a noun for messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// Why bytes are not strict JSON, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {at}")]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// The offset of the first byte that is wrong, from 0.
    pub at: usize,
}

/// What is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// More bytes than allowed.
    #[error("more than {0} bytes")]
    TooLarge(usize),
    /// Not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// Begins with U+FEFF.
    #[error("a byte-order mark")]
    ByteOrderMark,
    /// Ends in the middle of a value.
    #[error("the text ends inside a value")]
    Incomplete,
    /// Something else than the grammar allows here.
    #[error("unexpected {0}")]
    Unexpected(String),
    /// Text after the value.
    #[error("more text after the value")]
    Trailing,
    /// The same key twice in one object.
    #[error("the key {0:?} a second time")]
    DuplicateKey(String),
    /// A `\uD800`-style escape without its other half.
    #[error("a lone surrogate escape")]
    LoneSurrogate,
    /// A raw control character inside a string.
    #[error("a raw control character U+{0:04X} in a string")]
    ControlCharacter(u32),
    /// Too many levels.
    #[error("more than {0} levels of nesting")]
    TooDeep(usize),
    /// Strict JSON, but not the shape that was asked for.
    #[error("{0}")]
    Shape(String),
}

/// Parses strictly and then into `T`. `T` should carry `#[serde(deny_unknown_fields)]`.
///
/// The strict pass comes first, so the second parser only sees text on which all parsers agree.
pub fn decode<T: DeserializeOwned>(bytes: &[u8], limits: Limits) -> Result<T, JsonError> {
    parse(bytes, limits)?;
    serde_json::from_slice(bytes).map_err(|e| JsonError {
        at: offset_of(bytes, e.line(), e.column()),
        kind: JsonErrorKind::Shape(shape_message(&e)),
    })
}

fn shape_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

fn offset_of(bytes: &[u8], line: usize, column: usize) -> usize {
    let before: usize = bytes.split_inclusive(|b| *b == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)).min(bytes.len())
}
