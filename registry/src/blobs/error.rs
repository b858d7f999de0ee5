//! What can go wrong with bytes, told apart as far as somebody can do something about it.

use std::error::Error as _;
use std::io;

/// Why bytes could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing at that place.
    #[error("no such blob")]
    NotFound,
    /// The disk is full, or a quota is used up.
    #[error("the storage is full: {0}")]
    Full(String),
    /// The storage refuses writing (permissions, a read-only file system).
    #[error("the storage cannot be written: {0}")]
    ReadOnly(String),
    /// Anything else; for the log.
    #[error("object store: {0}")]
    Backend(String),
}

impl Error {
    #[expect(clippy::needless_pass_by_value, reason = "the last stop of an error, passed to map_err")]
    pub(super) fn from_store(error: object_store::Error) -> Self {
        if let object_store::Error::NotFound { .. } = error {
            return Self::NotFound;
        }
        let message = error.to_string();
        let mut cause: Option<&(dyn std::error::Error + 'static)> = error.source();
        while let Some(inner) = cause {
            if let Some(io) = inner.downcast_ref::<io::Error>() {
                match io.kind() {
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                        return Self::Full(message);
                    }
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        return Self::ReadOnly(message);
                    }
                    _ => {}
                }
            }
            cause = inner.source();
        }
        Self::Backend(message)
    }
}

/// Why a body was not staged. Nothing of it stays.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// More bytes than allowed.
    #[error("more than {0} bytes")]
    TooLarge(u64),
    /// The body ended early or could not be read.
    #[error("the body broke off: {0}")]
    Body(String),
    /// The store could not take it.
    #[error(transparent)]
    Store(#[from] Error),
}
