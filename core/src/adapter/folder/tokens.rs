//! `added_tokens.json`: tokens that the base does not have would be lost, since tokenizers are left out.

use super::Entry;
use crate::base::BaseRecord;
use crate::digest::Digest;
use crate::json::{self, Limits, Value};
use crate::problem::{ADDED_TOKENS, Finding, Place};

/// Why this file may be left out: it is empty, or the base's own.
pub(super) fn known(entry: &Entry, base: Option<&BaseRecord>) -> Option<&'static str> {
    if entry.first_bytes.len() as u64 != entry.size {
        return None;
    }
    if json::parse(&entry.first_bytes, Limits::DOCUMENT) == Ok(Value::Object(Vec::new())) {
        return Some("an empty list of added tokens");
    }
    let own = base?.files.iter().find(|f| f.path == "added_tokens.json")?;
    (own.sha256 == Digest::of(&entry.first_bytes)).then_some("the base's own list of added tokens")
}

/// The refusal of any other such file.
pub(super) fn refusal(path: &str) -> Finding {
    Finding::new(
        ADDED_TOKENS,
        Place::file(path),
        "a list of added tokens that is not the base's own",
        "the tokenizer of the base, unchanged",
        "train without new tokens; if the list only repeats the base's own tokens, delete the file",
    )
}
