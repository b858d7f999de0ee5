//! States and actions, by the names that every other part uses.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a version stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Pushed, checked and attested; visible to its org, reviewers and operators.
    Candidate,
    /// Waiting for review.
    Submitted,
    /// Approved by a second person, not yet published.
    Approved,
    /// Served to consumers.
    Published,
    /// Served with a warning.
    Deprecated,
    /// No longer served; evidence, manifest and decisions stay.
    Withdrawn,
    /// Bytes erased for legal reasons; the tombstone stays.
    TakenDown,
}

/// What a person does to a version. `attest` and `licence` records are the registry's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Ask for review, with declarations.
    Submit,
    /// Send back with reasons.
    Return,
    /// Approve the exact manifest digest.
    Approve,
    /// Take an approval back.
    Revoke,
    /// Make it available and grant the licence.
    Publish,
    /// Serve with a warning from now on.
    Deprecate,
    /// Take a deprecation back.
    Restore,
    /// Stop serving it.
    Withdraw,
    /// Erase its bytes.
    TakeDown,
}

impl State {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Candidate,
        Self::Submitted,
        Self::Approved,
        Self::Published,
        Self::Deprecated,
        Self::Withdrawn,
        Self::TakenDown,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Submitted => "submitted",
            Self::Approved => "approved",
            Self::Published => "published",
            Self::Deprecated => "deprecated",
            Self::Withdrawn => "withdrawn",
            Self::TakenDown => "taken-down",
        }
    }

    /// The state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 9] = [
        Self::Submit,
        Self::Return,
        Self::Approve,
        Self::Revoke,
        Self::Publish,
        Self::Deprecate,
        Self::Restore,
        Self::Withdraw,
        Self::TakeDown,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submit => "submit",
            Self::Return => "return",
            Self::Approve => "approve",
            Self::Revoke => "revoke",
            Self::Publish => "publish",
            Self::Deprecate => "deprecate",
            Self::Restore => "restore",
            Self::Withdraw => "withdraw",
            Self::TakeDown => "take-down",
        }
    }

    /// The action of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
