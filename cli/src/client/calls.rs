//! The calls that more than one command makes.

use retoque_core::api::{RegistryView, VersionSummary, VersionView, WhoAmI};
use retoque_core::id::PatchName;
use retoque_core::problem::{NAME_MISMATCH, ORIGIN_CLAIMED};

use super::Client;
use crate::config::RegistryUrl;
use crate::error::Failure;
use crate::reference::Reference;

impl Client {
    /// The origin that documents for this registry name. A registry that claims another one than its address could
    /// have people sign for somebody else's, so that needs the user's own word (`given`).
    pub async fn origin(&self, given: Option<&str>) -> Result<String, Failure> {
        if let Some(origin) = given {
            return Ok(origin.to_owned());
        }
        let claimed = self.get::<RegistryView>(self.api(&[])).await?.origin;
        if claimed.parse::<RegistryUrl>().is_ok_and(|url| url == self.url) {
            return Ok(claimed);
        }
        Err(Failure::new(
            ORIGIN_CLAIMED,
            format!("{} says that it is {claimed}", self.url),
            format!("if you know it as a mirror, state so: `retoque trust add {} --origin ORIGIN …`", self.url),
        ))
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
