//! `patches.toml`: what a project wants.
//!
//! ```toml
//! registry = "https://registry.example.org"     # may be left out: the configured one
//!
//! [patches]
//! "acme/tiny-desk" = "^1.2"
//! "acme/ledger" = { version = "1.0.0", digest = "sha256:…", dir = "adapters/ledger", allow-degraded = true }
//! ```

use std::collections::BTreeMap;

use retoque_core::digest::Digest;
use retoque_core::id::{PatchName, Version};
use retoque_core::problem::{Findings, WANTS_INVALID};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::entry::Reading;
use super::place::WANTS;
use crate::config::RegistryUrl;
use crate::error::Failure;
use crate::reference::{Reference, Selector};

const VERSION: &str = "a version such as \"1.2.0\", a range such as \"^1.2\", or \"*\"";
const TABLE: &str = "version, digest, dir and allow-degraded, and no other";
const NEXT: &str = "correct the line; docs/format/lock.md has the format";

/// What a project wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    /// The registry, when the file names one.
    pub registry: Option<RegistryUrl>,
    /// The entries, by name.
    pub list: Vec<Want>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// The patch.
    pub patch: PatchName,
    /// Which version: an exact one, a range, or any.
    pub selector: Selector,
    /// The manifest digest that it must have.
    pub digest: Option<Digest>,
    /// Its folder, below the folder of the project.
    pub dir: Option<String>,
    /// Whether a version with DEGRADED evidence may be chosen.
    pub allow_degraded: bool,
    /// Where it stands, from 1.
    pub line: u64,
}

impl Wants {
    /// Reads the file. All faults are reported together.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let (mut reading, table) = Reading::begin(text, WANTS, WANTS_INVALID, NEXT)?;
        let mut wants = Self::default();
        for (key, value) in &table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("registry", _) => wants.registry = registry(&mut reading, value),
                ("patches", DeValue::Table(patches)) => wants.list = list(&mut reading, patches),
                ("patches", other) => reading.fault(&value.span(), other.type_str(), "a table: [patches]"),
                _ => reading.unknown(key, "registry or [patches]; entries stand under [patches]"),
            }
        }
        wants.list.sort_by(|a, b| a.patch.cmp(&b.patch));
        reading.finish(wants)
    }

    /// The entry of a patch.
    pub fn get(&self, patch: &PatchName) -> Option<&Want> {
        self.list.iter().find(|want| want.patch == *patch)
    }
}

impl Want {
    /// The entry as a reference.
    pub fn reference(&self) -> Reference {
        Reference { patch: self.patch.clone(), selector: self.selector.clone() }
    }

    /// Whether this version is what the entry wants.
    pub fn admits(&self, version: &Version, digest: Digest) -> bool {
        self.admits_version(version) && self.digest.is_none_or(|wanted| wanted == digest)
    }

    /// Whether a version of this number is what the entry wants, whatever its digest.
    pub fn admits_version(&self, version: &Version) -> bool {
        match &self.selector {
            Selector::Newest | Selector::Digest(_) => true,
            Selector::Range(range) => !version.is_prerelease() && range.matches(version.semver()),
            Selector::Exact(exact) => exact == version,
        }
    }
}

fn registry(reading: &mut Reading<'_>, value: &Spanned<DeValue<'_>>) -> Option<RegistryUrl> {
    let text = reading.string(value, "the address of a registry")?;
    match text.parse() {
        Ok(url) => Some(url),
        Err(failure) => {
            let failure: Failure = failure;
            reading.fault(&value.span(), failure.message(), "the address of a registry");
            None
        }
    }
}

fn list(reading: &mut Reading<'_>, patches: &DeTable<'_>) -> Vec<Want> {
    let mut list = Vec::new();
    let mut folders: BTreeMap<String, u64> = BTreeMap::new();
    for (key, value) in patches {
        let patch = match key.get_ref().parse::<PatchName>() {
            Ok(patch) => Some(patch),
            Err(error) => {
                reading.fault(&key.span(), &format!("{:?} ({error})", key.get_ref()), "a patch: \"org/slug\"");
                None
            }
        };
        let Some(want) = entry(reading, patch, reading.line(&key.span()), value) else { continue };
        if let Some(dir) = &want.dir
            && let Some(line) = folders.insert(dir.clone(), want.line)
        {
            let found = format!("{dir:?}, also the folder of line {}", line.min(want.line));
            reading.fault(&key.span(), &found, "a folder of its own for each patch");
        }
        list.push(want);
    }
    list
}

/// One entry. It is read to its end also when its name is wrong, so that all its faults are found.
fn entry(reading: &mut Reading<'_>, patch: Option<PatchName>, line: u64, value: &Spanned<DeValue<'_>>) -> Option<Want> {
    let (mut selector, mut digest, mut dir, mut degraded) = (None, None, None, false);
    match value.get_ref() {
        DeValue::String(_) => selector = Some(version(reading, value)?),
        DeValue::Table(table) => {
            for (key, value) in table {
                match key.get_ref().as_ref() {
                    "version" => selector = Some(version(reading, value)?),
                    "digest" => digest = Some(reading.parsed(value, "a manifest digest: \"sha256:…\"")?),
                    "dir" => dir = Some(folder(reading, value)?),
                    "allow-degraded" => match value.get_ref().as_bool() {
                        Some(flag) => degraded = flag,
                        None => reading.fault(&value.span(), value.get_ref().type_str(), "true or false"),
                    },
                    _ => reading.unknown(key, TABLE),
                }
            }
            if selector.is_none() && digest.is_none() {
                reading.fault(&value.span(), "neither version nor digest", VERSION);
            }
        }
        other => reading.fault(&value.span(), other.type_str(), VERSION),
    }
    let selector = selector.or_else(|| digest.map(Selector::Digest))?;
    Some(Want { patch: patch?, selector, digest, dir, allow_degraded: degraded, line })
}

fn version(reading: &mut Reading<'_>, value: &Spanned<DeValue<'_>>) -> Option<Selector> {
    let text = reading.string(value, VERSION)?;
    match text.parse() {
        Ok(selector @ (Selector::Exact(_) | Selector::Range(_))) => Some(selector),
        Ok(Selector::Newest | Selector::Digest(_)) => {
            reading.fault(
                &value.span(),
                &format!("{text:?}"),
                "a version; a digest is given as { digest = \"sha256:…\" }",
            );
            None
        }
        Err(_) => {
            reading.fault(&value.span(), &format!("{text:?}"), VERSION);
            None
        }
    }
}

/// A folder within the project, in one spelling.
fn folder(reading: &mut Reading<'_>, value: &Spanned<DeValue<'_>>) -> Option<String> {
    const EXPECTED: &str = "a folder within the project, such as \"adapters/ledger\": no `..`, no absolute path";
    let text = reading.string(value, EXPECTED)?;
    let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.starts_with(".git");
    let odd = |c: char| c == '\\' || c == ':' || c.is_control();
    let text = text.strip_suffix('/').unwrap_or(text);
    if text.split('/').all(plain) && !text.contains(odd) {
        return Some(text.to_owned());
    }
    reading.fault(&value.span(), &format!("{text:?}"), EXPECTED);
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const GOOD: &str = "registry = \"https://r.example\"\n[patches]\n\"acme/tiny-desk\" = \"^1.2\"\n\
                        \"acme/ledger\" = { version = \"1.0.0\", dir = \"adapters/ledger/\", allow-degraded = true }\n";

    #[test]
    fn entries_come_by_name_and_with_their_line() {
        let wants = Wants::parse(GOOD).unwrap();
        let list: Vec<_> = wants.list.iter().map(|w| (w.reference().to_string(), w.line)).collect();
        assert_eq!(list, [("acme/ledger@1.0.0".to_owned(), 4), ("acme/tiny-desk@^1.2".to_owned(), 3)]);
        assert_eq!(wants.list[0].dir.as_deref(), Some("adapters/ledger"));
        assert_eq!(Wants::parse("").unwrap(), Wants::default());
        let digest = Digest::of(b"m");
        let text = format!("[patches]\n\"acme/tiny-desk\" = {{ version = \"^1\", digest = \"{digest}\" }}");
        let want = &Wants::parse(&text).unwrap().list[0];
        assert!(want.admits(&"1.9.0".parse().unwrap(), digest));
        assert!(!want.admits(&"1.9.0".parse().unwrap(), Digest::of(b"n")), "another digest");
        assert!(!want.admits(&"2.0.0".parse().unwrap(), digest), "beyond the range");
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let text = "regsitry = 1\n[patches]\n\"acme\" = \"^1\"\n\"acme/tiny-desk\" = \"1.2\"\n\"acme/a-b\" = 7\n\
                    \"acme/c-d\" = { dir = \"../x\" }\n\"acme/e-f\" = { version = \"1.0.0\", when = 1 }\n\
                    \"acme/g-h\" = { version = \"1.0.0\", dir = \"x\" }\n\"acme/i-j\" = { version = \"*\", dir = \"x/\" }\n";
        let findings = Wants::parse(text).unwrap_err();
        let lines: Vec<_> = findings.list().iter().map(|f| f.place.line.unwrap()).collect();
        assert_eq!(
            lines.iter().copied().collect::<std::collections::BTreeSet<_>>(),
            (1..=9).filter(|n| ![2, 8].contains(n)).collect()
        );
        for text in
            ["[patches]\n\"acme/a-b\" = \"*\"\n\"acme/a-b\" = \"*\"\n", "[patches]\nx =\n", "[patches]\n[patches]"]
        {
            let findings = Wants::parse(text).unwrap_err();
            assert!(findings.has(WANTS_INVALID) && findings.list()[0].place.line > Some(1), "{findings:?}");
        }
    }

    #[test]
    fn folders_stay_within_the_project() {
        for dir in ["", ".", "..", "/etc", "a/../b", "a//b", "./a", "a\\\\b", "c:/x", ".git/hooks", "a/.git"] {
            let text = format!("[patches]\n\"acme/a-b\" = {{ version = \"*\", dir = \"{dir}\" }}");
            assert!(Wants::parse(&text).is_err(), "{dir}");
        }
    }
}
