//! A finding that travels as an I/O error, from deep inside a reader to where findings are collected.

use std::fmt;
use std::io;

use crate::problem::{Code, Finding, PACKAGE_UNREADABLE, Place, TRUNCATED};

/// A finding as an error. Readers of content see it as an [`io::Error`]; the archive reader takes it out again.
#[derive(Debug, Clone)]
pub(crate) struct Fault(Box<Finding>);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for Fault {}

/// An error that carries the finding.
pub(crate) fn refuse(finding: Finding) -> io::Error {
    io::Error::other(Fault(Box::new(finding)))
}

/// A refusal at a byte of the archive as stored.
pub(crate) fn refuse_at(code: Code, byte: u64, found: impl Into<String>, expected: &str, next: &str) -> io::Error {
    refuse(Finding::new(code, Place::default().at_byte(byte), found, expected, next))
}

/// What to do about an archive that another program made.
pub(crate) const REPACK: &str = "make the package with `retoque pack`";
/// What to do about an archive that was damaged on its way.
pub(crate) const FETCH_AGAIN: &str = "copy or download the archive again and compare its digest";

/// The finding inside an error that reading or decoding gave, or one that says why reading stopped.
pub fn finding_of(error: &io::Error) -> Finding {
    if let Some(fault) = error.get_ref().and_then(|inner| inner.downcast_ref::<Fault>()) {
        return (*fault.0).clone();
    }
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Finding::new(TRUNCATED, Place::default(), "the end of the input", "a complete archive", FETCH_AGAIN);
    }
    // The text of an I/O error may name a path; its kind never does.
    Finding::new(PACKAGE_UNREADABLE, Place::default(), error.kind().to_string(), "a readable archive", "try again")
}

/// Text from an archive, safe to show: printable ASCII only, cut after 120 characters.
pub(crate) fn shown(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "(nothing)".to_owned();
    }
    let mut text: String =
        bytes.iter().take(120).flat_map(|b| std::ascii::escape_default(*b)).map(char::from).collect();
    if bytes.len() > 120 || text.len() > 240 {
        text.truncate(240);
        text.push('…');
    }
    text
}
