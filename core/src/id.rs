//! Names: org, patch, version, base repository and commit, account. Parsed once, then carried as proof.
//!
//! Clause: specification, section 1. Refuses what looks like a name but is not the one spelling of it:
//! other letter cases, homoglyphs, reserved words, build metadata, a leading `v`, short commits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Org names that would collide with a route, a Hub prefix or a word that must not look official.
pub const RESERVED_ORGS: &[&str] = &[
    "api",
    "v1",
    "v2",
    "log",
    "trust",
    "datasets",
    "spaces",
    "models",
    "static",
    "healthz",
    "readyz",
    "metrics",
    "assets",
    "login",
    "logout",
    "admin",
    "root",
    "retoque",
    "registry",
    "system",
    "about",
    "docs",
    "help",
    "search",
    "review",
    "settings",
    "new",
    "orgs",
    "accounts",
    "tokens",
    "keys",
    "bases",
    "patches",
    "uploads",
    "well-known",
];

/// Why a text is not the name it should be. The message says the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not lower-case kebab-case, or of the wrong length.
    #[error("{what} is lower-case letters and digits in groups joined by single hyphens, {min}–{max} characters")]
    Kebab {
        /// What the text should have named.
        what: &'static str,
        /// Fewest characters.
        min: usize,
        /// Most characters.
        max: usize,
    },
    /// A reserved org name.
    #[error("this org name is reserved")]
    Reserved,
    /// Not `org/slug`.
    #[error("a patch is named `org/slug`")]
    Patch,
    /// Not strict `SemVer` 2.
    #[error(
        "a version is strict SemVer 2 such as `1.2.0` or `1.0.0-rc.1`, without a leading `v` and without build metadata, at most 64 characters"
    )]
    Version,
    /// Not a base repository id.
    #[error("a base repository is `owner/name` as on the Hugging Face Hub")]
    Repo,
    /// Not a full commit.
    #[error("a commit is exactly 40 lower-case hex digits")]
    Commit,
    /// Not `owner/name@commit`.
    #[error("a base pin is `owner/name@<40 lower-case hex digits>`")]
    BasePin,
    /// Not `org/slug@version` (or the forms that section 7 adds).
    #[error("a reference is `org/slug`, `org/slug@1.2.0`, `org/slug@^1.2` or `org/slug@sha256:…`")]
    Reference,
}

fn kebab(text: &str, what: &'static str, min: usize, max: usize) -> Result<(), IdError> {
    let ok = (min..=max).contains(&text.len())
        && text
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    if ok { Ok(()) } else { Err(IdError::Kebab { what, min, max }) }
}

/// Gives a checked text type its conversions; each is serialised as the text itself.
macro_rules! text_type {
    ($name:ident) => {
        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        text_traits!($name);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! text_traits {
    ($name:ident) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// An organisation: kebab-case, 2–39 characters, not reserved.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Org(String);
text_type!(Org);

impl FromStr for Org {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        kebab(text, "an org", 2, 39)?;
        if RESERVED_ORGS.contains(&text) {
            return Err(IdError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }
}

/// The second half of a patch name: kebab-case, 3–60 characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);
text_type!(Slug);

impl FromStr for Slug {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        kebab(text, "a slug", 3, 60)?;
        Ok(Self(text.to_owned()))
    }
}

/// A person or machine that acts: kebab-case, 2–39 characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(String);
text_type!(AccountName);

impl FromStr for AccountName {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        kebab(text, "an account", 2, 39)?;
        Ok(Self(text.to_owned()))
    }
}

/// A patch: `org/slug`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchName {
    /// Who owns it.
    pub org: Org,
    /// Its name within the org.
    pub slug: Slug,
}
text_traits!(PatchName);

impl FromStr for PatchName {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let (org, slug) = text.split_once('/').ok_or(IdError::Patch)?;
        Ok(Self { org: org.parse()?, slug: slug.parse()? })
    }
}

impl fmt::Display for PatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.org, self.slug)
    }
}

/// A version of a patch: strict `SemVer` 2, no build metadata. Ordered by `SemVer` precedence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(semver::Version);
text_traits!(Version);

impl Version {
    /// The parsed version, for ranges.
    pub const fn semver(&self) -> &semver::Version {
        &self.0
    }

    /// Whether it is a pre-release, which no range ever selects.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// A text whose byte order is the order of releases: the three numbers in twenty digits each. A pre-release has none.
    pub fn release_order(&self) -> Option<String> {
        let semver::Version { major, minor, patch, .. } = self.0;
        (!self.is_prerelease()).then(|| format!("{major:020}.{minor:020}.{patch:020}"))
    }
}

impl FromStr for Version {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let version = semver::Version::parse(text).map_err(|_| IdError::Version)?;
        // The round trip refuses anything the parser might normalise; a version has one spelling.
        if text.len() > 64 || !version.build.is_empty() || version.to_string() != text {
            return Err(IdError::Version);
        }
        Ok(Self(version))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A Hugging Face style repository id, `owner/name`. Letter case counts: names are compared byte for byte.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoId(String);
text_type!(RepoId);

impl RepoId {
    /// The part after the slash, which is all that some trainers record.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl FromStr for RepoId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let part = |part: &str| {
            (1..=96).contains(&part.len())
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
                && !part.starts_with(['-', '.'])
                && !part.ends_with(['-', '.'])
                && !part.contains("--")
                && !part.contains("..")
        };
        match text.split_once('/') {
            Some((owner, name))
                if part(owner) && part(name) && name.rsplit_once('.').is_none_or(|(_, end)| end != "git") =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(IdError::Repo),
        }
    }
}

/// A full commit of a base repository: 40 lower-case hex digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commit(String);
text_type!(Commit);

impl FromStr for Commit {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let ok = text.len() == 40 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if ok { Ok(Self(text.to_owned())) } else { Err(IdError::Commit) }
    }
}

/// The exact base an adapter repairs: repository and commit, written `owner/name@commit`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BasePin {
    /// The repository.
    pub repo: RepoId,
    /// The commit within it.
    pub commit: Commit,
}
text_traits!(BasePin);

impl FromStr for BasePin {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let (repo, commit) = text.split_once('@').ok_or(IdError::BasePin)?;
        Ok(Self { repo: repo.parse()?, commit: commit.parse()? })
    }
}

impl fmt::Display for BasePin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.repo, self.commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_strict() {
        for good in ["1.2.0", "0.0.1", "1.0.0-rc.1", "10.20.30-alpha.b-c"] {
            assert_eq!(good.parse::<Version>().unwrap().to_string(), good);
        }
        for bad in ["v1.2.0", "1.2", "1.2.0+build", "01.2.0", "1.2.0-01", " 1.2.0", "1.2.0\n", "", "１.2.0"] {
            assert_eq!(bad.parse::<Version>(), Err(IdError::Version), "{bad:?}");
        }
    }

    #[test]
    fn releases_sort_by_their_key() {
        let all = ["0.9.0", "0.10.0", "1.2.3", "1.2.10", "1.10.0", "10.0.0", "18446744073709551615.0.0"];
        let keys = all.map(|version| version.parse::<Version>().unwrap().release_order().unwrap());
        assert!(keys.is_sorted(), "{keys:?}");
        assert_eq!("1.0.0-rc.1".parse::<Version>().unwrap().release_order(), None);
    }

    #[test]
    fn patches_have_one_spelling() {
        assert_eq!("acme/tiny-desk".parse::<PatchName>().unwrap().to_string(), "acme/tiny-desk");
        for bad in [
            "acme",
            "acme/",
            "/x",
            "Acme/tiny-desk",
            "acme/tiny_desk",
            "acme/ab",
            "acme/-abc",
            "acme/a--bc",
            "a/abc",
            "аcme/tiny-desk",
            "api/tiny-desk",
            "acme/tiny-desk/x",
            "acme/tiny-desk ",
            "acme/../etc",
        ] {
            assert!(bad.parse::<PatchName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn base_pins_are_full() {
        let pin = format!("Qwen/Qwen2.5-0.5B-Instruct@{}", "7".repeat(40));
        assert_eq!(pin.parse::<BasePin>().unwrap().to_string(), pin);
        assert_eq!(pin.parse::<BasePin>().unwrap().repo.name(), "Qwen2.5-0.5B-Instruct");
        for bad in ["Qwen/Qwen2.5", "Qwen/Qwen2.5@main", "Qwen@7ae5576", "a/b@7AE557604ADF67BE50417F59C2C2F167DEF9A775"]
        {
            assert!(bad.parse::<BasePin>().is_err(), "{bad:?}");
        }
    }
}
