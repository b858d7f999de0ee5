//! C2SP signed notes: a text, an empty line, and lines `— name base64(id signature)`.
//!
//! Refuses notes over 16 KiB or with more than 64 lines, control characters, other base64 than the standard one, and
//! any note that is not exactly what it would be printed as: what was read can be stored and compared as bytes.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub use super::vkey::is_name;
use crate::problem::{Finding, NOTE_INVALID, Place, quote};
use crate::sign::Signer;

use super::vkey::{Algorithm, VerifierKey};

/// The largest note that is read.
pub const MAX_BYTES: usize = 16 * 1024;
/// The most signature lines that are looked at.
pub const MAX_LINES: usize = 64;

const DASH: &str = "\u{2014} ";

/// One signature line. Who it claims to be of is believed only after verification.
#[derive(Clone, PartialEq, Eq)]
pub struct Line {
    name: String,
    id: u32,
    signature: Vec<u8>,
}

impl Line {
    /// The line of `key` with this signature.
    pub fn new(key: &VerifierKey, signature: Vec<u8>) -> Self {
        Self { name: key.name().to_owned(), id: key.id(), signature }
    }

    /// Reads one line, without its newline.
    pub fn parse(text: &str) -> Result<Self, Finding> {
        const FORM: &str = "`\u{2014} name base64`, the base64 of four bytes of key id and a signature";
        let fail = || refuse(format!("the line {}", quote(text)), FORM);
        let (name, encoded) = text.strip_prefix(DASH).and_then(|rest| rest.split_once(' ')).ok_or_else(fail)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| fail())?;
        let (id, signature) = bytes.split_first_chunk::<4>().ok_or_else(fail)?;
        if !is_name(name) || signature.is_empty() {
            return Err(fail());
        }
        Ok(Self { name: name.to_owned(), id: u32::from_be_bytes(*id), signature: signature.to_vec() })
    }

    /// The key name that the line claims.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key id that the line claims.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The bytes behind the key id.
    pub fn signature(&self) -> &[u8] {
        &self.signature
    }

    /// Whether the line claims to be of `key`: same name and same id.
    pub fn claims(&self, key: &VerifierKey) -> bool {
        self.id == key.id() && self.name == key.name()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.id.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.signature);
        write!(f, "{DASH}{} {}", self.name, STANDARD.encode(bytes))
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text and the lines under it. Displayed as the note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    lines: Vec<Line>,
}

impl Note {
    /// Signs `text`, which ends in a newline, under the name of `key` with algorithm 1.
    pub fn sign(text: &str, name: &str, signer: &dyn Signer) -> Result<Self, Finding> {
        check_text(text)?;
        let key = VerifierKey::new(name, Algorithm::Ed25519, signer.public().clone())?;
        let line = Line::new(&key, signer.sign(text.as_bytes())?.to_vec());
        Ok(Self { text: text.to_owned(), lines: vec![line] })
    }

    /// Reads a note, strictly and within [`MAX_BYTES`]. Nothing is verified yet.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        if bytes.len() > MAX_BYTES {
            return Err(refuse(format!("{} bytes", bytes.len()), format!("at most {MAX_BYTES} bytes")));
        }
        let whole = std::str::from_utf8(bytes).map_err(|_| refuse("bytes that are not UTF-8", "UTF-8 text"))?;
        let (before, under) = whole
            .rsplit_once("\n\n")
            .ok_or_else(|| refuse("no empty line", "a text, an empty line and signature lines"))?;
        let text = format!("{before}\n");
        check_text(&text)?;
        let under = under.strip_suffix('\n').ok_or_else(|| refuse("no newline at the end", "whole lines"))?;
        if under.split('\n').count() > MAX_LINES {
            return Err(refuse("more signature lines", format!("at most {MAX_LINES}")));
        }
        let lines = under.split('\n').map(Line::parse).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { text, lines })
    }

    /// The signed text, with its last newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines, in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The first line that claims to be of `key`.
    pub fn line_of(&self, key: &VerifierKey) -> Option<&Line> {
        self.lines.iter().find(|line| line.claims(key))
    }

    /// Adds a line; one of the same name and key id is replaced, so that a newer timestamp takes its place.
    pub fn put(&mut self, line: Line) {
        match self.lines.iter_mut().find(|old| old.id == line.id && old.name == line.name) {
            Some(old) => *old = line,
            None => self.lines.push(line),
        }
    }

    /// Whether `key` (algorithm 1) signed the text: `None` when no line claims so. A line that claims it and was not
    /// made by the key gives `Some(false)`, whatever other lines say.
    pub fn signed_by(&self, key: &VerifierKey) -> Option<bool> {
        if key.algorithm() != Algorithm::Ed25519 {
            return None;
        }
        let mut claims = self.lines.iter().filter(|line| line.claims(key)).peekable();
        claims.peek()?;
        Some(claims.all(|line| key.key().verifies(self.text.as_bytes(), &line.signature)))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

fn check_text(text: &str) -> Result<(), Finding> {
    if let Some(c) = text.chars().find(|c| u32::from(*c) < 0x20 && *c != '\n') {
        return Err(refuse(format!("the control character U+{:04X}", u32::from(c)), "text without control characters"));
    }
    if text.ends_with('\n') { Ok(()) } else { Err(refuse("no newline behind the text", "whole lines")) }
}

fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "fetch it again from the log that you trust";
    Finding::new(NOTE_INVALID, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "note_tests.rs"]
mod tests;
