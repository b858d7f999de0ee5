//! Zstandard frames one after another, read block by block: bounded memory whatever the input says.
//!
//! The frame structure is walked here, not by the decoder, so that the end of each frame, what stands between
//! frames and how many bytes were consumed are known exactly.

use std::io::{self, Read};

use zstd::stream::raw::{DParameter, Decoder, Operation as _};

use super::fault::{FETCH_AGAIN, REPACK, refuse, refuse_at};
use super::frame::{self, FrameHeader, MAX_BLOCK, MAX_HEADER};
use super::seek::Frame;
use crate::digest::{Digest, Hasher};
use crate::problem::{FRAME_CORRUPT, Finding, PACKAGE_TOO_LARGE, Place, SKIPPABLE_FRAME, TRUNCATED};

/// The stored bytes: hashed, counted, and never more than the limit.
struct Source<R> {
    reader: R,
    hasher: Hasher,
    limit: u64,
}

impl<R: Read> Source<R> {
    /// Fills `buf`, or as much of it as there is.
    fn fill(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buf.len() {
            match self.reader.read(&mut buf[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.hasher.update(&buf[..filled]);
        if self.hasher.len() > self.limit {
            return Err(refuse(Finding::new(
                PACKAGE_TOO_LARGE,
                Place::default(),
                format!("more than {} bytes", self.limit),
                format!("at most {} bytes", self.limit),
                "ask the operator for the limit, or pack a smaller adapter",
            )));
        }
        Ok(filled)
    }

    fn exact(&mut self, buf: &mut [u8]) -> io::Result<()> {
        let filled = self.fill(buf)?;
        if filled == buf.len() {
            return Ok(());
        }
        let found = format!("the end after {} bytes", self.hasher.len());
        Err(refuse_at(TRUNCATED, self.hasher.len(), found, "a complete archive", FETCH_AGAIN))
    }
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A frame with content, which [`Frames::read`] gives.
    Content(FrameHeader),
    /// The four bytes after the magic number and the size of a skippable frame follow; see [`Frames::skippable`].
    Skippable {
        /// The whole magic number.
        magic: u32,
        /// Bytes of the payload.
        size: u32,
    },
    /// Bytes that begin no frame.
    Other([u8; 4]),
    /// Nothing.
    End,
}

/// Frames of an archive.
pub(super) struct Frames<R> {
    source: Source<R>,
    decoder: Decoder<'static>,
    /// Stored bytes that the decoder has not taken yet.
    chunk: Vec<u8>,
    fed: usize,
    /// Decoded bytes that nobody has read yet.
    out: Vec<u8>,
    ready: std::ops::Range<usize>,
    current: Option<Current>,
}

struct Current {
    header: FrameHeader,
    start: u64,
    decoded: u64,
    last_block: bool,
    complete: bool,
}

impl<R: Read> Frames<R> {
    /// Frames of at most `limit` stored bytes.
    pub(super) fn new(reader: R, limit: u64) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(23))?;
        Ok(Self {
            source: Source { reader, hasher: Hasher::new(), limit },
            decoder,
            chunk: Vec::with_capacity(MAX_BLOCK + MAX_HEADER),
            fed: 0,
            out: vec![0; MAX_BLOCK],
            ready: 0..0,
            current: None,
        })
    }

    /// How many stored bytes were consumed.
    pub(super) const fn consumed(&self) -> u64 {
        self.source.hasher.len()
    }

    /// Digest and size of everything consumed.
    pub(super) fn finish(self) -> (Digest, u64) {
        let size = self.source.hasher.len();
        (self.source.hasher.finish(), size)
    }

    /// Goes to the next frame. The current one must have been read to its end.
    pub(super) fn next(&mut self) -> io::Result<Next> {
        let start = self.consumed();
        let mut magic = [0; 4];
        match self.source.fill(&mut magic)? {
            0 => return Ok(Next::End),
            4 => {}
            n if frame::MAGIC.starts_with(&magic[..n]) => {
                return Err(refuse_at(TRUNCATED, self.consumed(), "a cut frame", "a complete archive", FETCH_AGAIN));
            }
            _ => return Ok(Next::Other(magic)),
        }
        if magic != frame::MAGIC {
            let number = u32::from_le_bytes(magic);
            if number & !0xf != frame::SKIPPABLE {
                return Ok(Next::Other(magic));
            }
            let mut size = [0; 4];
            self.source.exact(&mut size)?;
            return Ok(Next::Skippable { magic: number, size: u32::from_le_bytes(size) });
        }
        self.chunk.clear();
        self.chunk.extend_from_slice(&magic);
        self.take(1)?;
        let length = FrameHeader::length_of(self.chunk[4]);
        self.take(length - 5)?;
        let header = FrameHeader::parse(&self.chunk, start)?;
        self.fed = 0;
        self.ready = 0..0;
        self.decoder.reinit()?;
        self.current = Some(Current { header, start, decoded: 0, last_block: false, complete: false });
        Ok(Next::Content(header))
    }

    /// The payload of a skippable frame, which may have at most `limit` bytes.
    pub(super) fn skippable(&mut self, size: u32, limit: usize) -> io::Result<Vec<u8>> {
        let at = self.consumed();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > limit {
            let found = format!("a skippable frame of {size} bytes");
            return Err(refuse_at(SKIPPABLE_FRAME, at, found, &format!("at most {limit} bytes"), REPACK));
        }
        let mut payload = vec![0; size];
        self.source.exact(&mut payload)?;
        Ok(payload)
    }

    /// Sizes of the current frame, once it was read to its end.
    pub(super) fn sizes(&self) -> Option<Frame> {
        let current = self.current.as_ref().filter(|c| c.complete)?;
        Some(Frame {
            compressed: u32::try_from(self.consumed() - current.start).ok()?,
            content: u32::try_from(current.decoded).ok()?,
        })
    }

    /// Appends `count` stored bytes to the chunk.
    fn take(&mut self, count: usize) -> io::Result<()> {
        let from = self.chunk.len();
        self.chunk.resize(from + count, 0);
        self.source.exact(&mut self.chunk[from..])
    }

    /// Takes the next block, with the checksum behind the last one.
    fn take_block(&mut self) -> io::Result<()> {
        let at = self.consumed();
        self.chunk.clear();
        self.fed = 0;
        self.take(3)?;
        let word = u32::from_le_bytes([self.chunk[0], self.chunk[1], self.chunk[2], 0]);
        let (last, kind, size) = (word & 1 == 1, word >> 1 & 3, (word >> 3) as usize);
        if kind == 3 || size > MAX_BLOCK {
            return Err(refuse_at(
                FRAME_CORRUPT,
                at,
                "a block of impossible size or type",
                "a valid frame",
                FETCH_AGAIN,
            ));
        }
        // A block of one repeated byte stores that byte alone.
        self.take(if kind == 1 { 1 } else { size })?;
        if let Some(current) = &mut self.current {
            current.last_block = last;
            if last && current.header.checksum {
                self.take(4)?;
            }
        }
        Ok(())
    }

    /// Decodes until something is ready or the frame is complete.
    fn decode(&mut self) -> io::Result<()> {
        loop {
            let Some(current) = &mut self.current else { return Ok(()) };
            if current.complete || !self.ready.is_empty() {
                return Ok(());
            }
            let (last_block, start) = (current.last_block, current.start);
            if self.fed == self.chunk.len() && !last_block {
                self.take_block()?;
            }
            let status = self
                .decoder
                .run_on_buffers(&self.chunk[self.fed..], &mut self.out)
                .map_err(|e| frame::decode_fault(&e, start))?;
            self.fed += status.bytes_read;
            self.ready = 0..status.bytes_written;
            let Some(current) = &mut self.current else { return Ok(()) };
            current.decoded += status.bytes_written as u64;
            let all_fed = self.fed == self.chunk.len() && current.last_block;
            if status.remaining == 0 && all_fed {
                current.complete = true;
            } else if status.remaining == 0 || (all_fed && status.bytes_written == 0) {
                return Err(refuse_at(
                    FRAME_CORRUPT,
                    start,
                    "a frame that ends elsewhere",
                    "a valid frame",
                    FETCH_AGAIN,
                ));
            }
        }
    }
}

impl<R: Read> Read for Frames<R> {
    /// Content of the current frame; nothing at its end.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        self.decode()?;
        let count = buf.len().min(self.ready.len());
        buf[..count].copy_from_slice(&self.out[self.ready.start..self.ready.start + count]);
        self.ready.start += count;
        if self.ready.is_empty() {
            // The end of a frame is only seen when its last bytes are asked for; see to it without being asked.
            self.decode_end()?;
        }
        Ok(count)
    }
}

impl<R: Read> Frames<R> {
    /// Completes the frame when all of its content has been handed out.
    fn decode_end(&mut self) -> io::Result<()> {
        match &self.current {
            Some(current) if !current.complete && current.header.content == Some(current.decoded) => self.decode(),
            _ => Ok(()),
        }
    }
}
