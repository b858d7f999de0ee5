//! Reads a bundle in one forward pass. Every header has to be byte for byte the one that the writer makes.

use std::io::{self, Read};

use super::layout::Member;
use crate::archive::header::{self, BLOCK, Block, Header};
use crate::archive::padding;
use crate::problem::{
    BUNDLE_ENTRY, BUNDLE_HEADER, BUNDLE_LINK, BUNDLE_SIZE, BUNDLE_TRAILING, BUNDLE_TRUNCATED, BUNDLE_UNREADABLE, Code,
    Finding, LINK_ENTRY, Place, SPARSE_ENTRY, SPECIAL_ENTRY, excerpt,
};

const NEXT: &str = "do not use this file; fetch the bundle again, or pull the version from the registry";

/// Reads one bundle.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// How many bytes were read.
    at: u64,
    due: Option<Member>,
    folder: Option<String>,
    /// Bytes of the current entry that are still to come.
    left: u64,
    padding: u64,
    /// The header that was read to find that an optional entry is missing.
    ahead: Option<Block>,
}

/// The content of the current entry. What is not read of it is skipped.
#[derive(Debug)]
pub struct Content<'r, R> {
    reader: &'r mut Reader<R>,
    size: u64,
}

impl<R: Read> Reader<R> {
    /// A reader of the bundle that `source` gives.
    pub const fn new(source: R) -> Self {
        Self { source, at: 0, due: Some(Member::FIRST), folder: None, left: 0, padding: 0, ahead: None }
    }

    /// The name of the folder, once an entry of it was reached.
    pub fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// The next entry, or nothing at the end, which has to be the end of the file as well.
    pub fn entry(&mut self) -> Result<Option<(Member, Content<'_, R>)>, Finding> {
        self.skip()?;
        let block = match self.ahead.take() {
            Some(block) => block,
            None => self.block()?,
        };
        let Some(due) = self.due else { return self.end(&block).map(|()| None) };
        let found = self.judge(&block)?;
        let due = match due.next() {
            Some(after) if due.is_optional() && found.base() == after.name() => after,
            _ => due,
        };
        self.expect(due, &found, &block)?;
        self.due = due.next();
        (self.left, self.padding) = (found.size, padding(found.size));
        Ok(Some((due, Content { size: found.size, reader: self })))
    }

    /// Refuses unless everything was read and the file ends here.
    pub fn finish(mut self) -> Result<(), Finding> {
        match self.entry()? {
            None => Ok(()),
            Some((member, _)) => {
                let found = format!("{} is still to come", member.name());
                Err(refuse(BUNDLE_ENTRY, member.name(), self.at, &found, "the end of the bundle"))
            }
        }
    }

    /// The header as one of a file, whatever its name.
    fn judge(&self, block: &Block) -> Result<Found, Finding> {
        let at = self.at - BLOCK as u64;
        if block.iter().all(|b| *b == 0) {
            let due = self.due.map_or("", Member::name);
            return Err(refuse(BUNDLE_TRUNCATED, due, at, "the end of the bundle", "the entry"));
        }
        if let Some(fault) = header::faults(block).into_iter().next() {
            let code = if [LINK_ENTRY, SPECIAL_ENTRY, SPARSE_ENTRY].contains(&fault.code) {
                BUNDLE_LINK
            } else {
                BUNDLE_HEADER
            };
            let place = fault.place.at_byte(at);
            return Err(Finding::new(code, place, fault.found, fault.expected, NEXT));
        }
        let header = Header::parse(block);
        let name = String::from_utf8_lossy(&header.name).into_owned();
        let Some(size) = header.size else {
            return Err(refuse(BUNDLE_HEADER, &excerpt(&name), at, "no size", "a size in octal digits"));
        };
        Ok(Found { name, size })
    }

    /// Whether the header is that of the entry that is due.
    fn expect(&mut self, due: Member, found: &Found, block: &Block) -> Result<(), Finding> {
        let at = self.at - BLOCK as u64;
        let folder = match (due.is_in_folder(), &self.folder) {
            (false, _) => String::new(),
            (true, Some(folder)) => folder.clone(),
            (true, None) => found.folder().to_owned(),
        };
        let wanted = if folder.is_empty() { due.name().to_owned() } else { format!("{folder}/{}", due.name()) };
        if found.name != wanted || due.is_in_folder() && !is_plain(&folder) {
            return Err(refuse(BUNDLE_ENTRY, &excerpt(&found.name), at, "an entry that does not stand here", &wanted));
        }
        if found.size > due.limit() {
            let expected = format!("at most {} bytes", due.limit());
            return Err(refuse(BUNDLE_SIZE, due.name(), at, &format!("{} bytes", found.size), &expected));
        }
        if due.header(&folder, found.size).as_ref() != Some(block) {
            return Err(refuse(
                BUNDLE_HEADER,
                due.name(),
                at,
                "another spelling of the header",
                "the one of `bundle create`",
            ));
        }
        if due.is_in_folder() {
            self.folder = Some(folder);
        }
        Ok(())
    }

    /// Two blocks of zeros, the first of which is `block`, and nothing after.
    fn end(&mut self, block: &Block) -> Result<(), Finding> {
        let at = self.at - BLOCK as u64;
        if block.iter().any(|b| *b != 0) || self.block()?.iter().any(|b| *b != 0) {
            return Err(refuse(BUNDLE_TRAILING, "", at, "more entries or other bytes", "two blocks of zeros"));
        }
        let mut more = [0];
        let read = self.source.read(&mut more).map_err(|e| self.unreadable(&e))?;
        if read == 0 { Ok(()) } else { Err(refuse(BUNDLE_TRAILING, "", self.at, "more bytes", "the end of the file")) }
    }

    fn block(&mut self) -> Result<Block, Finding> {
        let mut block = [0; BLOCK];
        self.source.read_exact(&mut block).map_err(|e| self.unreadable(&e))?;
        self.at += BLOCK as u64;
        Ok(block)
    }

    /// Passes over what is left of the current entry, and over its padding, which has to be zeros.
    fn skip(&mut self) -> Result<(), Finding> {
        let mut buffer = [0; 4 << 10];
        while self.left > 0 {
            let room = usize::try_from(self.left).unwrap_or(buffer.len()).min(buffer.len());
            self.read(&mut buffer[..room]).map_err(|e| self.unreadable(&e))?;
        }
        let rest = usize::try_from(std::mem::take(&mut self.padding)).unwrap_or_default();
        self.source.read_exact(&mut buffer[..rest]).map_err(|e| self.unreadable(&e))?;
        if buffer[..rest].iter().any(|b| *b != 0) {
            return Err(refuse(
                BUNDLE_TRAILING,
                "",
                self.at,
                "other bytes after an entry",
                "zeros up to the next header",
            ));
        }
        self.at += rest as u64;
        Ok(())
    }

    /// Content of the current entry: never nothing before its end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(buffer.len()).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        let read = loop {
            match self.source.read(&mut buffer[..room]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        self.at += read as u64;
        Ok(read)
    }

    fn unreadable(&self, error: &io::Error) -> Finding {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                refuse(BUNDLE_TRUNCATED, "", self.at, "the end of the file", "the rest of the bundle")
            }
            kind => refuse(BUNDLE_UNREADABLE, "", self.at, &kind.to_string(), "a file that can be read"),
        }
    }
}

impl<R: Read> Content<'_, R> {
    /// How many bytes it has.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// All of it. Only for entries with a small limit: it is checked against that before.
    pub fn whole(&mut self) -> Result<Vec<u8>, Finding> {
        let mut bytes = Vec::new();
        // What a header claims reserves nothing; the buffer grows with what comes.
        match self.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(self.reader.unreadable(&error)),
        }
    }

    /// The finding for an error that reading it gave.
    pub fn finding(&self, error: &io::Error) -> Finding {
        self.reader.unreadable(error)
    }
}

impl<R: Read> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// What a header says.
struct Found {
    name: String,
    size: u64,
}

impl Found {
    fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    fn folder(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// A folder directly in the archive. Whether it is that of the release is judged when the release is known.
fn is_plain(folder: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    !folder.is_empty() && !folder.starts_with(['.', '-']) && folder.bytes().all(plain)
}

fn refuse(code: Code, name: &str, at: u64, found: &str, expected: &str) -> Finding {
    let place = if name.is_empty() { Place::default() } else { Place::file(name) };
    Finding::new(code, place.at_byte(at), found, expected, NEXT)
}
