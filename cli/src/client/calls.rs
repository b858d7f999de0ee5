//! The calls that more than one command makes.

use retoque_core::api::{RegistryView, VersionView, WhoAmI};
use retoque_core::id::PatchName;

use super::Client;
use crate::error::Failure;

impl Client {
    /// Who this registry says it is.
    pub async fn registry(&self) -> Result<RegistryView, Failure> {
        self.get(self.api(&[])).await
    }

    /// Whose token is used.
    pub async fn whoami(&self) -> Result<WhoAmI, Failure> {
        self.get(self.api(&["whoami"])).await
    }

    /// One version of a patch, by its number or by its `sha256:` digest.
    pub async fn version(&self, patch: &PatchName, version: &str) -> Result<VersionView, Failure> {
        self.get(self.version_url(patch, version, &[])).await
    }

    /// The address of a version, or of something below it.
    pub fn version_url(&self, patch: &PatchName, version: &str, below: &[&str]) -> reqwest::Url {
        let above = ["patches", patch.org.as_str(), patch.slug.as_str(), "versions", version];
        self.api(&[&above, below].concat())
    }
}
