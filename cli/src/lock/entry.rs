//! TOML as it is read here: every value with its line, and every fault of a file at once.

use std::ops::Range;

use retoque_core::problem::{Code, Finding, Findings, Place, excerpt};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that is being read: its text, and the faults so far.
pub(super) struct Reading<'a> {
    text: &'a str,
    name: &'static str,
    code: Code,
    next: &'static str,
    findings: Findings,
}

impl<'a> Reading<'a> {
    /// Begins with the text. Text that is no TOML at all is one fault.
    pub(super) fn begin(
        text: &'a str,
        name: &'static str,
        code: Code,
        next: &'static str,
    ) -> Result<(Self, DeTable<'a>), Findings> {
        let mut reading = Self { text, name, code, next, findings: Findings::new() };
        match DeTable::parse(text) {
            Ok(table) => Ok((reading, table.into_inner())),
            Err(error) => {
                let at = error.span().unwrap_or(0..0);
                reading.fault(&at, error.message(), "well-formed TOML, each name once");
                Err(reading.findings)
            }
        }
    }

    /// Notes a fault.
    pub(super) fn fault(&mut self, at: &Range<usize>, found: &str, expected: &str) {
        let place = Place::file(self.name).at_line(self.line(at));
        self.findings.push(Finding::new(self.code, place, excerpt(found), expected, self.next));
    }

    /// The line of a place in the text, from 1.
    pub(super) fn line(&self, at: &Range<usize>) -> u64 {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        before.bytes().filter(|b| *b == b'\n').count() as u64 + 1
    }

    /// Text, or a fault.
    pub(super) fn string<'v>(&mut self, value: &'v Spanned<DeValue<'_>>, what: &str) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.fault(&value.span(), value.get_ref().type_str(), what);
        }
        text
    }

    /// Text that parses, or a fault.
    pub(super) fn parsed<T: std::str::FromStr>(&mut self, value: &Spanned<DeValue<'_>>, what: &str) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.string(value, what)?;
        match text.parse() {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                let error: T::Err = error;
                self.fault(&value.span(), &format!("{:?} ({error})", excerpt(text)), what);
                None
            }
        }
    }

    /// A name that does not belong where it stands.
    pub(super) fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, known: &str) {
        self.fault(&key.span(), &format!("`{}`", excerpt(key.get_ref())), known);
    }

    /// What was read, unless there was a fault.
    pub(super) fn finish<T>(self, read: T) -> Result<T, Findings> {
        if !self.findings.refused() {
            return Ok(read);
        }
        // A table comes in the order of its keys; a person reads from the top.
        let mut list = self.findings.list().to_vec();
        list.sort_by_key(|finding| finding.place.line);
        let mut sorted = Findings::new();
        for finding in list {
            sorted.push(finding);
        }
        Err(sorted)
    }
}
