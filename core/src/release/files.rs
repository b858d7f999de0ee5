//! The files of a pulled folder against the digests that were signed.

use std::collections::BTreeSet;
use std::io::{self, Read};

use super::{FolderView, NAMES, VALIDATION_CASES};
use crate::archive::PIECE;
use crate::digest::{Digest, Hasher};
use crate::manifest::FileEntry;
use crate::problem::{
    DIGEST_MISMATCH, FILE_MISSING, FILE_UNEXPECTED, FILE_UNREADABLE, Finding, Findings, PIECE_MISMATCH, Place,
    SIZE_MISMATCH,
};
use crate::sign::excerpt;

const AGAIN: &str = "do not use this folder; pull the version again";

/// Refuses names that are missing or do not belong. Give `None` while it is not known whether cases were published.
pub fn check_names(view: &dyn FolderView, validation_cases: Option<bool>) -> Findings {
    let mut findings = Findings::new();
    let names: BTreeSet<String> = match view.list() {
        Ok(names) => names.into_iter().collect(),
        Err(error) => return unreadable(".", &error).into(),
    };
    for name in NAMES {
        let wanted = name != VALIDATION_CASES || validation_cases == Some(true);
        if wanted && !names.contains(name) {
            findings.push(Finding::new(FILE_MISSING, Place::file(name), "no such file", "the file", AGAIN));
        }
    }
    for name in &names {
        let known = NAMES.contains(&name.as_str());
        if !known || (name == VALIDATION_CASES && validation_cases == Some(false)) {
            findings.push(Finding::new(
                FILE_UNEXPECTED,
                Place::file(excerpt(name)),
                "something that the release does not have",
                if known { "no validation cases: they were not published" } else { "the files of the release alone" },
                "move it elsewhere, or pull the version again",
            ));
        }
    }
    findings
}

/// Reads a small file whole.
pub(super) fn read(view: &dyn FolderView, name: &str, most: usize) -> Result<Vec<u8>, Finding> {
    let (reader, size) = view.open(name).map_err(|error| unreadable(name, &error))?;
    let too_large = |size: u64| {
        Finding::new(SIZE_MISMATCH, Place::file(name), format!("{size} bytes"), format!("at most {most} bytes"), AGAIN)
    };
    if size > most as u64 {
        return Err(too_large(size));
    }
    let mut bytes = Vec::new();
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
    if read > most { Err(too_large(read as u64)) } else { Ok(bytes) }
}

/// Hashes a file that is known by its digest alone, reading at most `most` bytes.
pub fn verify_digest(view: &dyn FolderView, name: &str, digest: Digest, most: usize) -> Findings {
    match read(view, name, most) {
        Err(finding) => finding.into(),
        Ok(bytes) => compare(name, Digest::of(&bytes), digest).map_or_else(Findings::new, Findings::from),
    }
}

pub(super) fn compare(name: &str, found: Digest, expected: Digest) -> Option<Finding> {
    (found != expected)
        .then(|| Finding::new(DIGEST_MISMATCH, Place::file(name), found.to_string(), expected.to_string(), AGAIN))
}

/// Hashes one file of the package while reading it, and names the pieces that differ. Needs 64 KiB of memory;
/// files may be checked on several threads at once. `progress` is told how many more bytes were read.
pub fn verify_file(entry: &FileEntry, reader: &mut dyn Read, progress: &mut dyn FnMut(u64)) -> Findings {
    let mut findings = Findings::new();
    let name = entry.path.as_str();
    let pieces = entry.pieces.as_deref().unwrap_or_default();
    let (mut whole, mut piece) = (Hasher::new(), Hasher::new());
    let mut number = 0_usize;
    let mut buffer = vec![0_u8; 64 << 10];
    let end_piece = |hasher: Hasher, number: usize, findings: &mut Findings| {
        if let Some(expected) = pieces.get(number)
            && !hasher.is_empty()
        {
            let found = hasher.finish();
            if found != *expected {
                let place = Place::file(name).at_piece(number as u64).at_byte(number as u64 * PIECE);
                findings.push(Finding::new(
                    PIECE_MISMATCH,
                    place,
                    found.to_string(),
                    expected.to_string(),
                    "do not use this folder; `retoque pull` fetches damaged pieces again",
                ));
            }
        }
    };
    while whole.len() <= entry.size {
        let room = usize::try_from(PIECE - piece.len()).unwrap_or(buffer.len()).min(buffer.len());
        let read = match reader.read(&mut buffer[..room]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                findings.push(unreadable(name, &error));
                return findings;
            }
        };
        whole.update(&buffer[..read]);
        piece.update(&buffer[..read]);
        progress(read as u64);
        if piece.len() == PIECE {
            end_piece(std::mem::take(&mut piece), number, &mut findings);
            number += 1;
        }
    }
    if whole.len() != entry.size {
        let found = if whole.len() > entry.size { "more bytes".to_owned() } else { format!("{} bytes", whole.len()) };
        findings.push(Finding::new(
            SIZE_MISMATCH,
            Place::file(name),
            found,
            format!("exactly {} bytes", entry.size),
            AGAIN,
        ));
        return findings;
    }
    end_piece(piece, number, &mut findings);
    if let Some(finding) = compare(name, whole.finish(), entry.sha256) {
        findings.push(finding);
    }
    findings
}

pub(super) fn unreadable(name: &str, error: &io::Error) -> Finding {
    let (code, found) = match error.kind() {
        io::ErrorKind::NotFound => (FILE_MISSING, "no such file".to_owned()),
        kind => (FILE_UNREADABLE, kind.to_string()),
    };
    Finding::new(code, Place::file(name), found, "an ordinary, readable file", AGAIN)
}
