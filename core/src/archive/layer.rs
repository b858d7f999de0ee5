//! A check of the tar layer alone: would the archive be safe to look into, whatever files it holds?
//!
//! Looser than a package (any names within the rules, any cut into frames), so that an archive made elsewhere is
//! refused for what is wrong with it. Nothing is unpacked. All faults of all entries are reported together,
//! up to the first that leaves the rest unreadable.

use std::io::{self, Read};

use super::fault::{FETCH_AGAIN, REPACK, finding_of, refuse, refuse_at, shown};
use super::header::{self, BLOCK, Block, Header};
use super::limits::Limits;
use super::path;
use super::seek::{Frame, SeekTable, TABLE_MAGIC};
use super::stream::{Frames, Next};
use crate::problem::{
    COMPRESSION, EMPTY, EXTENDED_HEADER, Finding, Findings, LINK_ENTRY, OUTPUT_LIMIT, Place, SEEK_TABLE,
    SKIPPABLE_FRAME, TOO_MANY_ENTRIES, TRAILING_DATA, TRUNCATED,
};

/// One entry of an archive that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: u64,
}

/// Most frames that are remembered while looking for a seek table.
const MAX_FRAMES: usize = 1 << 16;
/// Most bytes of an extension header that are read to say what it would have changed.
const MAX_EXTENSION: u64 = 64 << 10;

/// Checks a tar archive, plain or compressed with Zstandard.
pub fn check<R: Read>(mut source: R, limits: &Limits) -> Result<Vec<Entry>, Findings> {
    let mut start = Vec::new();
    (&mut source).take(6).read_to_end(&mut start).map_err(|e| finding_of(&e))?;
    if let Some(other) = other_compression(&start) {
        let next = "compress with Zstandard, or make the package with `retoque pack`";
        return Err(Finding::new(COMPRESSION, Place::default(), other, "Zstandard", next).into());
    }
    let zstd = start.starts_with(&super::frame::MAGIC)
        || start.first_chunk().is_some_and(|m| u32::from_le_bytes(*m) & !0xf == super::frame::SKIPPABLE);
    let whole = io::Cursor::new(start).chain(source);
    if zstd {
        let frames = Frames::new(whole, limits.archive).map_err(|e| finding_of(&e))?;
        entries(Flat { frames, seen: Vec::new(), inside: false, ended: false }, limits)
    } else {
        entries(whole, limits)
    }
}

/// The name of a compression that is not ours, from the first bytes.
pub(super) fn other_compression(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x1f, 0x8b, ..] => Some("gzip"),
        [b'B', b'Z', b'h', ..] => Some("bzip2"),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Some("xz"),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some("a ZIP archive"),
        _ => None,
    }
}

/// All frames as one stream; a final seek table must describe them.
struct Flat<R> {
    frames: Frames<R>,
    seen: Vec<Frame>,
    inside: bool,
    ended: bool,
}

impl<R: Read> Read for Flat<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buf.is_empty() {
            if self.inside {
                let count = self.frames.read(buf)?;
                if count > 0 {
                    return Ok(count);
                }
                self.seen.extend(self.frames.sizes().filter(|_| self.seen.len() < MAX_FRAMES));
                self.inside = false;
            }
            let at = self.frames.consumed();
            match self.frames.next()? {
                Next::Content(_) => self.inside = true,
                Next::End => self.ended = true,
                Next::Other(bytes) => {
                    return Err(refuse_at(TRAILING_DATA, at, shown(&bytes), "the end of the archive", FETCH_AGAIN));
                }
                Next::Skippable { magic, size } => {
                    if magic != TABLE_MAGIC || self.seen.is_empty() {
                        return Err(refuse_at(SKIPPABLE_FRAME, at, "a skippable frame", "content only", REPACK));
                    }
                    self.check_table(at, size)?;
                }
            }
        }
        Ok(0)
    }
}

impl<R: Read> Flat<R> {
    fn check_table(&mut self, at: u64, size: u32) -> io::Result<()> {
        let payload = self.frames.skippable(size, SeekTable::encoded_len(MAX_FRAMES))?;
        let table = SeekTable { frames: std::mem::take(&mut self.seen) }.encode()?;
        if table[8..] != payload {
            return Err(refuse_at(SEEK_TABLE, at, "other sizes", "the sizes of the frames before it", REPACK));
        }
        match self.frames.next()? {
            Next::End => self.ended = true,
            _ => return Err(refuse_at(TRAILING_DATA, at, "bytes after the seek table", "the end", FETCH_AGAIN)),
        }
        Ok(())
    }
}

/// Tar blocks, counted against the output limit.
struct Blocks<R> {
    reader: R,
    at: u64,
    limit: u64,
}

impl<R: Read> Blocks<R> {
    /// The next block, or `None` at the end of the input.
    fn next(&mut self) -> io::Result<Option<Block>> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.reader.read(&mut block[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.at += filled as u64;
        if self.at > self.limit {
            return Err(self.over());
        }
        match filled {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            _ => Err(self.cut("a cut block")),
        }
    }

    /// Refuses anything that is still there.
    fn end(&mut self) -> io::Result<()> {
        let mut more = [0; 1];
        loop {
            return match self.reader.read(&mut more) {
                Ok(0) => Ok(()),
                Ok(_) => Err(refuse_at(TRAILING_DATA, self.at, "data after the two zero blocks", "the end", REPACK)),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => Err(e),
            };
        }
    }

    fn over(&self) -> io::Error {
        refuse(Finding::new(
            OUTPUT_LIMIT,
            Place::default(),
            format!("more than {} bytes of content", self.limit),
            format!("at most {} bytes", self.limit),
            "ask the operator for the limit, or pack a smaller adapter",
        ))
    }

    fn cut(&self, found: &str) -> io::Error {
        refuse_at(TRUNCATED, self.at, found, "a complete archive", FETCH_AGAIN)
    }

    /// Reads `size` bytes of content and the padding behind them; the first `keep` come back.
    fn content(&mut self, size: u64, keep: u64) -> io::Result<Vec<u8>> {
        if size > self.limit {
            // Refused before it is read; whether the bytes are there makes no difference.
            return Err(self.over());
        }
        let mut kept = Vec::new();
        let mut left = size;
        while left > 0 {
            let Some(block) = self.next()? else {
                return Err(self.cut("the end within a file"));
            };
            let part = usize::try_from(left.min(BLOCK as u64)).unwrap_or(BLOCK);
            if (kept.len() as u64) < keep {
                kept.extend_from_slice(&block[..part]);
            }
            left -= part as u64;
        }
        Ok(kept)
    }
}

fn entries<R: Read>(reader: R, limits: &Limits) -> Result<Vec<Entry>, Findings> {
    let mut findings = Findings::new();
    let mut list = Vec::new();
    let blocks = Blocks { reader, at: 0, limit: limits.tar };
    if let Err(error) = walk(blocks, limits, &mut list, &mut findings) {
        findings.push(finding_of(&error));
    }
    findings.into_result(list).map(|(list, _)| list)
}

fn walk<R: Read>(
    mut blocks: Blocks<R>,
    limits: &Limits,
    list: &mut Vec<Entry>,
    findings: &mut Findings,
) -> io::Result<()> {
    let mut seen = path::Seen::default();
    let mut headers = 0usize;
    let empty = || refuse(Finding::new(EMPTY, Place::default(), "no entry", "at least one file", REPACK));
    loop {
        let Some(block) = blocks.next()? else {
            return Err(if headers == 0 { empty() } else { blocks.cut("no end marker") });
        };
        if block == [0; BLOCK] {
            match blocks.next()? {
                Some(second) if second == [0; BLOCK] => {}
                Some(_) => {
                    return Err(refuse_at(TRAILING_DATA, blocks.at, "data after one zero block", "two", REPACK));
                }
                None => return Err(blocks.cut("one zero block at the end instead of two")),
            }
            blocks.end()?;
            return if headers == 0 { Err(empty()) } else { Ok(()) };
        }
        headers += 1;
        if headers > limits.entries {
            let found = format!("more than {} entries", limits.entries);
            return Err(refuse_at(TOO_MANY_ENTRIES, blocks.at, found, "fewer", REPACK));
        }
        let header = Header::parse(&block);
        let faults = header::faults(&block);
        let readable = header.size.is_some() && faults.iter().all(|f| f.code != crate::problem::CHECKSUM);
        for fault in faults {
            findings.push(fault);
        }
        let Some(size) = header.size.filter(|_| readable) else { return Ok(()) };
        if header.is_extension() {
            let content = blocks.content(size, MAX_EXTENSION)?;
            extension(&header, &content, findings);
            continue;
        }
        name(&header, &mut seen, findings);
        list.push(Entry { name: shown(&header.name), size });
        // Links and special files have no content, whatever their size field says.
        if matches!(header.kind, b'0' | 0 | b'7' | b'S') {
            blocks.content(size, 0)?;
        }
    }
}

fn name(header: &Header, seen: &mut path::Seen, findings: &mut Findings) {
    if let Some((code, expected)) = path::fault(&header.name) {
        findings.push(Finding::new(
            code,
            header.place(),
            shown(&header.name),
            expected,
            "rename the file and pack again",
        ));
    }
    if let Ok(text) = std::str::from_utf8(&header.name)
        && let Some(finding) = seen.add(text)
    {
        findings.push(finding);
    }
}

/// Says what an extension header would have done to the next entry.
fn extension(header: &Header, content: &[u8], findings: &mut Findings) {
    match header.kind {
        b'L' => findings.extend(renamed(header, content.strip_suffix(b"\0").unwrap_or(content))),
        b'K' => findings.push(link(header, content)),
        _ => {
            for record in content.split(|b| *b == b'\n') {
                let body = record.splitn(2, |b| *b == b' ').nth(1).unwrap_or_default();
                match body.iter().position(|b| *b == b'=').map(|at| (&body[..at], &body[at + 1..])) {
                    Some((b"path", value)) => findings.extend(renamed(header, value)),
                    Some((b"linkpath", value)) => findings.push(link(header, value)),
                    Some((key, _)) => findings.push(Finding::new(
                        EXTENDED_HEADER,
                        header.place(),
                        format!("the record {}", shown(key)),
                        "plain ustar",
                        REPACK,
                    )),
                    None => {}
                }
            }
        }
    }
}

fn renamed(header: &Header, value: &[u8]) -> Findings {
    let finding =
        path::fault(value).map(|(code, expected)| Finding::new(code, header.place(), shown(value), expected, REPACK));
    finding.map(Findings::from).unwrap_or_default()
}

fn link(header: &Header, target: &[u8]) -> Finding {
    Finding::new(LINK_ENTRY, header.place(), format!("a link to {}", shown(target)), "a regular file", REPACK)
}
