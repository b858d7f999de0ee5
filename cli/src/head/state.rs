//! What is remembered of a registry's log: for each origin the newest head, and the newest status list.
//!
//! `logs/<origin>/log.json` is `{origin, size, root, note}`, `logs/<origin>/status.json` the signed status as it came.
//! Nothing is written here that was not checked against what was remembered before, and no size and no time of issue
//! ever shrinks; a new origin, which only a newer root can name, begins anew. Files are replaced whole, under the lock
//! of the store. What is read back is verified again. Clause: TRUST, client duties.

use std::path::{Path, PathBuf};

use retoque_core::digest::Digest;
use retoque_core::json::{self, Limits};
use retoque_core::problem::TRUST_STORE;
use serde::{Deserialize, Serialize};

use retoque_core::log::Head as Tree;

use super::Lock;
use crate::config::{Home, folder_name};
use crate::error::Failure;
use crate::files;

/// The newest head that was seen and verified, and the note that says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogState {
    /// Origin of the log.
    pub origin: String,
    /// How many entries it had.
    pub size: u64,
    /// The root of its tree.
    pub root: Digest,
    /// The signed checkpoint, with the cosignatures it had.
    pub note: String,
}

impl LogState {
    /// Size and root.
    pub const fn tree(&self) -> Tree {
        Tree { size: self.size, root: self.root }
    }
}

/// Where the state of one origin lies.
#[derive(Debug, Clone)]
pub struct State {
    home: Home,
    folder: PathBuf,
}

impl State {
    /// The state of `origin` in the store whose folder (below the home) is `store`.
    pub fn of(home: &Home, store: &Path, origin: &str) -> Self {
        Self { home: home.clone(), folder: store.join("logs").join(folder_name(origin)) }
    }

    /// The remembered head. Its signatures are for the caller to verify.
    pub fn log(&self) -> Result<Option<LogState>, Failure> {
        let Some(bytes) = self.read("log.json", super::MAX_LOG_STATE)? else { return Ok(None) };
        json::decode(&bytes, Limits::DOCUMENT).map(Some).map_err(|e| broken(&format!("log.json: {e}")))
    }

    /// The remembered status envelope, as it came.
    pub fn status(&self) -> Result<Option<Vec<u8>>, Failure> {
        self.read("status.json", super::MAX_STATUS as u64)
    }

    /// Remembers a head and its status, both checked. The status goes first: a head without its status is found stale
    /// and mended by the next command, a status before its head likewise.
    pub fn store(&self, _: &Lock, log: &LogState, status: &[u8]) -> Result<(), Failure> {
        if let Some(old) = self.log()?
            && old.size > log.size
        {
            return Err(broken("a head smaller than the remembered one was about to be written"));
        }
        self.home.make(&self.folder)?;
        let text = serde_json::to_vec(log).map_err(|e| broken(&e.to_string()))?;
        files::write(&self.path("status.json"), status, 0o600)?;
        files::write(&self.path("log.json"), &text, 0o600)
    }

    fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.path(name);
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            return Ok(None);
        }
        files::read(&path, most).map(Some)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path(&self.folder).join(name)
    }
}

pub(super) fn broken(found: &str) -> Failure {
    let next = "remove the folder `logs` of this registry under `trust`; what was remembered is lost with it";
    Failure::new(TRUST_STORE, found, next)
}
