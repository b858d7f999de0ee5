//! A small published version for unit tests: every key, statement and file, each open to being spoilt.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::sample_log::Log;
use super::*;
use crate::decision::{Decision, Declarations, Offer};
use crate::digest::Digest;
use crate::id::AccountName;
use crate::licence::{Licence, LicenceState, Terms, license_text};
use crate::lifecycle::Action;
use crate::manifest::{FileEntry, Manifest};
use crate::permission::OrgRole;
use crate::review::Checklist;
use crate::sign::provenance::Build;
use crate::sign::registration::{KeyRegistration, Purpose};
use crate::sign::root::RootBuilder;
use crate::sign::{Envelope, Role, Root, SecretKey, Signer as _, Time};

/// Origin of the sample registry.
pub(crate) const REGISTRY: &str = "https://r.example";

/// The files of the archive but the manifest, with their content.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let weights: Vec<u8> = (0..9_000_000_u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
    vec![
        ("README.md", b"# Tiny desk\n".to_vec()),
        ("adapter_config.json", b"{}".to_vec()),
        ("adapter_model.safetensors", weights),
        ("evaluation.json", b"{\"cases\":[]}".to_vec()),
    ]
}

/// A manifest of the sample's files, version 1.2.0.
pub(crate) fn manifest() -> Manifest {
    manifest_of(&contents())
}

fn manifest_of(contents: &[(&'static str, Vec<u8>)]) -> Manifest {
    let mut manifest = crate::manifest::sample::manifest();
    let entry = |(path, bytes): &(&'static str, Vec<u8>)| FileEntry {
        path: (*path).to_owned(),
        size: bytes.len() as u64,
        sha256: Digest::of(bytes),
        pieces: (bytes.len() > 4 << 20).then(|| bytes.chunks(4 << 20).map(Digest::of).collect()),
    };
    manifest.files = contents.iter().map(entry).collect();
    manifest.version = "1.2.0".parse().unwrap();
    manifest.adapter.sha256 = manifest.files[2].sha256;
    manifest.evidence.validation_cases = Digest::of(b"[]");
    manifest
}

/// The key made from this number.
pub(crate) fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

/// Keys of the sample: root 1, build 10, log 11, status 12, reviewer 13, operator 14, members ana 21 and ben 22.
pub(crate) fn root() -> Root {
    let public = |n: u8| [key(n).public().clone()];
    let envelope = RootBuilder::first("2027-11-30T00:00:00Z".parse().unwrap())
        .role(Role::Root, public(1), 1)
        .role(Role::PlatformBuild, public(10), 1)
        .role(Role::PlatformLog, public(11), 1)
        .role(Role::PlatformStatus, public(12), 1)
        .role(Role::Review, public(13), 1)
        .role(Role::Operate, public(14), 1)
        .sign(&[&key(1)])
        .unwrap();
    Root::trust(&envelope.to_bytes(), None).unwrap()
}

fn name(text: &str) -> AccountName {
    text.parse().unwrap()
}

fn time() -> Time {
    "2026-12-01T10:00:00Z".parse().unwrap()
}

/// What a sample release is made from; a test changes one thing before it calls [`Plan::build`].
pub(crate) struct Plan {
    pub(crate) contents: Vec<(&'static str, Vec<u8>)>,
    pub(crate) pusher: AccountName,
    pub(crate) submit: Decision,
    pub(crate) approve: Decision,
    pub(crate) publish: Decision,
    pub(crate) licence: Option<Licence>,
    pub(crate) memberships: [OrgRole; 2],
    /// Seeds of the keys that sign attestation, submission, approval, publication, licence and registrations.
    pub(crate) keys: [u8; 6],
    /// Whether `previous` is filled in.
    pub(crate) chained: bool,
    pub(crate) builder: &'static str,
    pub(crate) log: Log,
    /// The roots that the release carries.
    pub(crate) roots: Vec<Envelope>,
}

impl Plan {
    pub(crate) fn new() -> Self {
        let about = || ("acme/tiny-desk".parse().unwrap(), "1.2.0".parse().unwrap());
        let decision =
            |action, actor: &str| Decision::new(REGISTRY, action, name(actor), about(), Digest::of(b""), time());
        let mut submit = decision(Action::Submit, "ana");
        submit.declarations = Some(Declarations {
            dataset_rights: true,
            base_licence_compliance: true,
            publish_validation_cases: true,
            third_party_attribution: "None".into(),
            offer: Offer::Free { licence: "Apache-2.0".into() },
        });
        let mut approve = decision(Action::Approve, "rev");
        approve.checklist = Some(Checklist::COMPLETE);
        Self {
            contents: contents(),
            pusher: name("worker"),
            submit,
            approve,
            publish: decision(Action::Publish, "ben"),
            licence: None,
            memberships: [OrgRole::Admin, OrgRole::Publisher],
            keys: [10, 21, 13, 22, 12, 11],
            chained: true,
            builder: REGISTRY,
            log: Log::new(name("worker"), time()),
            roots: vec![root().envelope().clone()],
        }
    }

    pub(crate) fn build(mut self) -> Folder {
        let manifest = manifest_of(&self.contents);
        let bytes = manifest.to_bytes().unwrap();
        let digest = Digest::of(&bytes);
        let build = Build {
            registry: self.builder,
            manifest: &manifest,
            manifest_digest: digest,
            package: Digest::of(b"package"),
            pusher: &self.pusher,
            time: time(),
        };
        let keys = self.keys.map(key);
        let attestation = build.statement().sign(&[&keys[0]]).unwrap();
        let text = license_text(&Terms {
            manifest: &manifest,
            manifest_digest: digest,
            declarations: self.submit.declarations.as_ref(),
        });
        self.submit.previous = attestation.payload_digest();
        let submission = self.submit.clone().sign(digest, &keys[1]).unwrap();
        if self.chained {
            self.approve.previous = submission.payload_digest();
        }
        let approval = self.approve.clone().sign(digest, &keys[2]).unwrap();
        if self.chained {
            self.publish.previous = approval.payload_digest();
        }
        let publication = self.publish.clone().sign(digest, &keys[3]).unwrap();
        let licence = self.licence.clone().unwrap_or_else(|| Licence {
            registry: REGISTRY.into(),
            patch: manifest.patch.clone(),
            version: manifest.version.clone(),
            state: LicenceState::GrantedFree,
            terms: "Apache-2.0".into(),
            text: Digest::of(text.as_bytes()),
            price_usd: None,
            base_licence: manifest.base.licence.clone(),
            from: time(),
        });
        let registration = |n: usize, account: &str| {
            KeyRegistration {
                registry: REGISTRY.into(),
                account: name(account),
                key: keys[[1, 3][n]].public().clone(),
                purpose: Purpose::Member,
                memberships: BTreeMap::from([("acme".parse().unwrap(), self.memberships[n])]),
                time: time(),
            }
            .statement()
            .sign(&[&keys[5]])
            .unwrap()
        };
        let mut release = Release {
            format: FORMAT.into(),
            registry: REGISTRY.into(),
            patch: manifest.patch.clone(),
            version: manifest.version.clone(),
            manifest_digest: digest,
            attestation,
            submission,
            approval,
            publication,
            licence: licence.statement(digest).sign(&[&keys[4]]).unwrap(),
            key_registrations: vec![registration(0, "ana"), registration(1, "ben")],
            log_proofs: Vec::new(),
            root_chain: self.roots,
            files: ReleaseFiles { license: Digest::of(text.as_bytes()), validation_cases: Some(Digest::of(b"[]")) },
        };
        self.log.prove(&mut release);
        let mut files: BTreeMap<String, Vec<u8>> =
            self.contents.into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
        files.insert("manifest.json".into(), bytes);
        files.insert(LICENSE.into(), text.into_bytes());
        files.insert(VALIDATION_CASES.into(), b"[]".to_vec());
        let mut folder = Folder { files, release };
        folder.write();
        folder
    }
}

/// A pulled folder in memory.
#[derive(Clone)]
pub(crate) struct Folder {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) release: Release,
}

impl Folder {
    /// Writes `release.json` and `attestation.json` from the release.
    pub(crate) fn write(&mut self) {
        self.files.insert(RELEASE.into(), self.release.to_bytes().unwrap());
        self.files.insert(ATTESTATION.into(), self.release.attestation.to_bytes());
    }

    /// The folder after a change to its release. The log stays as it was.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Release)) -> Self {
        change(&mut self.release);
        self.write();
        self
    }

    /// A statement of the release signed again with another key.
    pub(crate) fn resign(envelope: &Envelope, seed: u8) -> Envelope {
        Envelope::sign(envelope.payload_type(), envelope.payload_unverified().to_vec(), &[&key(seed)]).unwrap()
    }
}

impl FolderView for Folder {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.files.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<(Box<dyn Read + '_>, u64)> {
        let bytes = self.files.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok((Box::new(bytes.as_slice()), bytes.len() as u64))
    }
}
