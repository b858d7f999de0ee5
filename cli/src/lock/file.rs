//! `patches.lock`: exactly which versions those are, and what was known of them when they were chosen.
//!
//! The same content is always the same text: entries by name, members in one order. Refused are unknown members, entries
//! out of order or twice, and anything that is not of its type.

use std::fmt::Write as _;

use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::{BasePin, PatchName, Version};
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use retoque_core::problem::{Findings, LOCK_INVALID};
use toml::Value;
use toml::de::DeValue;

use super::entry::Reading;
use super::members;
use super::place::LOCK;

/// The only format that is written and read.
pub const FORMAT: &str = "retoque-lock/1";
const NEXT: &str = "make it anew with `retoque lock`, or take back what was edited; docs/format/lock.md has the format";

/// What is locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Origin of the registry.
    pub registry: String,
    /// The versions, by the name of their patch.
    pub list: Vec<Locked>,
}

/// One version, and what was known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// The manifest digest: what identifies the version.
    pub manifest: Digest,
    /// The pinned base.
    pub base: BasePin,
    /// The evidence, as signed.
    pub evidence: EvidenceState,
    /// The licence at that time.
    pub licence: LicenceState,
    /// The state at that time: published or deprecated.
    pub state: State,
    /// Of a private patch: the commitment by which the signed status names the version.
    pub commitment: Option<Digest>,
    /// The log at that time.
    pub log: Position,
}

/// A size of the log and the root that it had then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Origin of the log.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The root of their tree.
    pub root: Digest,
}

impl Locked {
    /// `org/slug@1.2.0`.
    pub fn name(&self) -> String {
        format!("{}@{}", self.patch, self.version)
    }
}

impl Lock {
    /// The version that is locked for a patch.
    pub fn get(&self, patch: &PatchName) -> Option<&Locked> {
        self.list.iter().find(|locked| locked.patch == *patch)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut text = String::from("# Written by `retoque lock`. Keep it with the project; do not edit it.\n");
        let _ = write!(text, "format = {}\nregistry = {}\n", quoted(FORMAT), quoted(&self.registry));
        let mut list: Vec<&Locked> = self.list.iter().collect();
        list.sort_by(|a, b| a.patch.cmp(&b.patch));
        for locked in list {
            let Position { origin, size, root } = &locked.log;
            let _ = write!(
                text,
                "\n[[patch]]\nname = {}\nversion = {}\nmanifest = {}\nbase = {}\nevidence = {}\nlicence = {}\n\
                 state = {}\n{}log = {{ origin = {}, size = {size}, root = {} }}\n",
                quoted(&locked.patch.to_string()),
                quoted(&locked.version.to_string()),
                quoted(&locked.manifest.to_string()),
                quoted(&locked.base.to_string()),
                quoted(locked.evidence.name()),
                quoted(locked.licence.name()),
                quoted(locked.state.name()),
                locked.commitment.map_or_else(String::new, |c| format!("commitment = {}\n", quoted(&c.to_string()))),
                quoted(origin),
                quoted(&root.to_string()),
            );
        }
        text
    }

    /// Reads the file. All faults are reported together.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let (mut reading, table) = Reading::begin(text, LOCK, LOCK_INVALID, NEXT)?;
        let (mut format, mut registry, mut list) = (None, None, Vec::new());
        for (key, value) in &table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("format", _) => {
                    format = reading.string(value, FORMAT);
                    if let Some(other) = format.filter(|format| *format != FORMAT) {
                        reading.fault(&value.span(), &format!("format {other:?}"), FORMAT);
                    }
                }
                ("registry", _) => registry = reading.string(value, "the origin of a registry").map(str::to_owned),
                ("patch", DeValue::Array(entries)) => list = members::locked(&mut reading, entries),
                _ => reading.unknown(key, "format, registry and [[patch]]"),
            }
        }
        for (name, there) in [("format", format.is_some()), ("registry", registry.is_some())] {
            if !there && !table.contains_key(name) {
                reading.fault(&(0..0), &format!("no `{name}`"), "the members that `retoque lock` writes");
            }
        }
        let read = Self { registry: registry.unwrap_or_default(), list };
        reading.finish(read)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn locked(name: &str) -> Locked {
        Locked {
            patch: name.parse().unwrap(),
            version: "1.2.0".parse().unwrap(),
            manifest: Digest::of(b"m"),
            base: format!("acme/base@{}", "7".repeat(40)).parse().unwrap(),
            evidence: EvidenceState::Experimental,
            licence: LicenceState::GrantedFree,
            state: State::Published,
            commitment: (name == "b-org/tiny").then(|| Digest::of(b"c")),
            log: Position { origin: "r.example".into(), size: 12, root: Digest::of(b"r") },
        }
    }

    fn text() -> String {
        Lock { registry: "https://r.example".into(), list: vec![locked("b-org/tiny"), locked("acme/tiny")] }.to_text()
    }

    #[test]
    fn one_content_is_one_text() {
        let lock = Lock::parse(&text()).unwrap();
        assert_eq!(lock.list.iter().map(|l| l.patch.to_string()).collect::<Vec<_>>(), ["acme/tiny", "b-org/tiny"]);
        assert_eq!(lock.to_text(), text());
        assert_eq!(lock.get(&"acme/tiny".parse().unwrap()), Some(&locked("acme/tiny")));
        assert_eq!(Lock::parse(&text().replace('\n', "\r\n")).unwrap(), lock, "line ends of another system");
    }

    #[test]
    fn edited_locks_are_refused_where_they_were_edited() {
        let cases = [
            ("retoque-lock/1", "retoque-lock/9", 2),
            ("registry = ", "registri = ", 1),
            ("name = \"b-org/tiny\"", "name = \"acme/tiny\"", 15),
            ("evidence = \"EXPERIMENTAL\"", "evidence = \"GOOD\"", 10),
            ("licence = \"granted-free\"", "", 5),
            ("state = \"published\"", "state = \"withdrawn\"", 12),
            ("size = 12", "size = -1", 13),
            ("size = 12", "size = 12, more = 1", 13),
            ("version = \"1.2.0\"", "version = \"1.2\"", 7),
            ("[[patch]]", "[[patches]]", 5),
        ];
        for (from, to, line) in cases {
            let edited = if from.starts_with("name") { text().replace(from, to) } else { text().replacen(from, to, 1) };
            let findings = Lock::parse(&edited).unwrap_err();
            assert!(findings.list().iter().any(|f| f.place.line == Some(line)), "{from} -> {to}: {findings:?}");
        }
    }
}
