//! The digest over the tokenizer and chat template of a base.

use std::collections::BTreeMap;

use crate::canonical::{self, CanonicalError};
use crate::digest::Digest;
use crate::manifest::BaseFile;

const NAMES: &[&str] = &[
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "chat_template.jinja",
    "chat_template.json",
];

/// Whether a file takes part in turning text into tokens.
pub(super) fn is_tokenizer(path: &str) -> bool {
    if let Some(template) = path.strip_prefix("additional_chat_templates/") {
        return !template.contains('/');
    }
    let end = |end: &str| path.len() > end.len() && path.ends_with(end);
    !path.contains('/') && (NAMES.contains(&path) || end(".model") || end(".tiktoken"))
}

/// Digest of the canonical object from path to SHA-256 of all tokenizer files and chat templates.
pub fn tokenizer_digest(files: &[BaseFile]) -> Result<Digest, CanonicalError> {
    let map: BTreeMap<&str, Digest> =
        files.iter().filter(|f| is_tokenizer(&f.path)).map(|f| (f.path.as_str(), f.sha256)).collect();
    Ok(Digest::of(&canonical::to_vec(&map)?))
}
