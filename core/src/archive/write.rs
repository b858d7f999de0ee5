//! Writes a package: the same files give the same bytes on every machine.
//!
//! Refuses names out of order, names that the format does not have, and files whose content is not as long as it
//! was said to be (a file that changes while it is packed). Holds one piece in memory.

use std::io::{self, Read, Write};

use super::header::{self, BLOCK};
use super::seek::{Frame, SeekTable};
use super::{PIECE, frame, padding, path};
use crate::digest::{Digest, Hasher};
use crate::manifest::FileEntry;
use crate::problem::{Finding, PACKAGE_UNREADABLE, Place};

/// Why a package could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Reading a file or writing the archive failed.
    #[error("{path}: {error}")]
    Io {
        /// The file, or `package`.
        path: String,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The name cannot stand in a package, or not at this place.
    #[error("{0} does not come next in a package")]
    Name(String),
    /// The content is not as long as the size said before.
    #[error("{path} changed while it was read: {expected} bytes were expected, {found} or more were there")]
    Changed {
        /// The file.
        path: String,
        /// Bytes that were announced.
        expected: u64,
        /// Bytes that were read.
        found: u64,
    },
}

impl WriteError {
    /// The finding to report, without paths of this machine.
    pub fn finding(&self) -> Finding {
        let place = match self {
            Self::Io { path, .. } | Self::Name(path) | Self::Changed { path, .. } => Place::file(path),
        };
        let found = match self {
            Self::Io { error, .. } => error.kind().to_string(),
            Self::Name(_) => "a name out of order".to_owned(),
            Self::Changed { expected, found, .. } => format!("{found} bytes where there had been {expected}"),
        };
        Finding::new(
            PACKAGE_UNREADABLE,
            place,
            found,
            "files that stay as they are",
            "see that nothing else writes there and try again",
        )
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Digest of the archive.
    pub sha256: Digest,
    /// Bytes of the archive.
    pub size: u64,
    /// Every file, in archive order, the manifest included.
    pub files: Vec<FileEntry>,
    /// Where the frames lie.
    pub table: SeekTable,
}

/// A package that is being written.
pub struct PackageWriter<W> {
    out: W,
    archive: Hasher,
    table: SeekTable,
    files: Vec<FileEntry>,
    /// Zeros that bring the previous file to a full block; they stand in the next frame.
    before: u64,
}

impl<W: Write> PackageWriter<W> {
    /// A package with no files yet.
    pub fn new(out: W) -> Self {
        Self { out, archive: Hasher::new(), table: SeekTable::default(), files: Vec::new(), before: 0 }
    }

    /// The files so far.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// Adds the file `name` with exactly `size` bytes of content, after all smaller names.
    pub fn add(&mut self, name: &str, size: u64, content: &mut dyn Read) -> Result<&FileEntry, WriteError> {
        let in_order = self.files.last().is_none_or(|last| last.path.as_str() < name);
        let header = header::encode(name, size).filter(|_| in_order && path::fault(name.as_bytes()).is_none());
        let Some(header) = header else { return Err(WriteError::Name(name.to_owned())) };
        let mut head = vec![0; usize::try_from(self.before).unwrap_or(0)];
        head.extend_from_slice(&header);
        self.frame(&head)?;

        let changed = |found| WriteError::Changed { path: name.to_owned(), expected: size, found };
        let mut whole = Hasher::new();
        let mut pieces = Vec::new();
        let mut piece = Vec::new();
        while whole.len() < size {
            let want = PIECE.min(size - whole.len());
            piece.clear();
            content
                .take(want)
                .read_to_end(&mut piece)
                .map_err(|error| WriteError::Io { path: name.to_owned(), error })?;
            whole.update(&piece);
            if piece.len() as u64 != want {
                return Err(changed(whole.len()));
            }
            if size > PIECE {
                pieces.push(Digest::of(&piece));
            }
            self.frame(&piece)?;
        }
        let mut more = [0; 1];
        if content.read(&mut more).map_err(|error| WriteError::Io { path: name.to_owned(), error })? != 0 {
            return Err(changed(size + 1));
        }
        self.before = padding(size);
        let index = self.files.len();
        self.files.push(FileEntry {
            path: name.to_owned(),
            size,
            sha256: whole.finish(),
            pieces: (size > PIECE).then_some(pieces),
        });
        Ok(&self.files[index])
    }

    /// Writes the end and the seek table.
    pub fn finish(mut self) -> Result<(W, Facts), WriteError> {
        let end = self.before + 2 * BLOCK as u64;
        self.frame(&vec![0; usize::try_from(end).unwrap_or(0)])?;
        let table = self.table.encode().map_err(package)?;
        self.store(&table)?;
        self.out.flush().map_err(package)?;
        let size = self.archive.len();
        let facts = Facts { sha256: self.archive.finish(), size, files: self.files, table: self.table };
        Ok((self.out, facts))
    }

    fn frame(&mut self, content: &[u8]) -> Result<(), WriteError> {
        let frame = frame::compress(content).map_err(package)?;
        let size = |n: usize| u32::try_from(n).map_err(|e| package(io::Error::other(e)));
        self.table.frames.push(Frame { compressed: size(frame.len())?, content: size(content.len())? });
        self.store(&frame)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.archive.update(bytes);
        self.out.write_all(bytes).map_err(package)
    }
}

fn package(error: io::Error) -> WriteError {
    WriteError::Io { path: "package".to_owned(), error }
}
