//! The seek table (Zstandard seekable format), and where each file and each piece of it lies.
//!
//! From the table and the sizes in the manifest follows which stored bytes hold a given range of a given file, so
//! one stored object serves the package, every file and every range. Refuses a table that does not describe
//! exactly the frames which the layout gives for those sizes.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::fault::{FETCH_AGAIN, REPACK, refuse};
use super::header::BLOCK;
use super::{PIECE, frame, padding};
use crate::problem::{Finding, Findings, Place, SEEK_TABLE};

/// The magic number of the skippable frame that holds the table.
pub const TABLE_MAGIC: u32 = 0x184d_2a5e;
/// The last four bytes of the table.
const FOOTER_MAGIC: u32 = 0x8f92_eab1;
/// Bytes of the footer: frame count, descriptor, magic.
pub const FOOTER: usize = 9;
/// Bytes before the entries: magic and size of the skippable frame.
const HEAD: usize = 8;
/// Bytes of one entry, without the optional checksum.
const ENTRY: usize = 8;

/// One frame of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Bytes as stored.
    pub compressed: u32,
    /// Bytes of content.
    pub content: u32,
}

/// The sizes of all frames with content, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeekTable {
    /// The frames.
    pub frames: Vec<Frame>,
}

impl SeekTable {
    /// Bytes of the skippable frame for this many frames.
    pub const fn encoded_len(frames: usize) -> usize {
        HEAD + frames * ENTRY + FOOTER
    }

    /// The final skippable frame.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let length = Self::encoded_len(self.frames.len());
        let count = u32::try_from(self.frames.len()).map_err(io::Error::other)?;
        let size = u32::try_from(length - HEAD).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&TABLE_MAGIC.to_le_bytes());
        bytes.extend_from_slice(&size.to_le_bytes());
        for frame in &self.frames {
            bytes.extend_from_slice(&frame.compressed.to_le_bytes());
            bytes.extend_from_slice(&frame.content.to_le_bytes());
        }
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&FOOTER_MAGIC.to_le_bytes());
        Ok(bytes)
    }

    /// How long the whole skippable frame is, from the last [`FOOTER`] bytes of an archive.
    pub fn len_from_footer(footer: [u8; FOOTER]) -> Result<usize, Findings> {
        let [a, b, c, d, descriptor, magic @ ..] = footer;
        if u32::from_le_bytes(magic) != FOOTER_MAGIC {
            return Err(wrong("no seek table at the end"));
        }
        if descriptor != 0 {
            return Err(wrong("a seek table with per-frame checksums or reserved bits"));
        }
        usize::try_from(u32::from_le_bytes([a, b, c, d]))
            .ok()
            .and_then(|count| count.checked_mul(ENTRY)?.checked_add(HEAD + FOOTER))
            .ok_or_else(|| wrong("an absurd number of frames"))
    }

    /// Reads the skippable frame, all of it and nothing else.
    pub fn parse(bytes: &[u8]) -> Result<Self, Findings> {
        let footer = bytes.last_chunk::<FOOTER>().ok_or_else(|| wrong("a cut seek table"))?;
        if Self::len_from_footer(*footer)? != bytes.len() {
            return Err(wrong("a seek table of another length than it says"));
        }
        let words: Vec<u32> =
            bytes[..bytes.len() - FOOTER].as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (head, entries) = words.split_at(HEAD / 4);
        if head[0] != TABLE_MAGIC || usize::try_from(head[1]).ok() != Some(bytes.len() - HEAD) {
            return Err(wrong("a seek table in another frame"));
        }
        let frames = entries
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[compressed, content]| Frame { compressed: *compressed, content: *content });
        Ok(Self { frames: frames.collect() })
    }

    /// Bytes of all frames as stored, without the table.
    pub fn compressed(&self) -> u64 {
        self.frames.iter().map(|f| u64::from(f.compressed)).sum()
    }
}

fn wrong(found: &str) -> Findings {
    Finding::new(SEEK_TABLE, Place::default(), found, "the seek table of a package", REPACK).into()
}

/// The content sizes of all frames of a package whose files have these sizes.
pub fn layout(sizes: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut frames = Vec::new();
    let mut before = 0;
    for size in sizes {
        frames.push(before + BLOCK as u64);
        let full = size / PIECE;
        frames.extend((0..full).map(|_| PIECE));
        if !size.is_multiple_of(PIECE) {
            frames.push(size % PIECE);
        }
        before = padding(size);
    }
    frames.push(before + 2 * BLOCK as u64);
    frames
}

/// Where one file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its path.
    pub path: String,
    /// Its size.
    pub size: u64,
    /// Its frames, one per piece.
    pub frames: Range<usize>,
}

/// Where every file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    files: Vec<Span>,
    table: SeekTable,
    /// Where each frame begins in the archive; one more than there are frames.
    offsets: Vec<u64>,
}

/// Which stored bytes to fetch for a range of a file, and what to keep of their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Range of the archive as stored; whole frames.
    pub stored: Range<u64>,
    /// Those frames, in order.
    pub frames: Vec<Frame>,
    /// Number of the first of them within the file, which is the number of the piece.
    pub first_piece: u64,
    /// Bytes to leave out at the beginning of their content.
    pub skip: u64,
    /// Bytes to keep after that.
    pub take: u64,
}

impl Index {
    /// The index of a package with these files (path and size, in archive order, the manifest included).
    pub fn new<'p>(table: SeekTable, files: impl IntoIterator<Item = (&'p str, u64)>) -> Result<Self, Findings> {
        let files: Vec<(&str, u64)> = files.into_iter().collect();
        let expected = layout(files.iter().map(|f| f.1));
        if expected.len() != table.frames.len()
            || table.frames.iter().zip(&expected).any(|(frame, content)| u64::from(frame.content) != *content)
        {
            return Err(wrong("frames of other sizes than the files have"));
        }
        let bounded = |f: &Frame| u64::from(f.compressed) <= frame::compress_bound(u64::from(f.content));
        if !table.frames.iter().all(bounded) {
            return Err(wrong("a frame larger than its content can need"));
        }
        let mut offsets = vec![0];
        offsets.extend(table.frames.iter().scan(0, |at, frame| {
            *at += u64::from(frame.compressed);
            Some(*at)
        }));
        let mut next = 0;
        let files = files.into_iter().map(|(path, size)| {
            let first = next + 1;
            next = first + usize::try_from(size.div_ceil(PIECE)).unwrap_or(usize::MAX - first);
            Span { path: path.to_owned(), size, frames: first..next }
        });
        Ok(Self { files: files.collect(), table, offsets })
    }

    /// Bytes of the whole archive.
    pub fn archive_size(&self) -> u64 {
        self.table.compressed() + SeekTable::encoded_len(self.table.frames.len()) as u64
    }

    /// The files, in archive order.
    pub fn files(&self) -> &[Span] {
        &self.files
    }

    /// The file at `path`.
    pub fn file(&self, path: &str) -> Option<&Span> {
        self.files.iter().find(|f| f.path == path)
    }

    /// All frames.
    pub const fn table(&self) -> &SeekTable {
        &self.table
    }

    /// What to fetch for the bytes `range` of the file at `path`; `None` when there is no such file or range.
    pub fn cut(&self, path: &str, range: Range<u64>) -> Option<Cut> {
        let file = self.file(path)?;
        if range.start > range.end || range.end > file.size {
            return None;
        }
        let (first, last) = (range.start / PIECE, range.end.div_ceil(PIECE));
        let frame = |piece: u64| Some(file.frames.start + usize::try_from(piece).ok()?);
        let frames = if range.is_empty() { frame(first)?..frame(first)? } else { frame(first)?..frame(last)? };
        Some(Cut {
            stored: self.offsets[frames.start]..self.offsets[frames.end],
            frames: self.table.frames[frames].to_vec(),
            first_piece: first,
            skip: range.start - first * PIECE,
            take: range.end - range.start,
        })
    }
}

impl Cut {
    /// Decodes the fetched bytes, one frame at a time, and writes what the cut keeps.
    pub fn extract(&self, stored: &mut dyn Read, out: &mut dyn Write) -> io::Result<()> {
        let (mut skip, mut take) = (self.skip, self.take);
        for frame in &self.frames {
            let mut bytes = vec![0; usize::try_from(frame.compressed).map_err(io::Error::other)?];
            stored.read_exact(&mut bytes)?;
            let content = frame::decompress(&bytes, u64::from(frame.content))?;
            let from = skip.min(content.len() as u64);
            let until = (from + take).min(content.len() as u64);
            skip -= from;
            take -= until - from;
            let range =
                usize::try_from(from).map_err(io::Error::other)?..usize::try_from(until).map_err(io::Error::other)?;
            out.write_all(&content[range])?;
        }
        if take == 0 {
            return Ok(());
        }
        Err(refuse(Finding::new(SEEK_TABLE, Place::default(), "less content", "the whole range", FETCH_AGAIN)))
    }
}
