//! The keys of a new installation and its first root, signed by two of the three root keys.

use retoque_core::problem::{Finding, Findings, Place};
use retoque_core::sign::root::{Role, Root, RootBuilder};
use retoque_core::sign::{PublicKey, SecretKey, Signer, Time};

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
    pub(super) operator: SecretKey,
    root_keys: Vec<SecretKey>,
}

impl Trust {
    /// Makes the keys and signs the root.
    pub(super) fn make(chance: &Chance, reviewers: Vec<PublicKey>) -> Result<Self, Findings> {
        let key = || -> Result<SecretKey, Findings> {
            let seed = chance.bytes::<32>().map_err(|e| super::internal(&e))?;
            Ok(SecretKey::from_seed(&seed)?)
        };
        let root_keys = vec![key()?, key()?, key()?];
        let platform = PlatformKeys { build: key()?.into(), log: key()?.into(), status: key()?.into() };
        let operator = key()?;
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
        Ok(Self { root, platform, operator, root_keys })
    }

    /// Writes every key and the root.
    pub(super) fn write(&self, folder: &Folder) -> Result<(), Findings> {
        folder.folder("keys")?;
        let write = |name: &str, key: &SecretKey| -> Result<(), Findings> {
            folder.private(&format!("keys/{name}.pem"), key.to_pem()?.as_bytes())
        };
        for (n, key) in self.root_keys.iter().enumerate() {
            write(&format!("root-{}", n + 1), key)?;
        }
        write("platform-build", &self.platform.build)?;
        write("platform-log", &self.platform.log)?;
        write("platform-status", &self.platform.status)?;
        write("operator", &self.operator)?;
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
