//! Zstandard frames (RFC 8878): how each is written, what its header says, and decoding one alone.
//!
//! Refuses frames without content size or checksum (in packages), with a dictionary, or with a window over
//! 8 MiB, all from the header and before anything is decoded.

use std::io;

use super::fault::{FETCH_AGAIN, REPACK, refuse_at};
use super::limits::WINDOW;
use crate::problem::{CHECKSUM, DICTIONARY, FRAME_CORRUPT, PACKAGE_LAYOUT, WINDOW_TOO_LARGE};

/// The compression level. Fixed, so that the same input gives the same bytes everywhere.
pub const LEVEL: i32 = 3;

/// First bytes of a frame.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The lowest magic number of a skippable frame; the last four bits are free.
pub const SKIPPABLE: u32 = 0x184d_2a50;

/// Most bytes that a block decodes to.
pub const MAX_BLOCK: usize = 128 << 10;
/// Most bytes of a frame header, magic included.
pub const MAX_HEADER: usize = 18;

/// Compresses `content` as one frame with content size and checksum. A new context each time: what was
/// compressed before must not show in the bytes.
pub fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))?;
    compressor.set_parameter(zstd::zstd_safe::CParameter::ContentSizeFlag(true))?;
    compressor.set_parameter(zstd::zstd_safe::CParameter::DictIdFlag(false))?;
    compressor.compress(content)
}

/// Most bytes that a frame of `content` bytes may take as stored: raw blocks and their headers.
pub const fn compress_bound(content: u64) -> u64 {
    content + (content / MAX_BLOCK as u64 + 1) * 3 + MAX_HEADER as u64 + 4 + (content >> 8) + 64
}

/// What a frame header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    /// Bytes of the header, magic included.
    pub length: usize,
    /// Content size, when the header has it.
    pub content: Option<u64>,
    /// Window that decoding needs.
    pub window: u64,
    /// Whether a checksum of the content follows the last block.
    pub checksum: bool,
}

impl FrameHeader {
    /// Bytes of the header that begins with magic and this descriptor byte.
    pub const fn length_of(descriptor: u8) -> usize {
        let single = descriptor & 0x20 != 0;
        let window = if single { 0 } else { 1 };
        let dictionary = [0, 1, 2, 4][(descriptor & 3) as usize];
        let size = match descriptor >> 6 {
            0 => single as usize,
            1 => 2,
            2 => 4,
            _ => 8,
        };
        5 + window + dictionary + size
    }

    /// Reads a whole header (as long as [`Self::length_of`] says) that begins at byte `at` of the archive.
    pub fn parse(bytes: &[u8], at: u64) -> io::Result<Self> {
        let corrupt = |found: &str| refuse_at(FRAME_CORRUPT, at, found, "a Zstandard frame header", FETCH_AGAIN);
        let descriptor = *bytes.get(4).ok_or_else(|| corrupt("a cut header"))?;
        let length = Self::length_of(descriptor);
        if bytes.len() < length || bytes[..4] != MAGIC {
            return Err(corrupt("something else"));
        }
        if descriptor & 0x08 != 0 {
            return Err(corrupt("a reserved bit"));
        }
        if descriptor & 3 != 0 {
            return Err(refuse_at(DICTIONARY, at, "a dictionary id", "a frame without dictionary", REPACK));
        }
        let single = descriptor & 0x20 != 0;
        let number = |from: usize| bytes[from..length].iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
        let after_window = if single { 5 } else { 6 };
        let content = match descriptor >> 6 {
            0 if !single => None,
            1 => Some(number(after_window) + 256),
            _ => Some(number(after_window)),
        };
        let window = match content {
            Some(content) if single => content,
            _ => {
                let base = 1u64 << (10 + (bytes[5] >> 3));
                base + base / 8 * u64::from(bytes[5] & 7)
            }
        };
        if window > WINDOW {
            let found = format!("a window of {window} bytes");
            return Err(refuse_at(WINDOW_TOO_LARGE, at, found, "at most 8388608 bytes", REPACK));
        }
        Ok(Self { length, content, window, checksum: descriptor & 0x04 != 0 })
    }

    /// Refuses a header that a package may not have, or that gives another content size than the layout.
    pub fn expect(&self, content: u64, at: u64) -> io::Result<()> {
        let refuse = |found: String, expected: &str| Err(refuse_at(PACKAGE_LAYOUT, at, found, expected, REPACK));
        match self.content {
            None => refuse("a frame without content size".to_owned(), &format!("a frame of {content} bytes")),
            Some(n) if n != content => refuse(format!("a frame of {n} bytes"), &format!("a frame of {content} bytes")),
            Some(_) if !self.checksum => refuse("a frame without checksum".to_owned(), "a frame with checksum"),
            Some(_) => Ok(()),
        }
    }
}

/// Why the decoder failed, at byte `at` of the archive.
pub(super) fn decode_fault(error: &io::Error, at: u64) -> io::Error {
    let text = error.to_string();
    let code = if text.contains("checksum") { CHECKSUM } else { FRAME_CORRUPT };
    refuse_at(code, at, text.chars().take(120).collect::<String>(), "a frame that decodes", FETCH_AGAIN)
}

/// Decodes one frame of a package that was fetched alone: exactly one frame, exactly `content` bytes.
pub fn decompress(frame: &[u8], content: u64) -> io::Result<Vec<u8>> {
    let descriptor = frame.get(4).copied().unwrap_or(0);
    let head = frame.get(..FrameHeader::length_of(descriptor)).unwrap_or(frame);
    FrameHeader::parse(head, 0)?.expect(content, 0)?;
    let capacity = usize::try_from(content).map_err(io::Error::other)?;
    // The one-shot decoder would read on into a second frame; the streaming one stops after the first.
    let mut out = vec![0; capacity.max(1)];
    let mut decoder = zstd::stream::raw::Decoder::new()?;
    let (mut read, mut written) = (0, 0);
    loop {
        use zstd::stream::raw::Operation as _;
        let status =
            decoder.run_on_buffers(&frame[read..], &mut out[written..]).map_err(|e| decode_fault(&e, read as u64))?;
        read += status.bytes_read;
        written += status.bytes_written;
        if status.remaining == 0 && read == frame.len() && written == capacity {
            out.truncate(capacity);
            return Ok(out);
        }
        if status.remaining == 0 || (status.bytes_read == 0 && status.bytes_written == 0) {
            return Err(refuse_at(FRAME_CORRUPT, read as u64, "another length", "exactly one frame", FETCH_AGAIN));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::fault::finding_of;
    use super::*;

    #[test]
    fn a_frame_comes_back() {
        for size in [0usize, 1, 255, 256, 511, 65_791, 65_792, 300_000] {
            let content: Vec<u8> = (0..size).map(|n| u8::try_from(n % 251).unwrap()).collect();
            let frame = compress(&content).unwrap();
            assert!(frame.len() as u64 <= compress_bound(size as u64));
            assert_eq!(decompress(&frame, size as u64).unwrap(), content, "{size}");
            assert!(decompress(&frame, size as u64 + 1).is_err());
            assert!(decompress(&frame[..frame.len() - 1], size as u64).is_err());
            let twice = [frame.clone(), frame.clone()].concat();
            assert!(decompress(&twice, size as u64).is_err());
            let mut bad = frame.clone();
            *bad.last_mut().unwrap() ^= 1;
            assert_eq!(finding_of(&decompress(&bad, size as u64).unwrap_err()).code, CHECKSUM);
        }
    }
}
