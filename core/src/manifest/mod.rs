//! `manifest.json`: the canonical statement of everything in a package. Its digest identifies a version.
//!
//! Canonical JSON, no floats (decimals are strings), unknown fields refused; the bytes as stored are what
//! is signed and digested. All that is wrong with one manifest is found at once: [`shape`] says which fields
//! there are and what each may hold, `rules` says what must hold between them. Clause: specification, section 2.

mod compare;
pub mod licence;
pub mod readme;
mod rules;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
pub(crate) mod sample;
pub mod setting;
pub mod shape;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
mod types;

pub use compare::compare;
pub use types::*;

use crate::canonical::{self, CanonicalError};
use crate::digest::Digest;
use crate::json::{self, Limits};
use crate::problem::{
    Finding, Findings, MANIFEST_FIELD_INVALID, MANIFEST_NOT_CANONICAL, MANIFEST_NOT_JSON, MANIFEST_TOO_LARGE, Place,
};

/// Most bytes of a manifest.
pub const MAX_BYTES: usize = 4 << 20;

/// The name of the file, for places.
const FILE: &str = crate::archive::MANIFEST;

impl Manifest {
    /// Reads a manifest as stored, or says everything that is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Findings> {
        let place = || Place::file(FILE);
        let next = "make the package with `retoque pack`";
        if bytes.len() > MAX_BYTES {
            let found = format!("{} bytes", bytes.len());
            return Err(Finding::new(MANIFEST_TOO_LARGE, place(), found, "at most 4194304 bytes", next).into());
        }
        let limits = Limits { bytes: MAX_BYTES, ..Limits::DOCUMENT };
        let value = json::parse(bytes, limits).map_err(|error| {
            let place = place().at_byte(error.at as u64);
            Finding::new(MANIFEST_NOT_JSON, place, short(&error.kind.to_string()), "strict JSON", next)
        })?;
        let mut findings = Findings::new();
        shape::check(&value, FILE, &mut findings);
        match canonical::check(bytes, limits) {
            // Numbers that are no small integers are named field by field above.
            Ok(()) | Err(CanonicalError::Number(_)) => {}
            Err(error) => findings.push(Finding::new(
                MANIFEST_NOT_CANONICAL,
                place(),
                short(&error.to_string()),
                "canonical JSON (RFC 8785)",
                next,
            )),
        }
        if findings.refused() {
            return Err(findings);
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| {
            Finding::new(MANIFEST_FIELD_INVALID, place(), short(&error.to_string()), "the manifest's fields", next)
        })?;
        rules::check(&manifest, &mut findings);
        findings.into_result(manifest).map(|(manifest, _)| manifest)
    }

    /// The canonical bytes to store.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical::to_vec(self)
    }

    /// The digest of the canonical bytes. Of a stored manifest, take the digest of the stored bytes.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        Ok(Digest::of(&self.to_bytes()?))
    }

    /// Every file of the archive in its order, with its size; the manifest itself has `manifest_size` bytes.
    pub fn archive_files(&self, manifest_size: u64) -> impl Iterator<Item = (&str, u64)> {
        self.files.iter().map(|f| (f.path.as_str(), f.size)).chain([(FILE, manifest_size)])
    }
}

/// At most 120 characters of `text`.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
