//! The package files against their digests, on all cores.
//!
//! A file's own digest needs one pass from beginning to end; its pieces can be hashed apart from it and from each
//! other. So for a large file one core takes the whole and the others the pieces, and both must be right.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use retoque_core::archive::PIECE;
use retoque_core::digest::{Digest, Hasher};
use retoque_core::manifest::FileEntry;
use retoque_core::problem::{FILE_UNREADABLE, Finding, Findings, PIECE_MISMATCH, Place};
use retoque_core::release::verify_file;

use super::DiskFolder;
use crate::snapshot::each;

enum Job<'a> {
    /// The whole file.
    File(FileEntry),
    /// One piece of a large file.
    Piece { path: &'a str, number: usize, length: u64, digest: Digest },
}

impl Job<'_> {
    const fn size(&self) -> u64 {
        match self {
            Self::File(entry) => entry.size,
            Self::Piece { length, .. } => *length,
        }
    }
}

/// Hashes all files. Findings come in the order of the files.
pub(super) fn verify(folder: &DiskFolder, files: &[FileEntry], progress: &(dyn Fn(u64) + Sync)) -> Findings {
    let mut jobs: Vec<_> = files.iter().map(|e| Job::File(FileEntry { pieces: None, ..e.clone() })).collect();
    jobs.extend(files.iter().flat_map(pieces));
    jobs.sort_by_key(|job| std::cmp::Reverse(job.size()));
    let results = each(&jobs, |job| match job {
        Job::File(entry) => whole(folder, entry, progress),
        Job::Piece { path, number, length, digest } => {
            piece(folder, path, *number, *length, *digest).map_or_else(Findings::new, Findings::from)
        }
    });
    let mut list: Vec<Finding> = results.iter().flat_map(|findings| findings.list().to_vec()).collect();
    list.sort_by(|a, b| (&a.place.file, a.place.piece).cmp(&(&b.place.file, b.place.piece)));
    list.into_iter().fold(Findings::new(), |mut findings, finding| {
        findings.push(finding);
        findings
    })
}

fn pieces(entry: &FileEntry) -> impl Iterator<Item = Job<'_>> {
    entry.pieces.iter().flatten().enumerate().map(|(number, digest)| Job::Piece {
        path: &entry.path,
        number,
        length: PIECE.min(entry.size.saturating_sub(number as u64 * PIECE)),
        digest: *digest,
    })
}

fn whole(folder: &DiskFolder, entry: &FileEntry, progress: &(dyn Fn(u64) + Sync)) -> Findings {
    match folder.file(&entry.path) {
        Ok((mut file, _)) => verify_file(entry, &mut file, &mut |bytes| progress(bytes)),
        Err(error) => unreadable(&entry.path, &error).into(),
    }
}

fn piece(folder: &DiskFolder, path: &str, number: usize, length: u64, expected: Digest) -> Option<Finding> {
    let offset = number as u64 * PIECE;
    let found = || -> io::Result<Digest> {
        let (mut file, _) = folder.file(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut hasher = Hasher::new();
        io::copy(&mut file.take(length), &mut hasher)?;
        Ok(hasher.finish())
    };
    match found() {
        Ok(found) if found == expected => None,
        Ok(found) => Some(Finding::new(
            PIECE_MISMATCH,
            Place::file(path).at_piece(number as u64).at_byte(offset),
            found.to_string(),
            expected.to_string(),
            "do not use this folder; `retoque pull` fetches damaged pieces again",
        )),
        Err(error) => Some(unreadable(path, &error)),
    }
}

fn unreadable(path: &str, error: &io::Error) -> Finding {
    let next = "do not use this folder; pull the version again";
    Finding::new(FILE_UNREADABLE, Place::file(path), error.kind().to_string(), "an ordinary, readable file", next)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::problem::{DIGEST_MISMATCH, SIZE_MISMATCH};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_damaged_piece_is_named_beside_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let size = usize::try_from(PIECE).unwrap();
        let mut bytes: Vec<u8> = (0..=250).cycle().take(size * 2 + 7).collect();
        let entry = FileEntry {
            path: "w".into(),
            size: bytes.len() as u64,
            sha256: Digest::of(&bytes),
            pieces: Some(bytes.chunks(size).map(Digest::of).collect()),
        };
        let folder = DiskFolder::new(dir.path());
        let check = |bytes: &[u8]| {
            std::fs::write(dir.path().join("w"), bytes).unwrap();
            let read = AtomicU64::new(0);
            let count = |n| {
                read.fetch_add(n, Ordering::Relaxed);
            };
            (verify(&folder, std::slice::from_ref(&entry), &count), read.into_inner())
        };
        assert_eq!(check(&bytes), (Findings::new(), bytes.len() as u64));
        bytes[size + 3] ^= 1;
        let (findings, _) = check(&bytes);
        assert!(findings.has(DIGEST_MISMATCH) && findings.has(PIECE_MISMATCH));
        let piece = findings.list().iter().find(|f| f.code == PIECE_MISMATCH).unwrap();
        assert_eq!((findings.errors(), piece.place.piece), (2, Some(1)));
        assert!(check(&bytes[..size]).0.has(SIZE_MISMATCH));
    }
}
