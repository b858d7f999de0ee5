//! Writes a bundle, entry by entry in their order.

use std::io::{self, Read, Write};

use super::layout::Member;
use crate::archive::header::BLOCK;
use crate::archive::padding;
use crate::problem::{BUNDLE_ENTRY, BUNDLE_SIZE, BUNDLE_UNREADABLE, Finding, Place};

/// Writes one bundle.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    folder: String,
    next: Option<Member>,
}

impl<W: Write> Writer<W> {
    /// A bundle with this folder.
    pub fn new(out: W, folder: String) -> Self {
        Self { out, folder, next: Some(Member::FIRST) }
    }

    /// Adds the next entry: exactly `size` bytes of `content`. Only an optional entry may be left out.
    pub fn add(&mut self, name: &str, size: u64, content: &mut dyn Read) -> Result<(), Finding> {
        let due = self.next.filter(|due| !(due.is_optional() && due.name() != name)).or_else(|| self.next?.next());
        let Some(due) = due.filter(|due| due.name() == name) else {
            let expected = due.map_or("the end of the bundle", Member::name);
            return Err(refuse(BUNDLE_ENTRY, name, "an entry out of order", expected));
        };
        let header = due.header(&self.folder, size).filter(|_| size <= due.limit());
        let Some(header) = header else {
            return Err(refuse(BUNDLE_SIZE, name, &format!("{size} bytes"), &format!("at most {}", due.limit())));
        };
        let failed = |e: io::Error| refuse(BUNDLE_UNREADABLE, name, &e.kind().to_string(), "a file that can be copied");
        self.out.write_all(&header).map_err(failed)?;
        let copied = io::copy(&mut content.take(size), &mut self.out).map_err(failed)?;
        if copied != size {
            return Err(refuse(BUNDLE_UNREADABLE, name, &format!("{copied} bytes"), &format!("{size} bytes")));
        }
        let rest = usize::try_from(padding(size)).unwrap_or_default();
        self.out.write_all(&[0; BLOCK][..rest]).map_err(failed)?;
        self.next = due.next();
        Ok(())
    }

    /// Ends the bundle.
    pub fn finish(mut self) -> Result<W, Finding> {
        if let Some(due) = self.next {
            return Err(refuse(BUNDLE_ENTRY, due.name(), "no such entry", "every entry"));
        }
        let end = self.out.write_all(&[0; 2 * BLOCK]).and_then(|()| self.out.flush());
        end.map_err(|e| refuse(BUNDLE_UNREADABLE, "", &e.kind().to_string(), "a file that can be written"))?;
        Ok(self.out)
    }
}

fn refuse(code: crate::problem::Code, name: &str, found: &str, expected: &str) -> Finding {
    let place = if name.is_empty() { Place::default() } else { Place::file(name) };
    Finding::new(code, place, found, expected, "pull the version again, then make the bundle")
}
