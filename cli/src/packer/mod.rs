//! Makes a package out of a trainer's folder, a base record and an evaluation record.
//!
//! Every input is opened once, read to its end and compared with the size it had; links are not followed. All that
//! is wrong with adapter, record and declarations is reported together, and then nothing is left behind: the
//! package is written beside its place, checked by the same code that a registry runs, and renamed at the end.
//! Clause: specification, section 2.

mod folder;
pub(crate) mod record;
mod threads;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use retoque_core::adapter::folder::classify;
use retoque_core::adapter::{self, Examined, Input, Policy};
use retoque_core::archive::Limits;
use retoque_core::archive::write::Facts;
use retoque_core::base::BaseRecord;
use retoque_core::digest::Digest;
use retoque_core::evaluation::{Bindings, Declared, Rederived, profile};
use retoque_core::id::{BasePin, PatchName, Version};
use retoque_core::manifest::{FORMAT, Manifest, licence, readme, shape::SOURCES};
use retoque_core::problem::{
    BASE_MISMATCH, Finding, Findings, INPUT_UNREADABLE, LICENCE_UNKNOWN, PACKAGE_FILE_TOO_LARGE, Place, USAGE, quote,
};

use self::folder::Source;
use crate::output::Progress;

/// Everything that a package is made of.
pub struct Request<'a> {
    /// The folder that the trainer wrote.
    pub adapter: &'a Path,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// The declared base.
    pub pin: BasePin,
    /// The record of that base.
    pub base: &'a BaseRecord,
    /// The folder with the five files of the evaluation record.
    pub record: &'a Path,
    /// Seed, source and licence of the dataset, allowance.
    pub declared: Declared,
    /// Which adapters are taken.
    pub policy: Policy,
    /// How large files may be.
    pub limits: Limits,
    /// Where the package goes.
    pub out: &'a Path,
    /// Told of each byte of the weights that was read.
    pub progress: Progress,
}

/// A package that was written.
pub struct Packed {
    /// The manifest.
    pub manifest: Manifest,
    /// The digest that identifies the version.
    pub manifest_digest: Digest,
    /// Digest and size of the archive.
    pub facts: Facts,
    /// Where the validation cases were written.
    pub validation_cases: PathBuf,
    /// What of the folder was left out, and why.
    pub left_out: Vec<(String, &'static str)>,
    /// Everything that was rewritten or is worth knowing.
    pub warnings: Findings,
}

/// Makes the package, or says everything that is wrong.
pub fn pack(request: &Request<'_>) -> Result<Packed, Findings> {
    let mut findings = declarations(request);
    let listing = match folder::list(request.adapter) {
        Ok(listing) => listing,
        Err(error) => {
            findings.extend(unreadable("the adapter's folder", &error));
            return Err(findings);
        }
    };
    let (plan, of_folder) = classify(&listing, Some(request.base));
    findings.extend(of_folder);
    let Some(plan) = plan else { return Err(findings) };

    let mut config = Source::open(request.adapter, &plan.config).map_err(|e| unreadable(&plan.config, &e))?;
    let mut weights = Source::open(request.adapter, &plan.weights).map_err(|e| unreadable(&plan.weights, &e))?;
    let limit = request.limits.weights;
    if weights.size() > limit {
        let (found, expected) = (format!("{} bytes", weights.size()), format!("at most {limit} bytes"));
        let next = "pack a smaller adapter, or ask the operator for the limit";
        findings.push(Finding::new(PACKAGE_FILE_TOO_LARGE, Place::file(&plan.weights), found, expected, next));
        return Err(findings);
    }
    let config = config.bytes(adapter::config::MAX_BYTES as u64 + 1).map_err(|e| unreadable(&plan.config, &e))?;
    let size = weights.size();
    let mut pass = weights.pass(&request.progress);
    let input = Input { config: &config, weights: &mut pass, size, base: request.base, policy: request.policy };
    let examined = match adapter::examine(input) {
        Ok((examined, warnings)) => {
            findings.extend(warnings);
            Some(examined)
        }
        Err(refused) => {
            findings.extend(refused);
            None
        }
    };
    let sha256 = pass.finish().map_err(|e| unreadable(&plan.weights, &e))?;
    let bindings = Bindings { adapter: sha256, base_files: &request.base.files };
    let rederived = record::rederive(request.record, &request.declared, &bindings, &mut findings);
    if let (Some(examined), Some(rederived), Policy::FixedProfile) = (&examined, &rederived, request.policy) {
        findings.extend(profile::check(&rederived.training, &examined.section));
    }
    let (Some(examined), Some(rederived), false) = (examined, rederived, findings.refused()) else {
        return Err(findings);
    };
    let manifest = manifest(request, &examined, &rederived);
    let readme = readme::generate(&manifest);
    let parts = write::Parts {
        manifest,
        readme: readme.as_bytes(),
        config: &examined.packaged,
        weights: &mut weights,
        evaluation: &rederived.evaluation_json,
        validation_cases: &rederived.validation_cases_json,
    };
    let written = write::write(request, parts)?;
    Ok(Packed {
        manifest: written.manifest,
        manifest_digest: written.manifest_digest,
        facts: written.facts,
        validation_cases: written.validation_cases,
        left_out: plan.left_out,
        warnings: findings,
    })
}

/// The manifest, whose list of files is made while they are written.
fn manifest(request: &Request<'_>, examined: &Examined, rederived: &Rederived) -> Manifest {
    Manifest {
        format: FORMAT.to_owned(),
        patch: request.patch.clone(),
        version: request.version.clone(),
        base: request.base.section(),
        adapter: examined.section.clone(),
        files: Vec::new(),
        dataset: rederived.dataset.clone(),
        training: rederived.training.clone(),
        evidence: rederived.evidence.clone(),
    }
}

/// What is wrong with the declarations alone.
fn declarations(request: &Request<'_>) -> Findings {
    let mut findings = Findings::new();
    let mut add = |code, field: &str, found: String, expected: String, next: &str| {
        findings.push(Finding::new(code, Place::field(field), found, expected, next));
    };
    let recorded = request.base.pin();
    if recorded != request.pin {
        let next = "give the record of the declared base, made with `retoque base record`";
        add(BASE_MISMATCH, "--base-record", recorded.to_string(), request.pin.to_string(), next);
    }
    let declared = &request.declared;
    if !SOURCES.contains(&declared.source.as_str()) {
        let next = "declare where the rows come from";
        add(USAGE, "--dataset-source", quote(&declared.source), SOURCES.join(", "), next);
    }
    if !licence::is_for_dataset(&declared.licence) {
        let expected = "one SPDX identifier or proprietary-owned".to_owned();
        let next = "declare the licence under which the rows may be used";
        add(LICENCE_UNKNOWN, "--dataset-licence", quote(&declared.licence), expected, next);
    }
    findings
}

/// A file of the input that could not be read, named as within its folder.
fn unreadable(name: &str, error: &io::Error) -> Findings {
    let next = "check the path and its permissions, and that nothing else writes there";
    let found = if error.get_ref().is_some() { error.to_string() } else { error.kind().to_string() };
    Finding::new(INPUT_UNREADABLE, Place::file(name), found, "a file that can be read", next).into()
}
