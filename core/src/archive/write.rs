//! Writes a package: the same files give the same bytes on every machine.
//!
//! Refuses names out of order, names that the format does not have, and files whose content is not as long as it
//! was said to be (a file that changes while it is packed). Holds as many pieces in memory as are compressed at a
//! time, which does not show in the bytes.

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
pub struct PackageWriter<W, C = OneByOne> {
    out: W,
    archive: Hasher,
    table: SeekTable,
    files: Vec<FileEntry>,
    /// Zeros that bring the previous file to a full block; they stand in the next frame.
    before: u64,
    compressor: C,
}

/// Compresses pieces; whoever has threads gives one that uses them.
pub trait Compressor {
    /// How many pieces it takes at a time.
    fn width(&self) -> usize;

    /// One frame per piece, each exactly [`frame::compress`] of it. Calls `meanwhile` once, before or while it works.
    fn compress(&self, pieces: &[Vec<u8>], meanwhile: &mut dyn FnMut()) -> Vec<io::Result<Vec<u8>>>;
}

/// Compresses one piece after the other.
pub struct OneByOne;

impl Compressor for OneByOne {
    fn width(&self) -> usize {
        1
    }

    fn compress(&self, pieces: &[Vec<u8>], meanwhile: &mut dyn FnMut()) -> Vec<io::Result<Vec<u8>>> {
        meanwhile();
        pieces.iter().map(|piece| frame::compress(piece)).collect()
    }
}

impl<W: Write> PackageWriter<W> {
    /// A package with no files yet.
    pub fn new(out: W) -> Self {
        Self {
            out,
            archive: Hasher::new(),
            table: SeekTable::default(),
            files: Vec::new(),
            before: 0,
            compressor: OneByOne,
        }
    }
}

impl<W: Write, C: Compressor> PackageWriter<W, C> {
    /// The same writer with another compressor.
    #[must_use]
    pub fn with<D: Compressor>(self, compressor: D) -> PackageWriter<W, D> {
        let Self { out, archive, table, files, before, .. } = self;
        PackageWriter { out, archive, table, files, before, compressor }
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
        self.small(&head)?;

        let changed = |found| WriteError::Changed { path: name.to_owned(), expected: size, found };
        let mut whole = Hasher::new();
        let mut digests = Vec::new();
        while whole.len() < size {
            let pieces = self.read_pieces(size - whole.len(), content);
            let pieces = pieces.map_err(|error| WriteError::Io { path: name.to_owned(), error })?;
            let read = pieces.iter().map(|p| p.len() as u64).sum::<u64>();
            if read != (size - whole.len()).min(self.width() * PIECE) {
                return Err(changed(whole.len() + read));
            }
            let frames = self.compressor.compress(&pieces, &mut || {
                for piece in &pieces {
                    whole.update(piece);
                    if size > PIECE {
                        digests.push(Digest::of(piece));
                    }
                }
            });
            for (piece, frame) in pieces.iter().zip(frames) {
                self.frame(piece.len(), &frame.map_err(package)?)?;
            }
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
            pieces: (size > PIECE).then_some(digests),
        });
        Ok(&self.files[index])
    }

    /// Writes the end and the seek table.
    pub fn finish(mut self) -> Result<(W, Facts), WriteError> {
        let end = self.before + 2 * BLOCK as u64;
        self.small(&vec![0; usize::try_from(end).unwrap_or(0)])?;
        let table = self.table.encode().map_err(package)?;
        self.store(&table)?;
        self.out.flush().map_err(package)?;
        let size = self.archive.len();
        let facts = Facts { sha256: self.archive.finish(), size, files: self.files, table: self.table };
        Ok((self.out, facts))
    }

    fn width(&self) -> u64 {
        self.compressor.width().clamp(1, 64) as u64
    }

    /// The next pieces of a file of which `left` bytes are to come, as many as are compressed at a time.
    fn read_pieces(&self, left: u64, content: &mut dyn Read) -> io::Result<Vec<Vec<u8>>> {
        let mut pieces = Vec::new();
        let mut left = left.min(self.width() * PIECE);
        while left > 0 {
            let want = PIECE.min(left);
            let mut piece = Vec::new();
            content.take(want).read_to_end(&mut piece)?;
            left = if piece.len() as u64 == want { left - want } else { 0 };
            pieces.push(piece);
        }
        Ok(pieces)
    }

    fn small(&mut self, content: &[u8]) -> Result<(), WriteError> {
        self.frame(content.len(), &frame::compress(content).map_err(package)?)
    }

    fn frame(&mut self, content: usize, frame: &[u8]) -> Result<(), WriteError> {
        let size = |n: usize| u32::try_from(n).map_err(|e| package(io::Error::other(e)));
        self.table.frames.push(Frame { compressed: size(frame.len())?, content: size(content)? });
        self.store(frame)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.archive.update(bytes);
        self.out.write_all(bytes).map_err(package)
    }
}

fn package(error: io::Error) -> WriteError {
    WriteError::Io { path: "package".to_owned(), error }
}
