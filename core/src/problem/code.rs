//! The type of a code and the closed list of all of them.

use std::fmt;

use serde::{Serialize, Serializer};

use super::codes;

/// What kind of refusal a code is. HTTP status and exit status are functions of the kind alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request or the command line is not well-formed (400, exit 2).
    Usage,
    /// Well-formed, but a rule refuses what it holds (422, exit 1).
    Invalid,
    /// The route exists, but not for this method (405, exit 2).
    Method,
    /// The body is of a kind that the route does not read (415, exit 2).
    MediaType,
    /// A byte range outside of the thing (416, exit 2).
    Range,
    /// Larger than a limit (413, exit 1).
    TooLarge,
    /// No valid credential (401, exit 5).
    Unauthenticated,
    /// A valid credential without the right (403, exit 5).
    NotAllowed,
    /// Not there, or not for the caller to know (404, exit 6).
    NotFound,
    /// Contradicts what is already stored (409, exit 1).
    Conflict,
    /// The state of the version forbids it (409, exit 4).
    State,
    /// Bytes that are no longer served (410, exit 4).
    Gone,
    /// A signature, digest or file does not verify (422, exit 3).
    Verification,
    /// Older than what is known, or expired (422, exit 8).
    Stale,
    /// The request came too slowly (408, exit 7).
    Timeout,
    /// Too many requests (429, exit 7).
    Busy,
    /// The network or the other end failed (502, exit 7).
    Network,
    /// A fault of this installation (500, exit 1).
    Internal,
    /// Not available now, later perhaps (503, exit 7).
    Unavailable,
    /// Reported, but refuses nothing.
    Warning,
}

impl Kind {
    /// The exit status of a command that ends with such a refusal (specification, section 9).
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Warning => 0,
            Self::Invalid | Self::TooLarge | Self::Conflict | Self::Internal => 1,
            Self::Usage | Self::Method | Self::MediaType | Self::Range => 2,
            Self::Verification => 3,
            Self::State | Self::Gone => 4,
            Self::Unauthenticated | Self::NotAllowed => 5,
            Self::NotFound => 6,
            Self::Timeout | Self::Busy | Self::Network | Self::Unavailable => 7,
            Self::Stale => 8,
        }
    }
}

/// One row of the catalogue.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// The stable name.
    pub name: &'static str,
    /// What kind of refusal it is.
    pub kind: Kind,
    /// What it means, for the reference pages.
    pub meaning: &'static str,
}

/// A code of the catalogue. Only this crate makes them, so the catalogue is complete.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub(super) &'static Row);

impl Code {
    /// The stable name, such as `rank_mismatch`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// What kind of refusal it is.
    pub const fn kind(self) -> Kind {
        self.0.kind
    }

    /// What it means.
    pub const fn meaning(self) -> &'static str {
        self.0.meaning
    }

    /// The code of that name, when the catalogue has it.
    pub fn from_name(name: &str) -> Option<Self> {
        catalogue().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Every code, in the order of the tables.
pub fn catalogue() -> impl Iterator<Item = Code> {
    codes::TABLES.iter().flat_map(|table| table.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        let mut names: Vec<_> = catalogue().map(Code::name).collect();
        assert!(names.iter().all(|n| n.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a code is declared twice");
        assert!(catalogue().all(|c| !c.meaning().is_empty() && Code::from_name(c.name()) == Some(c)));
    }
}
