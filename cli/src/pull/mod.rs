//! Pulling a version: resolve, prove what is to come, fetch it piece by piece, prove what has come.
//!
//! The signed documents come first and are verified under the pinned root; only then are files fetched, and each
//! piece is hashed before it is written. Everything goes to a folder beside the target, which gets its name in one
//! step at the end: a target is there and proven, or not there. After an interruption the next pull checks what has
//! come so far and goes on from there. Clauses: specification, sections 7 and 8.

mod fetch;
mod here;
mod hold;
mod pieces;
#[cfg(test)]
mod pieces_tests;
mod resolve;
mod staging;
mod wanted;

pub use here::{Existing, existing, find_digest};
pub use hold::hold;
pub use resolve::{Resolved, listing, resolve};
pub use staging::Staging;
pub use wanted::Version;

use std::path::Path;

use retoque_core::release::{self, Release, Trust, VerifiedRelease};

use crate::client::{Client, MAX_MANIFEST, Sources};
use crate::error::Failure;
use crate::output::Progress;
use crate::verify;
use fetch::Source;

/// What is to be pulled, and from where.
pub struct Request<'a> {
    /// Mirrors and the registry.
    pub sources: &'a Sources,
    /// The version.
    pub version: &'a Version,
    /// The pinned root and the time.
    pub trust: Trust<'a>,
}

/// What has come.
#[derive(Debug)]
pub struct Pulled {
    /// The proven release.
    pub verified: VerifiedRelease,
    /// How many bytes of files were fetched.
    pub fetched: u64,
}

/// A folder that is complete and proven, and has yet to get its name.
#[derive(Debug)]
pub struct Staged {
    staging: Staging,
    replace: bool,
    pulled: Pulled,
}

impl Staged {
    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.staging.folder()
    }

    /// What is proven about it.
    pub const fn verified(&self) -> &VerifiedRelease {
        &self.pulled.verified
    }

    /// Removes it again.
    pub fn discard(self) -> Result<VerifiedRelease, Failure> {
        self.staging.discard()?;
        Ok(self.pulled.verified)
    }

    /// Gives the folder its name.
    pub fn install(self, target: &Path) -> Result<Pulled, Failure> {
        self.staging.finish(target, self.replace)?;
        Ok(self.pulled)
    }
}

impl Request<'_> {
    /// Fetches and proves the signed documents.
    pub async fn documents(&self) -> Result<(VerifiedRelease, Vec<u8>), Failure> {
        let get = |client: Client| async move {
            let release = self.bytes(&client, "release", release::MAX_BYTES).await?;
            let manifest = self.bytes(&client, "manifest", MAX_MANIFEST).await?;
            let release = Release::parse(&release)?;
            let verified = release::check_documents(&release, &manifest, &self.trust, self.version.asked());
            let refused = |f| Failure::findings(format!("what {} sent does not verify", client.address()), &f);
            Ok((verified.map_err(refused)?, manifest))
        };
        self.sources.first("release.json", get).await
    }

    /// Fetches what is missing, proves the whole folder again from the disk, and gives it its name.
    pub async fn run(
        &self,
        target: &Path,
        verified: VerifiedRelease,
        manifest: &[u8],
        repair: bool,
        bar: &Progress,
    ) -> Result<Pulled, Failure> {
        self.stage(target, verified, manifest, repair, bar).await?.install(target)
    }

    /// Fetches what is missing beside the target, and proves the whole folder again from the disk. With `replace` the
    /// folder will take the place of the one at the target, whose files are used where they are right.
    pub async fn stage(
        &self,
        target: &Path,
        verified: VerifiedRelease,
        manifest: &[u8],
        replace: bool,
        bar: &Progress,
    ) -> Result<Staged, Failure> {
        let staging = Staging::open(target, self.version.digest)?;
        staging.tidy(&verified)?;
        if replace {
            staging.adopt(target, &verified)?;
        }
        let source = Source { sources: self.sources, version: self.version, staging: &staging };
        source.documents(&verified, manifest).await?;
        let mut fetched = 0;
        for entry in &verified.manifest.files {
            fetched += source.file(entry, bar).await?;
        }
        let (folder, trust, asked) = (staging.folder().to_owned(), self.trust, self.version.asked());
        let proven = tokio::task::block_in_place(|| verify::verify(&folder, &trust, asked, &|_| ()));
        let verified = proven.map_err(|f| Failure::findings("what was written does not verify", &f))?;
        Ok(Staged { staging, replace, pulled: Pulled { verified, fetched } })
    }

    async fn bytes(&self, client: &Client, document: &str, cap: usize) -> Result<Vec<u8>, Failure> {
        let url = self.version.url(client, &[document]);
        Ok(client.bytes(url, cap).await.map_err(|f| f.during(document))?.to_vec())
    }
}
