//! `config show`: every setting with its value and where it came from.

use serde::Serialize;

use super::load::Reader;

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its dotted name.
    pub name: &'static str,
    /// Its value; secrets are hidden.
    pub value: String,
    /// Where it came from: `default`, `file`, `flag`, or the name of a variable.
    pub source: String,
}

pub(super) fn lines(reader: Reader) -> Vec<Line> {
    let line = |read: super::load::Read| Line { name: read.name, value: read.shown, source: read.source.to_string() };
    reader.read.into_iter().map(line).collect()
}
