//! Opening a file of a copy: every link on the way is followed by hand and must stay within the boundary.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::{Snapshot, Unopened};

/// More links in a row than any cache has.
const HOPS: usize = 8;

/// A file of a copy, opened.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub file: File,
    /// Its size.
    pub size: u64,
    /// The name under which the cache keeps it: the target of the first link. A hint for messages only.
    pub label: Option<String>,
}

impl Snapshot {
    /// Opens the file at `path` within the copy.
    pub fn open(&self, path: &str) -> Result<Opened, Unopened> {
        let mut at = self.folder.join(path);
        let mut label = None;
        for _ in 0..HOPS {
            let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else { return Err(Unopened::Escapes) };
            // The folders on the way are resolved by the system and judged by where they end.
            let parent = fs::canonicalize(parent).map_err(|e| unopened(&e))?;
            if !parent.starts_with(&self.boundary) {
                return Err(Unopened::Escapes);
            }
            let here = parent.join(name);
            let kind = fs::symlink_metadata(&here).map_err(|e| unopened(&e))?.file_type();
            if kind.is_file() {
                return opened(&here, label);
            }
            if !kind.is_symlink() {
                return Err(Unopened::Unreadable("something that is not a regular file".to_owned()));
            }
            let target = fs::read_link(&here).map_err(|e| unopened(&e))?;
            label = label.or_else(|| target.file_name().map(|n| n.to_string_lossy().into_owned()));
            at = parent.join(target);
        }
        Err(Unopened::Unreadable(format!("more than {HOPS} links in a row")))
    }
}

fn opened(path: &Path, label: Option<String>) -> Result<Opened, Unopened> {
    let file = File::open(path).map_err(|e| unopened(&e))?;
    // Judged again on the open file: what was looked at before may have been replaced.
    let metadata = file.metadata().map_err(|e| unopened(&e))?;
    if !metadata.is_file() {
        return Err(Unopened::Unreadable("something that is not a regular file".to_owned()));
    }
    Ok(Opened { file, size: metadata.len(), label })
}

fn unopened(error: &io::Error) -> Unopened {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Unopened::Absent,
        kind => Unopened::Unreadable(kind.to_string()),
    }
}
