//! Private-key blocks, by their header alone: a block stays a secret when its end is missing, and line ends
//! arrive as escapes, as spaces, or not at all.

use super::{Hit, Rule};

/// Most characters between `BEGIN` and the dashes after it.
const LABEL: usize = 60;

pub(super) fn scan(text: &str, hits: &mut Vec<Hit>) {
    for (at, _) in text.match_indices("BEGIN") {
        let dashes_before = text[..at].trim_end_matches([' ', '\t']).ends_with("----");
        let after = &text[at + 5..];
        let end = after.bytes().take(LABEL).position(|b| b == b'-').filter(|end| after[*end..].starts_with("----"));
        let label = end.map(|end| &after[..end]);
        let names_private_key = label.is_some_and(|label| {
            label.contains("PRIVATE KEY")
                && label.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ')
        });
        if dashes_before && names_private_key {
            let body: String = after.chars().skip(LABEL / 2).take(40).collect();
            hits.push(Hit::new(Rule::PrivateKey, &format!("-----BEGIN{body}")));
        }
    }
    for (at, name) in text.match_indices("PuTTY-User-Key-File-") {
        let version = &text[at + name.len()..];
        if version.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(':') {
            hits.push(Hit::new(Rule::PrivateKey, name));
        }
    }
}
