//! The first bytes of a file: header length and header text, within a limit.

use std::io::{self, Read};

use super::sniff::sniff;
use crate::problem::{Finding, Findings, HEADER_TOO_LARGE, Place, WEIGHTS_UNREADABLE};

/// The header text and how many bytes follow it.
#[derive(Debug)]
pub struct Prefix {
    /// The header, without its length field.
    pub text: Vec<u8>,
    /// The bytes of tensor data after it.
    pub data: u64,
}

/// Reads the length field and the header of a file of `size` bytes; nothing larger than `limit` is held.
pub fn read_prefix(reader: &mut impl Read, size: u64, limit: u64, place: &Place) -> Result<Prefix, Findings> {
    let unreadable = |e: &io::Error| {
        Findings::from(Finding::new(
            WEIGHTS_UNREADABLE,
            place.clone(),
            e.kind().to_string(),
            format!("{size} bytes"),
            "try again; the file may have changed meanwhile",
        ))
    };
    let mut start = Vec::with_capacity(32);
    let want = size.min(8);
    reader.take(want).read_to_end(&mut start).map_err(|e| unreadable(&e))?;
    let length = <[u8; 8]>::try_from(start.as_slice()).ok().map(u64::from_le_bytes);
    let room = size.saturating_sub(8);
    if let Some(length) = length.filter(|n| *n <= limit.min(room)) {
        let mut text = Vec::new();
        reader.take(length).read_to_end(&mut text).map_err(|e| unreadable(&e))?;
        if text.len() as u64 != length {
            return Err(unreadable(&io::ErrorKind::UnexpectedEof.into()));
        }
        return Ok(Prefix { text, data: room - length });
    }
    // The length is impossible, so more of the start may be read to say what the file is.
    reader.take(24).read_to_end(&mut start).map_err(|e| unreadable(&e))?;
    if let Some(finding) = sniff(&start, size, place) {
        return Err(finding.into());
    }
    Err(Findings::from(Finding::new(
        HEADER_TOO_LARGE,
        place.clone(),
        format!("a header of {} bytes in a file of {size}", length.unwrap_or(0)),
        format!("at most {} bytes", limit.min(room)),
        "save the adapter again; a damaged or foreign file looks like this",
    )))
}

/// A reader that shows every byte it passes on, so that digests come from the same single pass.
pub struct Watched<R, F> {
    inner: R,
    seen: F,
}

impl<R: Read, F: FnMut(&[u8])> Watched<R, F> {
    /// `inner`, shown to `seen`.
    pub const fn new(inner: R, seen: F) -> Self {
        Self { inner, seen }
    }
}

impl<R: Read, F: FnMut(&[u8])> Read for Watched<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        (self.seen)(&buffer[..n]);
        Ok(n)
    }
}
