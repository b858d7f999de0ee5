//! Settings: a TOML file, then `RETOQUE_*` variables, then flags; the later wins.
//!
//! One struct per concern ([`Server`], [`Database`], …), each field declared once with its default. Every mistake is
//! reported, not only the first: unknown keys with the known one that is nearest, values with what was expected.
//! Clause: specification, section 10. This is the only module that reads the environment.

mod load;
mod sections;
mod setting;
mod show;
mod witness;

use std::path::{Path, PathBuf};

pub use load::{Source, Sources};
pub use sections::{Bucket, Database, Keys, Limits, Log, Policy, Server, Status, Storage};
pub use setting::{Bytes, DatabaseUrl, LogFormat, LogLevel, Profile, PublicUrl, StorageKind};
pub use show::Line;
pub use witness::{Witness, Witnesses};

use retoque_core::problem::Findings;

use load::Reader;

/// The name of the file in the folder that `init` makes.
pub const FILE: &str = "config.toml";

/// Everything that an installation can set.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it listens and under which name it speaks.
    pub server: Server,
    /// The database.
    pub database: Database,
    /// The object store.
    pub storage: Storage,
    /// The platform's signing keys.
    pub keys: Keys,
    /// How much of what.
    pub limits: Limits,
    /// Which adapters are taken.
    pub policy: Policy,
    /// The signed status of all versions.
    pub status: Status,
    /// What is logged.
    pub log: Log,
}

impl Config {
    /// Reads all sources. Answers the settings, or every mistake in them.
    pub fn load(sources: &Sources) -> Result<Self, Findings> {
        Self::read(&mut Reader::new(sources)?)
    }

    /// One line per setting: its value, secrets hidden, and where it came from. Mistakes are lines of their own.
    pub fn show(sources: &Sources) -> Result<Vec<Line>, Findings> {
        let mut reader = Reader::new(sources)?;
        Self::read(&mut reader)?;
        Ok(show::lines(reader))
    }

    fn read(reader: &mut Reader) -> Result<Self, Findings> {
        let parts = (
            Server::read(reader),
            Database::read(reader),
            Storage::read(reader),
            Keys::read(reader),
            Limits::read(reader),
            Policy::read(reader),
            Status::read(reader),
            Log::read(reader),
        );
        reader.refuse_unknown();
        let (
            Some(server),
            Some(database),
            Some(storage),
            Some(keys),
            Some(limits),
            Some(policy),
            Some(status),
            Some(log),
        ) = parts
        else {
            return Err(reader.take_findings());
        };
        let config = Self { server, database, storage, keys, limits, policy, status, log };
        config.check(reader);
        let findings = reader.take_findings();
        if findings.refused() { Err(findings) } else { Ok(config) }
    }

    /// What no single value shows.
    fn check(&self, reader: &mut Reader) {
        if self.status.hours > 24 {
            reader.invalid("status.hours", "a longer life", "at most 24 hours: what clients accept");
        }
        if self.storage.kind == StorageKind::S3 {
            if self.storage.bucket.is_none() {
                reader.invalid("storage.bucket", "nothing", "the name of the bucket, as `storage.kind` is `s3`");
            }
            if self.storage.access_key.is_some() != self.storage.secret_key.is_some() {
                reader.invalid("storage.secret_key", "only one of two", "`access_key` and `secret_key` together");
            }
        }
    }
}

/// Where the settings file is: named directly, or in a folder that `init` made; none means variables and flags alone.
pub fn file_of(config: Option<PathBuf>, dir: Option<&Path>) -> Option<PathBuf> {
    config.or_else(|| dir.map(|dir| dir.join(FILE)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
