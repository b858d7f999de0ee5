//! `release.json` and the verification of a pulled folder, without any network.
//!
//! A folder holds exactly the names of [`NAMES`]. Every byte of it is covered: the four package files and the
//! validation cases by the manifest, the manifest by the build statement, `LICENSE.txt` by the licence record,
//! `attestation.json` and every statement by a signature, and `release.json` itself by being the only form of
//! what it holds. Trust comes from the roots that the caller pinned and followed; the chain inside `release.json` can
//! only join them. Everything signed is proven to stand in the log, and its index there says whose signatures count.
//! Clause: specification, sections 2 and 8.

mod document;
mod files;
mod log;
#[cfg(test)]
mod log_tests;
mod order;
mod report;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
pub(crate) mod sample_log;
mod signed;
#[cfg(test)]
mod tests;
mod verify;
mod witness;

use std::io::{self, Read};

pub use document::{FORMAT, MAX_BYTES, Release, ReleaseFiles};
pub use files::{check_names, verify_digest, verify_file};
pub use report::{LogReport, Report, SignedBy, StatusReport};
pub use verify::{Asked, Trust, VerifiedRelease, check_documents, check_draft, open, verify};
pub use witness::{check_note, exact_note, known_note};

/// The build signature, byte for byte the one in `release.json`.
pub const ATTESTATION: &str = "attestation.json";
/// The frozen licence text.
pub const LICENSE: &str = "LICENSE.txt";
/// What an offline verifier needs.
pub const RELEASE: &str = "release.json";
/// The validation cases in full, only when the submitter confirmed.
pub const VALIDATION_CASES: &str = "validation-cases.json";

/// Every name that a pulled folder may hold. Only [`VALIDATION_CASES`] may be absent, and only when not published.
pub const NAMES: [&str; 9] = [
    "README.md",
    "adapter_config.json",
    "adapter_model.safetensors",
    "evaluation.json",
    "manifest.json",
    ATTESTATION,
    LICENSE,
    RELEASE,
    VALIDATION_CASES,
];

/// A pulled folder, as the verification sees it.
pub trait FolderView {
    /// The names of everything in the folder: files, folders, links, hidden ones too.
    fn list(&self) -> io::Result<Vec<String>>;
    /// Opens the ordinary file `name` and gives its size. A link, a folder or a device is an error.
    fn open(&self, name: &str) -> io::Result<(Box<dyn Read + '_>, u64)>;
}
