//! The keys of a new installation and its first root, signed by two of the three root keys.

use retoque_core::problem::{Finding, Findings, Place};
use retoque_core::sign::root::{Role, Root, RootBuilder};
use retoque_core::sign::{PublicKey, SecretKey, Signer, Time};

use zeroize::Zeroizing;

use super::folder::Folder;
use crate::clock::Chance;
use crate::keys::PlatformKeys;

/// How long the first root is good.
const ROOT_DAYS: i64 = 365;
/// How many of the root keys must sign.
const ROOT_THRESHOLD: u32 = 2;

/// Everything that signs or is trusted in a new installation.
pub(super) struct Trust {
    pub(super) root: Root,
    pub(super) platform: PlatformKeys,
    pub(super) operator: PublicKey,
    /// The private keys that are written, by the name of their file, as PEM.
    pub(super) files: Vec<(String, Zeroizing<String>)>,
}

impl Trust {
    /// Makes the keys and signs the root.
    pub(super) fn make(chance: &Chance, reviewers: Vec<PublicKey>) -> Result<Self, Findings> {
        let key = || -> Result<SecretKey, Findings> {
            let seed = chance.bytes::<32>().map_err(|e| super::internal(&e))?;
            Ok(SecretKey::from_seed(&seed)?)
        };
        let root_keys = [key()?, key()?, key()?];
        let platform = PlatformKeys { build: key()?.into(), log: key()?.into(), status: key()?.into() };
        let operator = key()?;
        let mut files = Vec::new();
        for (n, key) in root_keys.iter().enumerate() {
            files.push((format!("root-{}", n + 1), key.to_pem()?));
        }
        files.push(("platform-build".to_owned(), platform.build.to_pem()?));
        files.push(("platform-log".to_owned(), platform.log.to_pem()?));
        files.push(("platform-status".to_owned(), platform.status.to_pem()?));
        files.push(("operator".to_owned(), operator.to_pem()?));
        let one = |key: &SecretKey| [key.public().clone()];
        let mut root = RootBuilder::first(now(chance)?.plus_seconds(ROOT_DAYS * 86_400).whole_second())
            .role(Role::Root, root_keys.iter().map(|k| k.public().clone()), ROOT_THRESHOLD)
            .role(Role::PlatformBuild, one(&platform.build), 1)
            .role(Role::PlatformLog, one(&platform.log), 1)
            .role(Role::PlatformStatus, one(&platform.status), 1)
            .role(Role::Operate, one(&operator), 1);
        if !reviewers.is_empty() {
            root = root.role(Role::Review, reviewers, 1);
        }
        let signers: Vec<&dyn Signer> = root_keys.iter().take(2).map(|k| k as &dyn Signer).collect();
        let root = Root::trust(&root.sign(&signers)?.to_bytes(), None)?;
        Ok(Self { root, platform, operator: operator.public().clone(), files })
    }

    /// Writes every key and the root.
    pub(super) fn write(&self, folder: &Folder) -> Result<(), Findings> {
        folder.folder("keys")?;
        for (name, pem) in &self.files {
            folder.private(&format!("keys/{name}.pem"), pem.as_bytes())?;
        }
        folder.public("root.json", &self.root.to_bytes())
    }
}

/// Now, as signed documents write it.
pub(super) fn now(chance: &Chance) -> Result<Time, Findings> {
    Time::from_micros(chance.now().as_microsecond()).map_err(|e| super::internal(&e))
}

/// Reads public keys given as hex; every wrong one is reported.
pub(super) fn public_keys(texts: &[String], field: &str) -> Result<Vec<PublicKey>, Findings> {
    let mut findings = Findings::new();
    let mut keys = Vec::new();
    for text in texts {
        match PublicKey::from_hex(text) {
            Ok(key) => keys.push(key),
            Err(finding) => findings.push(Finding { place: Place::field(field), ..finding }),
        }
    }
    if findings.refused() { Err(findings) } else { Ok(keys) }
}
