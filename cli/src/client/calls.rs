//! The calls that more than one command makes.

use retoque_core::api::{RegistryView, VersionSummary, VersionView, WhoAmI};
use retoque_core::id::PatchName;
use retoque_core::problem::NAME_MISMATCH;

use super::Client;
use crate::error::Failure;
use crate::reference::Reference;

impl Client {
    /// Who this registry says it is.
    pub async fn registry(&self) -> Result<RegistryView, Failure> {
        self.get(self.api(&[])).await
    }

    /// Whose token is used.
    pub async fn whoami(&self) -> Result<WhoAmI, Failure> {
        self.get(self.api(&["whoami"])).await
    }

    /// One version of a patch, by its number or by its `sha256:` digest. An answer about another one is refused, since
    /// what is signed or proven next is about what the answer names.
    pub async fn version(&self, patch: &PatchName, version: &str) -> Result<VersionView, Failure> {
        let view: VersionView = self.get(self.version_url(patch, version, &[])).await?;
        let summary = &view.summary;
        if view.patch == *patch && (summary.version.to_string() == version || summary.digest.to_string() == version) {
            return Ok(view);
        }
        let message = format!(
            "the registry answered with {}@{} ({}) for {patch}@{version}",
            view.patch, summary.version, summary.digest
        );
        Err(Failure::new(NAME_MISMATCH, message, "report it to the operator of the registry"))
    }

    /// Every version of a patch that the caller can see.
    pub async fn versions(&self, patch: &PatchName) -> Result<Vec<VersionSummary>, Failure> {
        self.list(self.api(&["patches", patch.org.as_str(), patch.slug.as_str(), "versions"])).await
    }

    /// The version or digest that a reference means, as the routes take it; ranges are resolved here.
    pub async fn locate(&self, reference: &Reference) -> Result<String, Failure> {
        if let Some(exact) = reference.exact() {
            return Ok(exact);
        }
        let listing = self.versions(&reference.patch).await?;
        Ok(reference.choose(&listing, true)?.version.to_string())
    }

    /// The address of a version, or of something below it.
    pub fn version_url(&self, patch: &PatchName, version: &str, below: &[&str]) -> reqwest::Url {
        let above = ["patches", patch.org.as_str(), patch.slug.as_str(), "versions", version];
        self.api(&[&above, below].concat())
    }
}
