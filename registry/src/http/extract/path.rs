//! Names in the path. All parts that break a rule are reported together; a name has exactly one spelling.

use std::fmt::Display;
use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use retoque_core::digest::Digest;
use retoque_core::id::{AccountName, BasePin, Commit, Org, PatchName, RepoId, Version};
use retoque_core::problem::{Finding, Findings, NAME_INVALID, Place};

use super::excerpt;
use crate::http::Shared;
use crate::http::problem::Refusal;
use crate::service;

/// The path's parts as the names that they are.
pub(in crate::http) struct Name<T>(pub(in crate::http) T);

/// The parts of a path by the names that the route gives them, and what is wrong with them.
pub(in crate::http) struct PathReader {
    parts: Vec<(String, String)>,
    findings: Findings,
}

impl PathReader {
    /// The text of the part called `key`.
    fn text(&self, key: &str) -> String {
        self.parts.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()).unwrap_or_default()
    }

    /// The part called `key`, when it is what it should be.
    pub(in crate::http) fn part<T: FromStr<Err: Display>>(&mut self, key: &str) -> Option<T> {
        let text = self.text(key);
        self.keep(key, &text, text.parse())
    }

    fn keep<T>(&mut self, key: &str, text: &str, parsed: Result<T, impl Display>) -> Option<T> {
        let next = "use the name exactly as the registry lists it";
        let found = || format!("{:?}", excerpt(text));
        parsed
            .map_err(|rule| {
                let finding = Finding::new(NAME_INVALID, Place::field(key), found(), rule.to_string(), next);
                self.findings.push(finding);
            })
            .ok()
    }
}

/// Something that a route names by its path.
pub(in crate::http) trait PathParts: Sized {
    /// Reads it; `None` when a part was refused.
    fn read(parts: &mut PathReader) -> Option<Self>;
}

impl<T: PathParts> FromRequestParts<Shared> for Name<T> {
    type Rejection = Refusal;

    async fn from_request_parts(request: &mut Parts, state: &Shared) -> Result<Self, Refusal> {
        let raw = RawPathParams::from_request_parts(request, state).await.map_err(|_| {
            let next = "write the name in plain ASCII";
            Finding::new(NAME_INVALID, Place::default(), "a path that is not UTF-8", "a name", next)
        })?;
        let parts = raw.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut reader = PathReader { parts, findings: Findings::new() };
        match T::read(&mut reader) {
            Some(value) if !reader.findings.refused() => Ok(Self(value)),
            _ if reader.findings.refused() => Err(reader.findings.into()),
            _ => Err(service::Error::internal("a route without the parts that its handler reads").into()),
        }
    }
}

impl PathParts for Org {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("org")
    }
}

impl PathParts for AccountName {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("account")
    }
}

impl PathParts for PatchName {
    fn read(parts: &mut PathReader) -> Option<Self> {
        let (org, slug) = (parts.part("org"), parts.part("slug"));
        Some(Self { org: org?, slug: slug? })
    }
}

impl PathParts for Version {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("version")
    }
}

impl PathParts for BasePin {
    fn read(parts: &mut PathReader) -> Option<Self> {
        let text = format!("{}/{}", parts.text("owner"), parts.text("name"));
        let repo = parts.keep("repo", &text, text.parse::<RepoId>());
        let commit = parts.part::<Commit>("commit");
        Some(Self { repo: repo?, commit: commit? })
    }
}

impl PathParts for Digest {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("sha256")
    }
}

impl<A: PathParts, B: PathParts> PathParts for (A, B) {
    fn read(parts: &mut PathReader) -> Option<Self> {
        let (a, b) = (A::read(parts), B::read(parts));
        Some((a?, b?))
    }
}
