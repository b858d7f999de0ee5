//! The folder that a trainer leaves: which two files make the adapter, what is left out, what is refused.
//!
//! A positive list: two files are taken, what trainers leave beside them is left out and named, and
//! everything else is refused by name; nothing is passed over in silence. Refused with their own codes are
//! what makes the adapter ambiguous or dangerous: second weights or adapters, merged models, shards,
//! pickles, code, added tokens, links. The right subfolder is suggested, never chosen.
//! Clause: specification, section 2.

mod kinds;
mod leftovers;
mod tokens;

use std::collections::BTreeSet;

use self::kinds::{Foreign, foreign};
use self::leftovers::{file_left_out, folder_left_out};
use super::{config, weights};
use crate::base::BaseRecord;
use crate::problem::{
    ADAPTER_AMBIGUOUS, ADAPTER_LINK, ADAPTER_PATH, CONFIG_MISSING, Finding, Findings, LEFT_OUT, Place, UNEXPECTED_FILE,
    WEIGHTS_MISSING, quote,
};

/// What kind of thing a path of the folder is, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link.
    Link,
    /// A socket, a device, a pipe.
    Other,
}

/// One path of the folder. All paths are listed, also those in subfolders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path from the top of the folder, with `/` between its components.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The size of a file.
    pub size: u64,
    /// The start of a file, at least 4 KiB of it or all of it. May be empty for files that are left out.
    pub first_bytes: Vec<u8>,
}

/// What the packer reads of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The path of the configuration.
    pub config: String,
    /// The path of the weights.
    pub weights: String,
    /// The size of the weights.
    pub weights_size: u64,
    /// What is left out (whole folders once, with `/` at the end), and why.
    pub left_out: Vec<(String, &'static str)>,
}

/// Divides a folder. The plan is there when both files are, also beside findings, so that their contents
/// can be examined and everything reported together; what is left out is a warning each.
///
/// With the record of the base, a copy of the base's own `added_tokens.json` is recognised and left out.
pub fn classify(listing: &[Entry], base: Option<&BaseRecord>) -> (Option<Plan>, Findings) {
    let mut sorter = Sorter {
        listing,
        base,
        has_config: has(listing, config::FILE),
        has_weights: has(listing, weights::FILE),
        findings: Findings::new(),
        left_out: Vec::new(),
    };
    let mut folders = BTreeSet::new();
    for entry in listing {
        sorter.take(entry, &mut folders);
    }
    sorter.missing();
    let Sorter { mut findings, left_out, has_config, has_weights, .. } = sorter;
    for (path, why) in &left_out {
        let next = "nothing; it stays where it is";
        findings.push(Finding::new(
            LEFT_OUT,
            Place::file(path.clone()),
            *why,
            "only the adapter goes into the package",
            next,
        ));
    }
    let size = listing.iter().find(|e| e.path == weights::FILE).map_or(0, |e| e.size);
    let plan = (has_config && has_weights).then(|| Plan {
        config: config::FILE.to_owned(),
        weights: weights::FILE.to_owned(),
        weights_size: size,
        left_out,
    });
    (plan, findings)
}

fn has(listing: &[Entry], path: &str) -> bool {
    listing.iter().any(|e| e.path == path && e.kind == Kind::File)
}

struct Sorter<'a> {
    listing: &'a [Entry],
    base: Option<&'a BaseRecord>,
    has_config: bool,
    has_weights: bool,
    findings: Findings,
    left_out: Vec<(String, &'static str)>,
}

impl<'a> Sorter<'a> {
    fn refuse(&mut self, code: crate::problem::Code, path: &str, found: &str, expected: &str, next: &str) {
        let shown: String = path.chars().filter(|c| !c.is_control()).take(120).collect();
        self.findings.push(Finding::new(code, Place::file(shown), found, expected, next));
    }

    fn take(&mut self, entry: &'a Entry, folders: &mut BTreeSet<&'a str>) {
        let path = entry.path.as_str();
        let plain = !path.is_empty()
            && !path.contains(['\\', '\0'])
            && path.split('/').all(|c| !c.is_empty() && c != "." && c != "..");
        if !plain {
            let expected = "a relative path of plain components";
            self.refuse(ADAPTER_PATH, path, &quote(path), expected, "rename or remove it");
            return;
        }
        let top = path.split('/').next().unwrap_or(path);
        // A folder that trainers write is left out as a whole; what lies in it is never read.
        if let Some(why) = folder_left_out(top).filter(|_| path != top || entry.kind == Kind::Dir) {
            if folders.insert(top) {
                self.left_out.push((format!("{top}/"), why));
            }
            return;
        }
        match entry.kind {
            Kind::File => self.file(entry),
            Kind::Dir => self.folder(path),
            Kind::Link => {
                let next = "put the file itself in its place (`cp -L`); links are never followed";
                self.refuse(ADAPTER_LINK, path, "a link", "a regular file", next);
            }
            Kind::Other => self.refuse(ADAPTER_LINK, path, "a special file", "a regular file", "remove it"),
        }
    }

    fn folder(&mut self, path: &str) {
        if path == config::FILE || path == weights::FILE {
            self.refuse(ADAPTER_LINK, path, "a folder", "a regular file", "give the folder that PEFT wrote");
        } else if !self.listing.iter().any(|e| e.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))) {
            self.left_out.push((format!("{path}/"), "an empty folder"));
        }
    }

    fn file(&mut self, entry: &Entry) {
        let path = entry.path.as_str();
        if path == config::FILE || path == weights::FILE {
            return;
        }
        let at_top = !path.contains('/');
        let name = path.rsplit('/').next().unwrap_or(path);
        let lower = name.to_ascii_lowercase();
        if lower == "added_tokens.json" {
            match tokens::known(entry, self.base) {
                Some(why) => self.left_out.push((path.to_owned(), why)),
                None => self.findings.push(tokens::refusal(path)),
            }
            return;
        }
        if lower == config::FILE || lower == weights::FILE {
            // Told by `missing`, when this is the adapter and the top of the folder is the wrong place.
            if !at_top && !self.has_config && !self.has_weights {
                return;
            }
            let next = "give a folder that holds one adapter only";
            self.refuse(ADAPTER_AMBIGUOUS, path, "a second adapter", "one adapter at the top of the folder", next);
            return;
        }
        if let Some(what) = foreign(&lower) {
            self.foreign(path, &lower, what);
            return;
        }
        if let Some(why) = file_left_out(&lower).filter(|_| at_top) {
            self.left_out.push((path.to_owned(), why));
            return;
        }
        let expected = "the adapter and what trainers leave beside it";
        self.refuse(UNEXPECTED_FILE, path, "a file of no known purpose", expected, "move it out of the folder");
    }

    fn foreign(&mut self, path: &str, lower: &str, what: Foreign) {
        let (code, found, next) = what.refusal(lower, self.has_weights);
        self.refuse(code, path, found, "one adapter_config.json and one adapter_model.safetensors", next);
    }

    /// Says what is missing and where it may be.
    fn missing(&mut self) {
        if !self.has_config && !self.listing.iter().any(|e| e.path == config::FILE) {
            let elsewhere: Vec<&str> = self
                .listing
                .iter()
                .filter_map(|e| e.path.strip_suffix(config::FILE)?.strip_suffix('/'))
                .take(5)
                .collect();
            let (found, next) = if elsewhere.is_empty() {
                ("no adapter_config.json".to_owned(), "give the folder that save_pretrained wrote")
            } else {
                let found = format!("no adapter_config.json, but one in {}", quote(&elsewhere.join(", ")));
                (found, "give that folder, if it is the adapter that you mean")
            };
            let expected = "adapter_config.json at the top of the folder";
            self.refuse(CONFIG_MISSING, config::FILE, &found, expected, next);
        }
        // Shards, pickles and other formats were refused above and say more than "missing" would.
        let told = kinds::WEIGHT_CODES.iter().any(|code| self.findings.has(*code));
        if !self.has_weights && !told && !self.listing.iter().any(|e| e.path == weights::FILE) {
            let expected = "adapter_model.safetensors at the top of the folder";
            let next = "give the folder that save_pretrained wrote, with safe_serialization=True";
            self.refuse(WEIGHTS_MISSING, weights::FILE, "no adapter_model.safetensors", expected, next);
        }
    }
}

#[cfg(test)]
mod tests;
