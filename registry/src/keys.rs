//! The platform's three signing keys: mounted files, compared with what the database expects.
//!
//! Refuses to start with a key that is missing, unreadable, or another than the installation's: a replica with a wrong
//! key would sign what no client accepts. Clause: specification, section 10.

use std::path::Path;
use std::sync::Arc;

use retoque_core::problem::{
    Finding, Findings, PLATFORM_KEY_MISMATCH, PLATFORM_KEY_RETIRED, PLATFORM_KEY_UNREADABLE, Place,
};
use retoque_core::sign::{KeyId, Role, SecretKey, Signer as _};
use secrecy::{ExposeSecret as _, SecretString};

use crate::config;
use crate::store::meta::KEY_IDS;
use crate::store::{Error, Tx};

/// The keys of the platform's roles.
#[derive(Debug)]
pub struct PlatformKeys {
    /// `platform-build`: signs what was pushed.
    pub build: Arc<SecretKey>,
    /// `platform-log`: signs the log and the registration of keys.
    pub log: Arc<SecretKey>,
    /// `platform-status`: signs status and licences.
    pub status: Arc<SecretKey>,
}

impl PlatformKeys {
    /// Reads the three files. Every one that cannot be read is reported.
    pub fn load(files: &config::Keys) -> Result<Self, Findings> {
        let mut findings = Findings::new();
        let mut read = |path: &Path, field: &str| load(path, field).map_err(|f| findings.extend(f)).ok();
        let keys = (read(&files.build, "keys.build"), read(&files.log, "keys.log"), read(&files.status, "keys.status"));
        match keys {
            (Some(build), Some(log), Some(status)) => {
                Ok(Self { build: build.into(), log: log.into(), status: status.into() })
            }
            _ => Err(findings),
        }
    }

    /// The name of each role and the id of its key.
    fn ids(&self) -> [(&'static str, String); 3] {
        let [build, log, status] = KEY_IDS.map(|(role, _)| role);
        let id = |key: &SecretKey| key.public().id().to_string();
        [(build, id(&self.build)), (log, id(&self.log)), (status, id(&self.status))]
    }

    /// Writes down which keys every replica must have.
    pub(crate) async fn expect_in(&self, tx: &mut Tx) -> Result<(), Error> {
        for ((_, id), (_, name)) in self.ids().iter().zip(KEY_IDS) {
            tx.insert_meta(name, id).await?;
        }
        Ok(())
    }

    /// Which key signs for which role.
    pub(crate) fn signers(&self) -> [(Role, KeyId); 3] {
        [
            (Role::PlatformBuild, self.build.public().id()),
            (Role::PlatformLog, self.log.public().id()),
            (Role::PlatformStatus, self.status.public().id()),
        ]
    }

    /// Refuses keys that are not the ones that the database expects.
    pub(crate) async fn check(&self, tx: &mut Tx) -> Result<Findings, Error> {
        let mut findings = Findings::new();
        for ((role, id), (_, name)) in self.ids().into_iter().zip(KEY_IDS) {
            let expected = tx.meta(name).await?.unwrap_or_default();
            if id != expected {
                let next =
                    "mount the key of this installation, or make this one its key with `retoque-registry key adopt`";
                let (found, expected) = (format!("a key with id {id}"), format!("the key with id {expected}"));
                findings.push(Finding::new(PLATFORM_KEY_MISMATCH, Place::field(role), found, expected, next));
            }
        }
        Ok(findings)
    }
}

/// Reads one PEM file.
pub(crate) fn load(path: &Path, field: &str) -> Result<SecretKey, Findings> {
    // A file name may be shown, the folders above it need not be.
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let place = Place::file(name).at_field(field);
    let pem = std::fs::read_to_string(path).map(SecretString::from).map_err(|e| {
        let next = "mount the key file there, readable by this user alone";
        Finding::new(PLATFORM_KEY_UNREADABLE, place.clone(), e.kind().to_string(), "a key file in PEM", next)
    })?;
    SecretKey::from_pem(pem.expose_secret()).map_err(|finding| Finding { place, ..finding }.into())
}

/// How a replica is told that its key was replaced.
pub(crate) fn retired(role: Role, key: KeyId) -> Finding {
    Finding::new(
        PLATFORM_KEY_RETIRED,
        Place::field(role.name()),
        format!("a replica that signs with key {key}"),
        "the key that the installation expects and the root of trust accepts",
        "mount the new key and start this replica anew; other replicas can be asked meanwhile",
    )
}
