//! One command at a time changes what is remembered about a registry.
//!
//! Two commands that both read an old head, and then write theirs, could make the remembered one shrink. Readers need
//! no lock: every file of the store is replaced in one step.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use retoque_core::problem::TRUST_BUSY;

use crate::error::Failure;
use crate::files;

/// The wait between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// How often it is tried: for a minute.
const TRIES: u32 = 1200;

/// The lock, held for as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock file at `path`, a minute at most.
    pub async fn take(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(|e| files::unwritable(path, &e))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
                // Some file systems know no locks; every file is still replaced whole and checked when it is read.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self { _file: file }),
            }
        }
        let next = "wait until it has ended";
        Err(Failure::new(TRUST_BUSY, "another command has been asking this registry for a minute", next))
    }
}
