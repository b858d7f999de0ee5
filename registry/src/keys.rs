//! The platform's three signing keys: mounted files, compared with what the database expects.
//!
//! Refuses to start with a key that is missing, unreadable, or another than the installation's: a replica with a wrong
//! key would sign what no client accepts. Clause: specification, section 10.

use std::path::Path;
use std::sync::Arc;

use retoque_core::problem::{
    Finding, Findings, KEY_ENCRYPTED, PLATFORM_KEY_MISMATCH, PLATFORM_KEY_RETIRED, PLATFORM_KEY_UNREADABLE, Place,
};
use retoque_core::sign::{KeyId, Role, SecretKey, Signer as _, is_encrypted};
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
        let passphrase = passphrase(files.passphrase_file.as_deref(), "keys.passphrase_file")?;
        let passphrase = passphrase.as_ref();
        let mut findings = Findings::new();
        let mut read = |path: &Path, field: &str| load(path, field, passphrase).map_err(|f| findings.extend(f)).ok();
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

/// Reads one PEM file. An encrypted one needs the passphrase.
pub(crate) fn load(path: &Path, field: &str, passphrase: Option<&SecretString>) -> Result<SecretKey, Findings> {
    let place = place(path, field);
    let pem = read(path, field, "a key file in PEM")?;
    let pem = pem.expose_secret();
    let key = match passphrase {
        Some(passphrase) if is_encrypted(pem) => {
            SecretKey::from_encrypted_pem(pem, passphrase.expose_secret().as_bytes())
        }
        _ => SecretKey::from_pem(pem),
    };
    key.map_err(|finding| {
        let next = "name the file with its passphrase: `keys.passphrase_file`, or --passphrase-file";
        let next = if finding.code == KEY_ENCRYPTED { next.to_owned() } else { finding.next.clone() };
        Finding { place, next, ..finding }.into()
    })
}

/// Reads a passphrase: the first line of its file.
pub(crate) fn passphrase(file: Option<&Path>, field: &str) -> Result<Option<SecretString>, Findings> {
    let Some(path) = file else { return Ok(None) };
    let text = read(path, field, "a file with a passphrase")?;
    Ok(Some(text.expose_secret().lines().next().unwrap_or_default().to_owned().into()))
}

fn read(path: &Path, field: &str, expected: &str) -> Result<SecretString, Findings> {
    std::fs::read_to_string(path).map(SecretString::from).map_err(|e| {
        let next = "mount the file there, readable by this user alone";
        Finding::new(PLATFORM_KEY_UNREADABLE, place(path, field), e.kind().to_string(), expected, next).into()
    })
}

/// A file name may be shown, the folders above it need not be.
fn place(path: &Path, field: &str) -> Place {
    Place::file(path.file_name().unwrap_or_default().to_string_lossy().into_owned()).at_field(field)
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
