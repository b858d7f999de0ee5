//! What a root says of the log: the name of its checkpoints, names that it had before, and its witnesses.
//!
//! `x-log` is absent when the log has the name of the registry, never had another, and nobody witnesses it.
//! Refuses names that cannot be key names of a signed note, and witnesses that are not exactly the keys of the role
//! `witness`. Clause: specification, section 8.

use serde::{Deserialize, Serialize};

use super::metadata::invalid;
use crate::problem::Finding;
use crate::sign::KeyId;

/// The longest name of a log or witness.
const MAX_NAME: usize = 200;
/// The most former origins.
const MAX_FORMER: usize = 64;

/// The member `x-log`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogNames {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<String>,
    pub(super) former: Vec<String>,
    pub(super) witnesses: Vec<WitnessName>,
}

/// A witness as the root names it. Its key stands in the role `witness`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WitnessName {
    pub(super) keyid: KeyId,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
}

impl LogNames {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The names that it gives: the current one first.
    pub(super) fn origins(&self) -> impl Iterator<Item = &str> {
        self.origin.iter().chain(&self.former).map(String::as_str)
    }

    pub(super) fn check(&self, keys: &[KeyId]) -> Result<(), Finding> {
        let origins: Vec<&str> = self.origins().collect();
        let names: Vec<&str> = self.witnesses.iter().map(|witness| witness.name.as_str()).collect();
        if let Some(bad) = origins.iter().chain(&names).find(|name| !is_name(name)) {
            return Err(invalid("x-log", &format!("{bad:?} as a name of a log or witness")));
        }
        if repeats(&origins) || repeats(&names) || names.iter().any(|name| origins.contains(name)) {
            return Err(invalid("x-log", "one name for two"));
        }
        if self.former.len() > MAX_FORMER || (self.origin.is_none() && !self.former.is_empty()) {
            return Err(invalid("x-log", "former origins without a current one, or too many of them"));
        }
        if self.witnesses.iter().map(|witness| witness.keyid).ne(keys.iter().copied()) {
            return Err(invalid("x-log", "witnesses that are not the keys of the role `witness`, in their order"));
        }
        let url = |url: &&String| !(url.starts_with("https://") || url.starts_with("http://")) || url.len() > 2048;
        match self.witnesses.iter().filter_map(|witness| witness.url.as_ref()).find(url) {
            Some(bad) => Err(invalid("x-log", &format!("{bad:?} as the address of a witness"))),
            None => Ok(()),
        }
    }
}

fn repeats(names: &[&str]) -> bool {
    names.iter().enumerate().any(|(n, name)| names[..n].contains(name))
}

/// Whether a signed note can have a signature under this name: no white space, no plus sign. A scheme is refused, so
/// that nobody writes the registry's address where the name of its log belongs.
fn is_name(name: &str) -> bool {
    let odd = |c: char| c == '+' || c.is_whitespace() || c.is_control();
    !name.is_empty() && name.len() <= MAX_NAME && !name.contains("://") && !name.ends_with('/') && !name.contains(odd)
}

/// The name of a log of which the root says none: the registry's address without scheme and trailing slash.
pub fn default_origin(registry_url: &str) -> String {
    let rest = registry_url.split_once("://").map_or(registry_url, |(_, rest)| rest);
    rest.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_signed_notes() {
        for good in ["127.0.0.1:8480", "registry.example/log", "log.example"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "a b", "a+b", "a\n", "https://r.example", "r.example/", &"x".repeat(201), "a\u{a0}b"] {
            assert!(!is_name(bad), "{bad}");
        }
        assert_eq!(default_origin("http://127.0.0.1:8480"), "127.0.0.1:8480");
        assert_eq!(default_origin("https://r.example/sub/"), "r.example/sub");
    }
}
