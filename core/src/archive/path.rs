//! Names of files: one canonical spelling that means the same file on every system.
//!
//! Refuses what would leave the folder, what two systems read differently, and what two names could share.
//! Clause: rule 3 of the ingest rules.

use std::collections::BTreeMap;

use super::fault::shown;
use crate::problem::{
    Code, DUPLICATE_PATH, Finding, PATH_ABSOLUTE, PATH_COLLISION, PATH_INVALID, PATH_NOT_CANONICAL, PATH_RESERVED,
    PATH_TOO_DEEP, PATH_TOO_LONG, PATH_TRAVERSAL, Place,
};

/// Most bytes of a name, which is what a plain ustar header holds.
pub const MAX_BYTES: usize = 100;
/// Most components of a name.
pub const MAX_LEVELS: usize = 4;

/// Device names that Windows opens whatever the extension is.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "conin", "conout", "clock"];

/// The first rule that `name` breaks, as the code and what was expected.
pub fn fault(name: &[u8]) -> Option<(Code, &'static str)> {
    if name.is_empty() {
        return Some((PATH_INVALID, "a name"));
    }
    if name.starts_with(b"/") {
        return Some((PATH_ABSOLUTE, "a name relative to the package"));
    }
    let components: Vec<&[u8]> = name.split(|b| matches!(b, b'/' | b'\\')).collect();
    if components.contains(&b"..".as_slice()) && !name.contains(&b'\\') {
        return Some((PATH_TRAVERSAL, "a name without `..`"));
    }
    if name.len() > MAX_BYTES {
        return Some((PATH_TOO_LONG, "a name of at most 100 bytes"));
    }
    if !name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/' | b' ')) {
        return Some((PATH_INVALID, "ASCII letters, digits, `.`, `_`, `-` and `/`"));
    }
    if components.iter().any(|c| c.is_empty() || *c == b".") {
        return Some((PATH_NOT_CANONICAL, "a name without empty or `.` components"));
    }
    if components.iter().any(|c| reserved(c)) {
        return Some((PATH_RESERVED, "a name that every system keeps as it is"));
    }
    if name.contains(&b' ') || components.iter().any(|c| c.starts_with(b".")) {
        return Some((PATH_INVALID, "ASCII letters, digits, `.`, `_`, `-` and `/`, no component beginning with a dot"));
    }
    if components.len() > MAX_LEVELS {
        return Some((PATH_TOO_DEEP, "at most four levels"));
    }
    None
}

fn reserved(component: &[u8]) -> bool {
    let lower = component.to_ascii_lowercase();
    let stem = lower.split(|b| *b == b'.').next().unwrap_or(&lower);
    let numbered = |prefix: &[u8]| stem.len() == 4 && stem.starts_with(prefix) && stem[3].is_ascii_digit();
    RESERVED.iter().any(|name| name.as_bytes() == stem)
        || numbered(b"com")
        || numbered(b"lpt")
        || lower.ends_with(b".")
        || lower.ends_with(b" ")
}

/// The rule that a path within a base repository breaks: as loose as the Hub is, but never out of the folder.
pub fn repository_fault(path: &str) -> Option<(Code, &'static str)> {
    if path.starts_with('/') {
        return Some((PATH_ABSOLUTE, "a path relative to the repository"));
    }
    let components: Vec<&str> = path.split('/').collect();
    if components.contains(&"..") {
        return Some((PATH_TRAVERSAL, "a path without `..`"));
    }
    if components.iter().any(|c| c.is_empty() || *c == ".") {
        return Some((PATH_NOT_CANONICAL, "a path without empty or `.` components"));
    }
    if path.len() > 512 {
        return Some((PATH_TOO_LONG, "a path of at most 512 bytes"));
    }
    if path.chars().any(|c| c.is_control() || matches!(c, '\\' | ':')) {
        return Some((PATH_INVALID, "a path without control characters, `\\` and `:`"));
    }
    None
}

/// The names seen so far, each component folded to lower case, to find two that could land on one file.
#[derive(Debug, Default)]
pub struct Seen {
    /// Folded prefix → (spelling, whether it is a file).
    prefixes: BTreeMap<String, (String, bool)>,
}

impl Seen {
    /// Adds a name; a finding when it is already there in any spelling.
    pub fn add(&mut self, name: &str) -> Option<Finding> {
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        for end in ends {
            let (prefix, is_file) = (&name[..end], end == name.len());
            let folded = prefix.to_ascii_lowercase();
            match self.prefixes.get(&folded) {
                None => {
                    self.prefixes.insert(folded, (prefix.to_owned(), is_file));
                }
                Some((spelling, file)) if spelling == prefix && !*file && !is_file => {}
                Some((spelling, file)) => {
                    let code = if spelling == prefix && *file && is_file { DUPLICATE_PATH } else { PATH_COLLISION };
                    return Some(Finding::new(
                        code,
                        Place::file(shown(name.as_bytes())),
                        format!("{} beside {}", shown(prefix.as_bytes()), shown(spelling.as_bytes())),
                        "names that differ on every system",
                        "keep one of the two",
                    ));
                }
            }
        }
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_code() {
        for good in ["README.md", "a/b/c/d", "adapter_model.safetensors", "console.json", "com10"] {
            assert_eq!(fault(good.as_bytes()), None, "{good}");
        }
        let long = "x".repeat(101);
        let cases: &[(&str, Code)] = &[
            ("", PATH_INVALID),
            ("../evil", PATH_TRAVERSAL),
            ("a/../../evil", PATH_TRAVERSAL),
            ("/tmp/evil", PATH_ABSOLUTE),
            ("C:\\evil", PATH_INVALID),
            ("..\\evil", PATH_INVALID),
            ("./a", PATH_NOT_CANONICAL),
            ("a//b", PATH_NOT_CANONICAL),
            ("a/", PATH_NOT_CANONICAL),
            ("café", PATH_INVALID),
            ("con.json", PATH_RESERVED),
            ("a/NUL", PATH_RESERVED),
            ("lpt1.txt", PATH_RESERVED),
            ("name.", PATH_RESERVED),
            ("name ", PATH_RESERVED),
            (" name", PATH_INVALID),
            (".git", PATH_INVALID),
            ("a\0b", PATH_INVALID),
            ("a/b/c/d/e", PATH_TOO_DEEP),
            (&long, PATH_TOO_LONG),
        ];
        for (name, code) in cases {
            assert_eq!(fault(name.as_bytes()).map(|f| f.0), Some(*code), "{name:?}");
        }
    }

    #[test]
    fn no_two_names_share_a_file() {
        let mut seen = Seen::default();
        assert!(seen.add("a/b").is_none() && seen.add("a/c").is_none());
        assert_eq!(seen.add("a/b").unwrap().code, DUPLICATE_PATH);
        assert_eq!(seen.add("A/d").unwrap().code, PATH_COLLISION);
        assert_eq!(seen.add("a").unwrap().code, PATH_COLLISION);
        assert_eq!(seen.add("a/b/c").unwrap().code, PATH_COLLISION);
    }
}
