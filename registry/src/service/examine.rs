//! The check of a push: the package in one pass, and the evidence re-derived from the private record. Runs on a thread
//! that may block; reads staged bytes through the object store with bounded memory.

use std::collections::BTreeMap;
use std::io::Read;

use retoque_core::adapter::Policy;
use retoque_core::archive::Limits;
use retoque_core::archive::ingest::{IngestFacts, ingest};
use retoque_core::base::BaseRecord;
use retoque_core::digest::Digest;
use retoque_core::evaluation::{Bindings, Declared, RecordError, RecordFiles, Rederived, compare_package, rederive};
use retoque_core::id::{PatchName, Version};
use retoque_core::manifest::Manifest;
use retoque_core::problem::{Finding, Findings, PACKAGE_MISMATCH, Place, SUITE_UNKNOWN};

use super::{Error, Service};
use crate::blobs::{BlobReader, Place as BlobPlace};
use crate::store::versions::RecordFile;

/// What is needed to check a push, all of it owned: the check runs on a thread of its own.
pub(super) struct Check {
    pub(super) patch: PatchName,
    pub(super) version: Version,
    pub(super) base: BaseRecord,
    pub(super) policy: Policy,
    pub(super) limits: Limits,
    /// The regression suites that the operator set: allowance by digest.
    pub(super) suites: BTreeMap<Digest, u64>,
    pub(super) acknowledged: Option<Digest>,
}

/// A push that nothing was refused of.
pub(super) struct Checked {
    pub(super) package: IngestFacts,
    pub(super) record: Rederived,
    pub(super) warnings: Findings,
}

/// Readers of the five files of the private record.
pub(super) struct Record {
    pub(super) dataset: BlobReader,
    pub(super) regression: BlobReader,
    pub(super) outputs: BlobReader,
    pub(super) run: BlobReader,
    pub(super) training: BlobReader,
}

impl Check {
    /// Checks the package, and then the record against it. All findings of each come together; a record is not held
    /// against a package that is refused itself.
    pub(super) fn run(&self, package: impl Read, record: Record) -> Result<Checked, Error> {
        let (package, mut warnings) = ingest(package, &self.base, self.policy, &self.limits)?;
        let mut findings = Findings::new();
        self.names(&package.manifest, &mut findings);
        let declared = self.declared(&package.manifest, &mut findings)?;
        match recompute(record, &declared, &package.manifest) {
            Ok(record) => {
                findings.extend(compare_package(&package.manifest, &package.evaluation, &record));
                warnings.extend(record.warnings.clone());
                if findings.refused() { Err(findings.into()) } else { Ok(Checked { package, record, warnings }) }
            }
            Err(RecordError::Refused(more)) => {
                findings.extend(more);
                Err(findings.into())
            }
            Err(RecordError::Io(error)) => Err(Error::Unavailable(error.to_string())),
        }
    }

    /// The manifest must be for the version that was asked for.
    fn names(&self, manifest: &Manifest, findings: &mut Findings) {
        let stated = [
            ("patch", manifest.patch.to_string(), self.patch.to_string()),
            ("version", manifest.version.to_string(), self.version.to_string()),
        ];
        for (field, found, expected) in stated.into_iter().filter(|(_, found, expected)| found != expected) {
            let place = Place::file("manifest.json").at_field(field);
            let next = "push it under the name that it was packed for, or pack it again";
            findings.push(Finding::new(PACKAGE_MISMATCH, place, found, expected, next));
        }
    }

    /// What the manifest declares, with the allowance of the suite that it names: never one of its own.
    fn declared(&self, manifest: &Manifest, findings: &mut Findings) -> Result<Declared, Error> {
        let suite = manifest.evidence.regression_suite;
        let allowance = self.suites.get(&suite).copied();
        if allowance.is_none() {
            findings.push(Finding::new(
                SUITE_UNKNOWN,
                Place::file("manifest.json").at_field("evidence.regression_suite"),
                suite.to_string(),
                "the digest of a regression suite that the operator set",
                "evaluate on a suite of `retoque suite list`",
            ));
        }
        let stated = declared_by(manifest, self.acknowledged)?;
        let allowance_points = allowance.unwrap_or(stated.allowance_points);
        Ok(Declared { allowance_points, ..stated })
    }
}

/// What a manifest declares that was checked before.
pub(super) fn declared_by(manifest: &Manifest, acknowledged: Option<Digest>) -> Result<Declared, Error> {
    Declared::by(manifest, acknowledged).map_err(|_| Error::internal("a seed that the manifest check let pass"))
}

/// Recomputes everything that the record gives.
pub(super) fn recompute(
    mut record: Record,
    declared: &Declared,
    manifest: &Manifest,
) -> Result<Rederived, RecordError> {
    let files = RecordFiles {
        dataset: &mut record.dataset,
        regression: &mut record.regression,
        outputs: &mut record.outputs,
        run: &mut record.run,
        training: &mut record.training,
    };
    let bindings = Bindings { adapter: manifest.adapter.sha256, base_files: &manifest.base.files };
    rederive(files, declared, &bindings)
}

/// Readers of a record that was kept.
pub(super) fn stored_record(service: &Service, files: &[RecordFile]) -> Result<Record, Error> {
    let open = |name: &str| {
        let file = files.iter().find(|f| f.name == name);
        let file = file.ok_or_else(|| Error::internal("a version without its record"))?;
        Ok::<_, Error>(service.blobs.reader(BlobPlace::Blob(file.sha256), 0..file.size))
    };
    Ok(Record {
        dataset: open("dataset.jsonl")?,
        regression: open("regression.jsonl")?,
        outputs: open("outputs.jsonl")?,
        run: open("run.json")?,
        training: open("training.json")?,
    })
}
