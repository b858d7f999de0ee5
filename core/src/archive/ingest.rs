//! The whole check of a package: structure, adapter, base and manifest in one pass over the stream.
//!
//! The packer runs it over what it has just written, the registry over what is pushed, and a verifier over what it
//! holds: the same rules everywhere. What cannot be known from the package alone (the private evaluation record) is
//! left to the caller, who gets the bytes that have to agree with it. Memory does not grow with the package.
//! Clause: specification, sections 2 and 3.

use std::io::Read;

use super::fault::finding_of;
use super::read::{Package, PackageReader, Visitor};
use super::write::Facts;
use super::{CONFIG, EVALUATION, Limits, README, WEIGHTS};
use crate::adapter::{self, Examined, Input, Policy};
use crate::base::BaseRecord;
use crate::digest::Digest;
use crate::evaluation::profile;
use crate::manifest::{Manifest, compare, readme};
use crate::problem::{Finding, Findings, PACKAGE_MISMATCH, Place};

/// A package that nothing was refused of.
#[derive(Debug, Clone)]
pub struct IngestFacts {
    /// The manifest.
    pub manifest: Manifest,
    /// The manifest as stored.
    pub manifest_bytes: Vec<u8>,
    /// The digest that identifies the version.
    pub manifest_digest: Digest,
    /// Digest and size of the archive, its files and its seek table.
    pub archive: Facts,
    /// What was found in configuration and weights.
    pub adapter: Examined,
    /// `evaluation.json`, to be compared with what the private record gives.
    pub evaluation: Vec<u8>,
}

/// Checks a package against the record of the base that it must be for.
pub fn ingest<R: Read>(
    source: R,
    base: &BaseRecord,
    policy: Policy,
    limits: &Limits,
) -> Result<(IngestFacts, Findings), Findings> {
    let mut look = Look { base, policy, config: Vec::new(), readme: Vec::new(), evaluation: Vec::new(), adapter: None };
    let (package, mut findings) = PackageReader::new(source, limits).run(&mut look)?;
    let Package { manifest, manifest_bytes, manifest_digest, facts } = package;
    compare(PACKAGE_MISMATCH, "base", &manifest.base, &base.section(), &mut findings);
    if let Some(adapter) = &look.adapter {
        compare(PACKAGE_MISMATCH, "adapter", &manifest.adapter, &adapter.section, &mut findings);
    }
    if policy == Policy::FixedProfile {
        findings.extend(profile::check(&manifest.training, &manifest.adapter));
    }
    if look.readme != readme::generate(&manifest).as_bytes() {
        findings.push(Finding::new(
            PACKAGE_MISMATCH,
            Place::file(README),
            "another text",
            "the text that follows from the manifest",
            "make the package with `retoque pack`",
        ));
    }
    let (evaluation, adapter) = (look.evaluation, look.adapter);
    match adapter {
        Some(adapter) if !findings.refused() => Ok((
            IngestFacts { manifest, manifest_bytes, manifest_digest, archive: facts, adapter, evaluation },
            findings,
        )),
        _ => Err(findings),
    }
}

/// Looks at each file as it passes.
struct Look<'a> {
    base: &'a BaseRecord,
    policy: Policy,
    config: Vec<u8>,
    readme: Vec<u8>,
    evaluation: Vec<u8>,
    adapter: Option<Examined>,
}

impl Visitor for Look<'_> {
    fn file(&mut self, path: &str, size: u64, content: &mut dyn Read) -> Findings {
        let kept = match path {
            README => &mut self.readme,
            CONFIG => &mut self.config,
            EVALUATION => &mut self.evaluation,
            WEIGHTS => return self.weights(size, content),
            _ => return Findings::new(),
        };
        // The reader has checked the size against the limit of this file.
        content.read_to_end(kept).map_or_else(|error| finding_of(&error).into(), |_| Findings::new())
    }
}

impl Look<'_> {
    fn weights(&mut self, size: u64, content: &mut dyn Read) -> Findings {
        let input = Input { config: &self.config, weights: content, size, base: self.base, policy: self.policy };
        match adapter::examine_packaged(input) {
            Ok((examined, findings)) => {
                self.adapter = Some(examined);
                findings
            }
            Err(findings) => findings,
        }
    }
}
