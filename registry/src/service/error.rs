//! Why a service function did not do what it was asked: a refusal that the caller is told, or a fault that only the log
//! is told about.

use std::fmt;

use retoque_core::problem::{
    ALREADY_EXISTS, CHANGED_MEANWHILE, Code, Finding, Findings, INTERNAL, NOT_FOUND, Place, STORAGE_UNAVAILABLE,
    TOO_MANY_KEPT,
};
use retoque_core::sign::TimeError;

use crate::clock::NoEntropy;
use crate::store;

/// The closed list of ways in which a service function can end without a value.
#[derive(Debug)]
pub enum Error {
    /// The request is refused; every finding is for the caller, and the code of the first error decides the status.
    Refused(Findings),
    /// Something behind the service cannot be used now. The text is for the log.
    Unavailable(String),
    /// A fault of this installation. The text is for the log.
    Internal(String),
    /// The database gave the transaction up; run again it may succeed. The text is for the log.
    Transient(String),
}

impl Error {
    /// A refusal with one finding.
    pub fn refuse(
        code: Code,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Finding::new(code, place, found, expected, next).into()
    }

    /// Not there, or not for the caller to know: the two are worded the same on purpose.
    pub fn not_found(what: impl fmt::Display) -> Self {
        let next = "check the name, and whether your token may see it";
        Self::refuse(NOT_FOUND, Place::default(), format!("no {what} that you can see"), "one that exists", next)
    }

    /// A fault of this installation; `detail` goes to the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// What the caller is told.
    pub fn findings(&self) -> Findings {
        match self {
            Self::Refused(findings) => findings.clone(),
            Self::Unavailable(_) | Self::Transient(_) => Finding::new(
                STORAGE_UNAVAILABLE,
                Place::default(),
                "storage that cannot be used now",
                "storage that answers",
                "try again in a moment",
            )
            .into(),
            Self::Internal(_) => Finding::new(
                INTERNAL,
                Place::default(),
                "a fault of the service",
                "an answer",
                "report it to the operator with the request id",
            )
            .into(),
        }
    }

    /// What only the log is told.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Refused(_) => None,
            Self::Unavailable(detail) | Self::Internal(detail) | Self::Transient(detail) => Some(detail),
        }
    }
}

/// Refuses one more when an account has as many as it may have.
pub(super) fn room(held: usize, most: usize, what: &str, next: &str) -> Result<(), Error> {
    if held < most {
        return Ok(());
    }
    let (found, expected) = (format!("one more {what} than {most}"), format!("at most {most} for one account"));
    Err(Error::refuse(TOO_MANY_KEPT, Place::default(), found, expected, next))
}

impl From<Findings> for Error {
    fn from(findings: Findings) -> Self {
        Self::Refused(findings)
    }
}

impl From<Finding> for Error {
    fn from(finding: Finding) -> Self {
        Self::Refused(finding.into())
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        use store::{Error as E, Unique as U};
        match error {
            E::NotFound => Self::not_found("such thing"),
            E::Duplicate(store::Unique::Other) | E::Refused(_) => Self::Internal(error.to_string()),
            // Two decisions on one version that raced: the schema let one through.
            E::Stale | E::Duplicate(U::DecisionNumber | U::LicenceNumber | U::Release) => Self::refuse(
                CHANGED_MEANWHILE,
                Place::default(),
                "something that was changed by somebody else",
                "the state that was last read",
                "read it again and decide again",
            ),
            E::Duplicate(unique) => Self::refuse(
                ALREADY_EXISTS,
                Place::default(),
                format!("{unique} is taken"),
                "one that is free",
                "look at what is there, or choose another name",
            ),
            E::Backend { message, transient: true } => Self::Transient(message),
            E::Backend { message, transient: false } => Self::Unavailable(message),
        }
    }
}

impl From<crate::log::Error> for Error {
    fn from(error: crate::log::Error) -> Self {
        match error {
            crate::log::Error::Store(error) => error.into(),
            crate::log::Error::Retired(finding) => finding.into(),
            crate::log::Error::Broken(finding) => Self::Internal(format!("the log: {finding}")),
        }
    }
}

impl From<crate::blobs::Error> for Error {
    fn from(error: crate::blobs::Error) -> Self {
        match error {
            // The row says that it is there.
            crate::blobs::Error::NotFound => Self::Internal("stored bytes are gone".to_owned()),
            other => Self::Unavailable(other.to_string()),
        }
    }
}

impl store::Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Transient(_))
    }
}

impl From<TimeError> for Error {
    fn from(error: TimeError) -> Self {
        Self::internal(error)
    }
}

impl From<NoEntropy> for Error {
    fn from(error: NoEntropy) -> Self {
        Self::Unavailable(error.to_string())
    }
}
