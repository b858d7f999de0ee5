//! Physical lines of a stream, hashed and counted while they pass, with bounded memory.
//!
//! Lines end at LF only; one CR before it is dropped. A line is kept up to [`KEPT`] bytes, so that one
//! line without an end cannot fill the memory.

use std::io::{self, BufRead};

use crate::digest::{Digest, Hasher};

/// How many bytes of one line are kept.
pub(crate) const KEPT: usize = 64 * 1024;

/// One physical line.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// The bytes without the line end, at most [`KEPT`] of them.
    pub(crate) bytes: &'a [u8],
    /// How many bytes that are not UTF-8 continuation bytes it has: its characters, when it is UTF-8.
    pub(crate) chars: u64,
    /// Whether bytes were left out.
    pub(crate) cut: bool,
    /// Whether a line feed ends it.
    pub(crate) ended: bool,
}

impl Line<'_> {
    /// Whether nothing but spaces and tabs stands on it.
    pub(crate) fn is_blank(&self) -> bool {
        !self.cut && self.bytes.iter().all(|b| matches!(b, b' ' | b'\t'))
    }
}

/// A reader of physical lines.
pub(crate) struct Lines<R> {
    reader: R,
    hasher: Hasher,
    limit: u64,
    kept: usize,
    number: u64,
    buffer: Vec<u8>,
}

/// What one step of [`Lines`] gave.
pub(crate) enum Step<'a> {
    /// A line.
    Line(Line<'a>),
    /// More bytes than the limit; reading stopped.
    TooLarge,
    /// The end.
    End,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `reader`, of at most `limit` bytes together.
    pub(crate) fn new(reader: R, limit: u64) -> Self {
        Self::keeping(reader, limit, KEPT)
    }

    /// The same, but keeping `kept` bytes of each line.
    pub(crate) fn keeping(reader: R, limit: u64, kept: usize) -> Self {
        Self { reader, hasher: Hasher::new(), limit, kept, number: 0, buffer: Vec::new() }
    }

    /// Takes in bytes that were read ahead and are no part of a line, such as a byte-order mark.
    pub(crate) fn skip(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.reader.consume(bytes.len());
    }

    /// The next line.
    pub(crate) fn step(&mut self) -> io::Result<Step<'_>> {
        self.buffer.clear();
        let (mut chars, mut length, mut ended, mut last) = (0u64, 0u64, false, 0u8);
        while !ended {
            let chunk = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if chunk.is_empty() {
                break;
            }
            let end = chunk.iter().position(|b| *b == b'\n');
            let content = &chunk[..end.unwrap_or(chunk.len())];
            let taken = content.len() + usize::from(end.is_some());
            ended = end.is_some();
            length += content.len() as u64;
            chars += content.iter().filter(|b| **b & 0xc0 != 0x80).count() as u64;
            last = content.last().copied().unwrap_or(last);
            // One byte more than is kept, for the CR that may be dropped.
            let room = (self.kept + 1).saturating_sub(self.buffer.len());
            self.buffer.extend_from_slice(&content[..content.len().min(room)]);
            self.hasher.update(&chunk[..taken]);
            self.reader.consume(taken);
            if self.hasher.len() > self.limit {
                return Ok(Step::TooLarge);
            }
        }
        if length == 0 && !ended {
            return Ok(Step::End);
        }
        self.number += 1;
        if ended && last == b'\r' {
            length -= 1;
            chars -= 1;
        }
        let kept = usize::try_from(length).unwrap_or(usize::MAX).min(self.kept);
        self.buffer.truncate(kept);
        let cut = length > kept as u64;
        Ok(Step::Line(Line { number: self.number, bytes: &self.buffer, chars, cut, ended }))
    }

    /// Size and digest of everything that passed.
    pub(crate) fn finish(self) -> (u64, Digest) {
        (self.hasher.len(), self.hasher.finish())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn lines(text: &[u8], limit: u64) -> Vec<(u64, Vec<u8>, bool)> {
        // A buffer of three bytes: line ends fall on every boundary.
        let mut lines = Lines::keeping(io::BufReader::with_capacity(3, text), limit, 8);
        let mut out = Vec::new();
        while let Step::Line(line) = lines.step().unwrap() {
            out.push((line.number, line.bytes.to_vec(), line.cut));
        }
        out
    }

    #[test]
    fn lines_are_physical() {
        let expected: Vec<(u64, Vec<u8>, bool)> =
            vec![(1, b"ab".to_vec(), false), (2, b"".to_vec(), false), (3, b"c\rd".to_vec(), false)];
        assert_eq!(lines(b"ab\r\n\nc\rd", 100), expected);
        assert_eq!(lines(b"", 100), vec![]);
        assert_eq!(lines(b"\n", 100), vec![(1, vec![], false)]);
    }

    #[test]
    fn long_lines_and_large_files_stop_early() {
        assert_eq!(lines(b"123456789\n12345678\r\n", 100)[0], (1, b"12345678".to_vec(), true));
        assert_eq!(lines(b"123456789\n12345678\r\n", 100)[1], (2, b"12345678".to_vec(), false));
        assert_eq!(lines(b"1\n2\n3\n", 4).len(), 2);
    }
}
