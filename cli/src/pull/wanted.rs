//! The one version that is pulled, by its manifest digest: nothing that a registry says later can make it another.

use reqwest::Url;
use retoque_core::digest::Digest;
use retoque_core::id::{self, PatchName};
use retoque_core::release::Asked;

use crate::client::Client;

/// One version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The patch.
    pub patch: PatchName,
    /// Its version number, when that was asked for or chosen from a signed listing.
    pub number: Option<id::Version>,
    /// The manifest digest.
    pub digest: Digest,
}

impl Version {
    /// What the documents must be about.
    pub const fn asked(&self) -> Asked<'_> {
        Asked { patch: Some(&self.patch), version: self.number.as_ref(), manifest: Some(self.digest) }
    }

    /// The address of something below the version at a source.
    pub fn url(&self, client: &Client, below: &[&str]) -> Url {
        client.version_url(&self.patch, &self.digest.to_string(), below)
    }
}
