//! The roles that a root gives keys to.

use std::fmt;

/// A role of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Signs roots.
    Root,
    /// Signs what the platform built (`targets` in TUF).
    PlatformBuild,
    /// Signs log heads and key registrations (`snapshot` in TUF).
    PlatformLog,
    /// Signs status and licence records (`timestamp` in TUF).
    PlatformStatus,
    /// Reviewers, each with a key of their own.
    Review,
    /// Operators, each with a key of their own.
    Operate,
    /// Witnesses of the log.
    Witness,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Root,
        Self::PlatformBuild,
        Self::PlatformLog,
        Self::PlatformStatus,
        Self::Review,
        Self::Operate,
        Self::Witness,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::PlatformBuild => "platform-build",
            Self::PlatformLog => "platform-log",
            Self::PlatformStatus => "platform-status",
            Self::Review => "review",
            Self::Operate => "operate",
            Self::Witness => "witness",
        }
    }

    /// The role of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether each of its keys belongs to one person or witness, so that the role may be empty.
    pub(super) const fn is_optional(self) -> bool {
        matches!(self, Self::Review | Self::Operate | Self::Witness)
    }

    /// Whether one key may stand in both roles: only for a person who reviews and operates.
    pub(super) fn may_share(self, other: Self) -> bool {
        let person = |role| matches!(role, Self::Review | Self::Operate);
        self == other || (person(self) && person(other))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
