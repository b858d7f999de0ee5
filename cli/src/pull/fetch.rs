//! Fetching the files of a release into the staging folder.

use std::fs;

use bytes::Bytes;
use retoque_core::digest::Digest;
use retoque_core::manifest::FileEntry;
use retoque_core::problem::{DIGEST_MISMATCH, Finding, Place};
use retoque_core::release::{ATTESTATION, LICENSE, RELEASE, VALIDATION_CASES, VerifiedRelease};
use retoque_core::sign::statement::MANIFEST;

use super::pieces;
use super::staging::Staging;
use super::wanted::Version;
use crate::client::{Client, Sources};
use crate::error::Failure;
use crate::files;
use crate::output::Progress;

/// The most bytes of a licence text.
const MAX_LICENSE: usize = 1 << 20;
/// The most bytes of validation cases.
const MAX_CASES: usize = 64 << 20;

/// Where files come from and go to.
pub(super) struct Source<'a> {
    pub(super) sources: &'a Sources,
    pub(super) version: &'a Version,
    pub(super) staging: &'a Staging,
}

impl Source<'_> {
    /// Writes the documents: those that were verified already, and those that their digests cover.
    pub(super) async fn documents(&self, verified: &VerifiedRelease, manifest: &[u8]) -> Result<(), Failure> {
        let release = &verified.release;
        self.write(MANIFEST, manifest)?;
        self.write(ATTESTATION, &release.attestation.to_bytes())?;
        self.document(LICENSE, "licence-text", release.files.license, MAX_LICENSE).await?;
        if let Some(digest) = release.files.validation_cases {
            self.document(VALIDATION_CASES, "validation-cases", digest, MAX_CASES).await?;
        }
        self.write(RELEASE, &release.to_bytes()?)
    }

    /// Fetches one file of the package, or what is missing of it. Returns how many bytes were fetched.
    pub(super) async fn file(&self, entry: &FileEntry, bar: &Progress) -> Result<u64, Failure> {
        let below = ["files", entry.path.as_str()];
        if let Some(digests) = &entry.pieces {
            let url = |client: &Client| self.version.url(client, &below);
            let target = pieces::Target { path: self.staging.path(&entry.path), entry, digests, url: &url };
            return target.fetch(self.sources, bar).await;
        }
        if self.has(&entry.path, entry.sha256, entry.size) {
            bar.add(entry.size);
            return Ok(0);
        }
        let cap = usize::try_from(entry.size).unwrap_or(usize::MAX);
        let bytes = self.bytes(&entry.path, &below, entry.sha256, cap).await?;
        self.write(&entry.path, &bytes)?;
        bar.add(entry.size);
        Ok(entry.size)
    }

    async fn document(&self, name: &str, route: &str, digest: Digest, cap: usize) -> Result<(), Failure> {
        if self.has(name, digest, cap as u64) {
            return Ok(());
        }
        let bytes = self.bytes(name, &[route], digest, cap).await?;
        self.write(name, &bytes)
    }

    /// Bytes with this digest, from the first source that has them.
    async fn bytes(&self, name: &str, below: &[&str], digest: Digest, cap: usize) -> Result<Bytes, Failure> {
        let get = |client: Client| async move {
            let bytes = client.bytes(self.version.url(&client, below), cap).await.map_err(|f| f.during(name))?;
            check(&client, name, &bytes, digest)?;
            Ok(bytes)
        };
        self.sources.first(name, get).await
    }

    fn has(&self, name: &str, digest: Digest, most: u64) -> bool {
        let path = self.staging.path(name);
        fs::symlink_metadata(&path).is_ok_and(|m| m.is_file())
            && files::read(&path, most).is_ok_and(|bytes| Digest::of(&bytes) == digest)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        files::write(&self.staging.path(name), bytes, 0o644)
    }
}

fn check(client: &Client, name: &str, bytes: &[u8], digest: Digest) -> Result<(), Failure> {
    let found = Digest::of(bytes);
    if found == digest {
        return Ok(());
    }
    let next = format!("pull again; if it stays, tell the operator of {}", client.address());
    Err(Finding::new(DIGEST_MISMATCH, Place::file(name), found.to_string(), digest.to_string(), next).into())
}
