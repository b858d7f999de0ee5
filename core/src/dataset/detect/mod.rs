//! The scan for secrets, which block, and for likely personal data, which somebody has to acknowledge.
//!
//! Texts are scanned as decoded strings, and once more with one level of escapes undone. Before both,
//! full-width characters, Unicode spaces and dashes become their ASCII forms and zero-width characters go.
//! Base64, spelled-out and split values are not found. Time is linear in the text, whatever it holds. Clause: specification, section 4.

mod card;
mod email;
mod iban;
mod jwt;
mod numbers;
mod phone;
mod plain;
mod private_key;
mod rule;
mod sightings;
mod token;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub use rule::{Class, RULES_VERSION, Rule};
pub(crate) use sightings::Sightings;

/// One thing that the scan saw.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hit {
    /// Which rule saw it.
    pub rule: Rule,
    /// The value. Not for messages; see [`Hit::masked`].
    value: String,
}

impl Hit {
    pub(super) fn new(rule: Rule, value: &str) -> Self {
        Self { rule, value: value.to_owned() }
    }

    /// The beginning of the value: at most four characters, and at most a quarter of it.
    pub fn masked(&self) -> String {
        let shown = (self.value.chars().count() / 4).min(4);
        let mut masked: String = self.value.chars().take(shown).collect();
        masked.push('…');
        masked
    }
}

/// Everything that looks like a secret or like personal data.
pub fn scan(text: &str) -> Vec<Hit> {
    let readable = plain::readable(text);
    let mut hits = scan_once(&readable);
    if let Some(unescaped) = plain::unescaped(&readable) {
        let seen: HashSet<Hit> = hits.iter().cloned().collect();
        hits.extend(scan_once(&plain::readable(&unescaped)).into_iter().filter(|hit| !seen.contains(hit)));
    }
    hits
}

/// The gravest class of anything in a text.
pub fn verdict(text: &str) -> Option<Class> {
    scan(text).iter().map(|hit| hit.rule.class()).max()
}

/// Whether a text holds what looks like a secret.
pub fn has_secret(text: &str) -> bool {
    verdict(text) == Some(Class::Block)
}

fn scan_once(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    token::scan(text, &mut hits);
    private_key::scan(text, &mut hits);
    jwt::scan(text, &mut hits);
    email::scan(text, &mut hits);
    iban::scan(text, &mut hits);
    let runs = numbers::runs(text);
    card::scan(&runs, &mut hits);
    phone::scan(text, &runs, &mut hits);
    hits
}

/// The character before a byte position.
fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// The character at a byte position.
fn after(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}
