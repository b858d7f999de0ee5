//! Fetching the files of a release into the staging folder.

use std::fs;

use retoque_core::api::VersionView;
use retoque_core::digest::Digest;
use retoque_core::manifest::FileEntry;
use retoque_core::problem::{DIGEST_MISMATCH, Finding, Place};
use retoque_core::release::{ATTESTATION, LICENSE, RELEASE, VALIDATION_CASES, VerifiedRelease};
use retoque_core::sign::statement::MANIFEST;

use super::pieces;
use super::staging::Staging;
use crate::client::Client;
use crate::error::Failure;
use crate::files;
use crate::output::Progress;

/// The most bytes of a licence text.
const MAX_LICENSE: usize = 1 << 20;
/// The most bytes of validation cases.
const MAX_CASES: usize = 64 << 20;

/// Where files come from and go to.
pub(super) struct Source<'a> {
    pub(super) client: &'a Client,
    pub(super) version: &'a VersionView,
    pub(super) staging: &'a Staging,
}

impl Source<'_> {
    /// Writes the documents: those that were verified already, and those that their digests cover.
    pub(super) async fn documents(&self, verified: &VerifiedRelease, manifest: &[u8]) -> Result<(), Failure> {
        let release = &verified.release;
        self.write(MANIFEST, manifest)?;
        self.write(ATTESTATION, &release.attestation.to_bytes())?;
        self.document(LICENSE, "license-text", release.files.license, MAX_LICENSE).await?;
        if let Some(digest) = release.files.validation_cases {
            self.document(VALIDATION_CASES, "validation-cases", digest, MAX_CASES).await?;
        }
        self.write(RELEASE, &release.to_bytes()?)
    }

    /// Fetches one file of the package, or what is missing of it. Returns how many bytes were fetched.
    pub(super) async fn file(&self, entry: &FileEntry, bar: &Progress) -> Result<u64, Failure> {
        let url = self.url(&["files", &entry.path]);
        if let Some(digests) = &entry.pieces {
            let target = pieces::Target { path: self.staging.path(&entry.path), entry, digests };
            return target.fetch(self.client, &url, bar).await;
        }
        if self.has(&entry.path, entry.sha256, entry.size) {
            bar.add(entry.size);
            return Ok(0);
        }
        let cap = usize::try_from(entry.size).unwrap_or(usize::MAX);
        let bytes = self.client.bytes(url, cap).await.map_err(|f| f.during(&entry.path))?;
        self.check(&entry.path, &bytes, entry.sha256)?;
        self.write(&entry.path, &bytes)?;
        bar.add(entry.size);
        Ok(entry.size)
    }

    async fn document(&self, name: &str, route: &str, digest: Digest, cap: usize) -> Result<(), Failure> {
        if self.has(name, digest, cap as u64) {
            return Ok(());
        }
        let bytes = self.client.bytes(self.url(&[route]), cap).await.map_err(|f| f.during(name))?;
        self.check(name, &bytes, digest)?;
        self.write(name, &bytes)
    }

    fn url(&self, below: &[&str]) -> reqwest::Url {
        self.client.version_url(&self.version.patch, &self.version.summary.digest.to_string(), below)
    }

    fn has(&self, name: &str, digest: Digest, most: u64) -> bool {
        let path = self.staging.path(name);
        fs::symlink_metadata(&path).is_ok_and(|m| m.is_file())
            && files::read(&path, most).is_ok_and(|bytes| Digest::of(&bytes) == digest)
    }

    fn check(&self, name: &str, bytes: &[u8], digest: Digest) -> Result<(), Failure> {
        let found = Digest::of(bytes);
        if found == digest {
            return Ok(());
        }
        let next = format!("pull again; if it stays, tell the operator of {}", self.client.address());
        Err(Finding::new(DIGEST_MISMATCH, Place::file(name), found.to_string(), digest.to_string(), next).into())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        files::write(&self.staging.path(name), bytes, 0o644)
    }
}
