//! Listing the files of a copy.

use std::fs;
use std::path::Path;

use retoque_core::problem::{BASE_FILE_INVALID, BASE_UNREADABLE, Finding, Findings, Place};

use super::Snapshot;

/// The deepest folder that is listed; repositories have two or three levels.
const DEPTH: usize = 8;

/// Most files that a base may have.
const FILES: usize = 10_000;

/// A file or link of a copy, not opened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path within the copy, with `/`.
    pub path: String,
}

/// Every file of the copy, sorted by path. What Git and the download tools keep beside the files (`.git`,
/// `.cache` at the top) is not part of it; anything that is neither file nor link nor folder is refused.
pub fn walk(snapshot: &Snapshot) -> Result<Vec<Found>, Findings> {
    let mut walker = Walker { list: Vec::new(), findings: Findings::new() };
    walker.folder(&snapshot.folder, "", 0);
    if walker.findings.refused() {
        return Err(walker.findings);
    }
    walker.list.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walker.list)
}

struct Walker {
    list: Vec<Found>,
    findings: Findings,
}

impl Walker {
    fn refuse(&mut self, path: &str, found: &str) {
        let expected = "regular files in plain folders";
        self.findings.push(Finding::new(BASE_FILE_INVALID, Place::file(path), found, expected, "remove it"));
    }

    fn folder(&mut self, folder: &Path, above: &str, depth: usize) {
        if depth > DEPTH || self.list.len() > FILES {
            return self.refuse(above, "too many files or levels of folders");
        }
        let unreadable = |place: &str, error: &std::io::Error| {
            let next = "check its permissions";
            let found = error.kind().to_string();
            Finding::new(BASE_UNREADABLE, Place::file(place), found, "a folder that can be listed", next)
        };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.findings.push(unreadable(above, &error)),
        };
        for entry in entries {
            let (name, kind) = match entry.and_then(|e| e.file_type().map(|kind| (e.file_name(), kind))) {
                Ok(entry) => entry,
                Err(error) => {
                    self.findings.push(unreadable(above, &error));
                    continue;
                }
            };
            let Some(name) = name.to_str() else {
                self.refuse(above, "a file whose name is not UTF-8");
                continue;
            };
            if depth == 0 && matches!(name, ".git" | ".cache") {
                continue;
            }
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            if kind.is_dir() {
                self.folder(&folder.join(name), &path, depth + 1);
            } else if kind.is_file() || kind.is_symlink() {
                self.list.push(Found { path });
            } else {
                self.refuse(&path, "something that is neither file nor folder");
            }
        }
    }
}
