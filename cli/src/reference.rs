//! How a version is named on the command line, and which version of a listing that is.
//!
//! `org/slug` is the newest published version; `org/slug@^1.2` the newest published one in the range; neither ever
//! takes a pre-release, a deprecated or a `DEGRADED` version. `org/slug@1.2.0` and `org/slug@sha256:…` name one
//! version, and nothing moves from it on its own. Clause: specification, section 7.

use std::fmt;
use std::str::FromStr;

use retoque_core::api::VersionSummary;
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::{IdError, PatchName, Version};
use retoque_core::lifecycle::State;
use retoque_core::problem::{DEGRADED_ONLY, DEPRECATED_ONLY, NO_VERSION, VERSION_WITHDRAWN};
use retoque_core::status::Listed;
use semver::VersionReq;

use crate::error::Failure;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The patch.
    pub patch: PatchName,
    /// Which of its versions.
    pub selector: Selector,
}

/// Which version of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// The newest published one.
    Newest,
    /// The newest published one in a range.
    Range(VersionReq),
    /// This one.
    Exact(Version),
    /// The one with this manifest digest.
    Digest(Digest),
}

/// A version of a listing, signed or not.
pub trait Choice {
    /// The version.
    fn version(&self) -> &Version;
    /// Its manifest digest.
    fn digest(&self) -> Digest;
    /// Where it stands.
    fn state(&self) -> State;
    /// Whether its evidence is `DEGRADED`.
    fn is_degraded(&self) -> bool;
}

impl Choice for VersionSummary {
    fn version(&self) -> &Version {
        &self.version
    }
    fn digest(&self) -> Digest {
        self.digest
    }
    fn state(&self) -> State {
        self.state
    }
    fn is_degraded(&self) -> bool {
        self.evidence == EvidenceState::Degraded
    }
}

impl Choice for Listed {
    fn version(&self) -> &Version {
        &self.version
    }
    fn digest(&self) -> Digest {
        self.manifest
    }
    fn state(&self) -> State {
        self.state
    }
    fn is_degraded(&self) -> bool {
        self.evidence == EvidenceState::Degraded.name()
    }
}

/// A reference to one version and no other: what acts of people need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactReference(Reference);

impl Reference {
    /// The selector as the routes of the registry take it, when it names one version.
    pub fn exact(&self) -> Option<String> {
        match &self.selector {
            Selector::Exact(version) => Some(version.to_string()),
            Selector::Digest(digest) => Some(digest.to_string()),
            Selector::Newest | Selector::Range(_) => None,
        }
    }

    /// Resolves a selector that leaves a choice. `DEGRADED` versions are taken only when allowed.
    pub fn choose<'a, V: Choice>(&self, listing: &'a [V], degraded: bool) -> Result<&'a V, Failure> {
        let matches = |v: &V| match &self.selector {
            Selector::Newest => true,
            Selector::Range(range) => range.matches(v.version().semver()),
            Selector::Exact(version) => v.version() == version,
            Selector::Digest(digest) => v.digest() == *digest,
        };
        let candidates: Vec<_> = listing.iter().filter(|v| matches(v) && !v.version().is_prerelease()).collect();
        let newest = |state: State, degraded: bool| {
            candidates
                .iter()
                .filter(|v| v.state() == state && (degraded || !v.is_degraded()))
                .max_by(|a, b| a.version().cmp(b.version()))
                .copied()
        };
        if let Some(found) = newest(State::Published, degraded) {
            return Ok(found);
        }
        let name = |v: &V| format!("{}@{}", self.patch, v.version());
        if let Some(found) = newest(State::Published, true) {
            let next = format!("name it exactly ({}) or add --allow-degraded", name(found));
            return Err(Failure::new(DEGRADED_ONLY, format!("every version of {self} is DEGRADED"), next));
        }
        if let Some(found) = newest(State::Deprecated, true) {
            let next = format!("name it exactly ({}) to use it all the same", name(found));
            return Err(Failure::new(DEPRECATED_ONLY, format!("every version of {self} is deprecated"), next));
        }
        let ended = |v: &&V| matches!(v.state(), State::Withdrawn | State::TakenDown);
        if candidates.iter().any(&ended) && candidates.iter().all(ended) {
            let message = format!("every version of {self} is withdrawn");
            return Err(Failure::new(VERSION_WITHDRAWN, message, self.others(listing)));
        }
        Err(Failure::new(NO_VERSION, format!("no published version for {self}"), self.others(listing)))
    }

    fn others(&self, listing: &[impl Choice]) -> String {
        let mut names: Vec<_> =
            listing.iter().rev().take(5).map(|v| format!("{} ({})", v.version(), v.state())).collect();
        if listing.len() > names.len() {
            names.push("…".to_owned());
        }
        if names.is_empty() {
            return format!("{} has no version that you can see; check the name, or log in", self.patch);
        }
        format!("there are: {}", names.join(", "))
    }
}

impl ExactReference {
    /// The patch.
    pub fn patch(&self) -> &PatchName {
        &self.0.patch
    }

    /// The version or digest, as the routes of the registry take it.
    pub fn version(&self) -> String {
        self.0.exact().unwrap_or_default()
    }
}

impl FromStr for Reference {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let (patch, selector) = match text.split_once('@') {
            None => (text, Selector::Newest),
            Some((patch, selector)) => (patch, selector.parse()?),
        };
        Ok(Self { patch: patch.parse()?, selector })
    }
}

impl FromStr for Selector {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text.starts_with("sha256:") {
            return text.parse().map(Self::Digest).map_err(|_| IdError::Reference);
        }
        if let Ok(version) = text.parse() {
            return Ok(Self::Exact(version));
        }
        // `1.2` could mean a range or a slip; a range says so by its operator.
        if text.starts_with(['^', '~', '=', '<', '>', '*']) && text.len() <= 128 {
            return VersionReq::parse(text).map(Self::Range).map_err(|_| IdError::Reference);
        }
        Err(IdError::Reference)
    }
}

impl FromStr for ExactReference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let reference: Reference = text.parse().map_err(|e: IdError| e.to_string())?;
        if reference.exact().is_none() {
            return Err("this needs one version: `org/slug@1.2.0` or `org/slug@sha256:…`".to_owned());
        }
        Ok(Self(reference))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.selector {
            Selector::Newest => write!(f, "{}", self.patch),
            Selector::Range(range) => write!(f, "{}@{range}", self.patch),
            Selector::Exact(version) => write!(f, "{}@{version}", self.patch),
            Selector::Digest(digest) => write!(f, "{}@{digest}", self.patch),
        }
    }
}

impl fmt::Display for ExactReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::licence::LicenceState;

    fn listing(lines: &[(&str, State, &str)]) -> Vec<VersionSummary> {
        let line = |(version, state, evidence): &(&str, State, &str)| VersionSummary {
            version: version.parse().unwrap(),
            digest: Digest::of(version.as_bytes()),
            state: *state,
            evidence: evidence.parse().unwrap(),
            licence: LicenceState::None,
            created: "2026-01-01T00:00:00Z".parse().unwrap(),
            notice: None,
        };
        lines.iter().map(line).collect()
    }

    fn chosen(reference: &str, listing: &[VersionSummary]) -> Result<String, String> {
        let reference: Reference = format!("acme/tiny-desk{reference}").parse().unwrap();
        reference.choose(listing, false).map(|v| v.version.to_string()).map_err(|f| f.code().to_owned())
    }

    #[test]
    fn four_forms_and_no_other() {
        for good in ["acme/tiny-desk", "acme/tiny-desk@1.2.0", "acme/tiny-desk@^1.2", "acme/tiny-desk@>=1, <2"] {
            assert_eq!(good.parse::<Reference>().unwrap().to_string(), good);
        }
        assert!(format!("acme/tiny-desk@{}", Digest::of(b"")).parse::<ExactReference>().is_ok());
        for bad in ["acme", "acme/tiny-desk@", "acme/tiny-desk@v1.2.0", "acme/tiny-desk@1.2", "acme/tiny-desk@latest"] {
            assert!(bad.parse::<Reference>().is_err(), "{bad}");
        }
        for open in ["acme/tiny-desk", "acme/tiny-desk@^1"] {
            assert!(open.parse::<ExactReference>().is_err(), "{open}");
        }
    }

    #[test]
    fn only_published_sound_releases_are_chosen() {
        use State::{Approved, Deprecated, Published, Withdrawn};
        let all = listing(&[
            ("1.2.0", Published, "IMPROVED_ON_SCOPE"),
            ("1.10.0", Published, "EXPERIMENTAL"),
            ("1.11.0", Published, "DEGRADED"),
            ("1.12.0", Deprecated, "IMPROVED_ON_SCOPE"),
            ("2.0.0-rc.1", Published, "IMPROVED_ON_SCOPE"),
            ("2.0.0", Approved, "IMPROVED_ON_SCOPE"),
            ("3.0.0", Withdrawn, "IMPROVED_ON_SCOPE"),
        ]);
        assert_eq!(chosen("", &all), Ok("1.10.0".into()));
        assert_eq!(chosen("@~1.2", &all), Ok("1.2.0".into()));
        assert_eq!(chosen("@^2", &all), Err("no_version".into()));
        assert_eq!(chosen("@>=2.0.0-rc.0", &all), Err("no_version".into()), "no range selects a pre-release");
        assert_eq!(chosen("@^3", &all), Err("version_withdrawn".into()), "there is one, but it ended");
        assert_eq!(chosen("", &all[2..]), Err("degraded_only".into()));
        assert_eq!(chosen("", &all[3..]), Err("deprecated_only".into()));
        let any: Reference = "acme/tiny-desk".parse().unwrap();
        assert_eq!(any.choose(&all, true).unwrap().version.to_string(), "1.11.0");
    }
}
