//! Evidence from the private evaluation record: everything is recomputed, nothing is believed.
//!
//! The record is five files. Packer and registry both call [`rederive`], so a manifest can only state what
//! the record gives. What is claimed is exactly that: counts recomputed here, outputs attested by the worker.
//! Clause: specification, section 5.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::cases::{Arm, Cases, Suite};
use super::documents;
use super::grade::GRADER;
use super::state::{Tally, evidence_state};
use super::{notices, outputs, run, training};
use crate::canonical;
use crate::dataset::{self, Dataset, PartName, Seed, SeedError, split};
use crate::digest::Digest;
use crate::manifest::{BaseFile, DatasetSection, EvidenceSection, Manifest, SuiteCount, TrainingSection};
use crate::problem::{
    Finding, Findings, Place, RECORD_NOT_JSON, RECORD_TOO_LARGE, REGRESSION_SUITE_OTHER, REGRESSION_TOO_SMALL,
};

/// The names of the five files.
pub const RECORD_FILES: [&str; 5] = ["dataset.jsonl", "outputs.jsonl", "regression.jsonl", "run.json", "training.json"];
/// Most bytes of `run.json` and of `training.json`.
pub const TRAINING_BYTES: usize = 1 << 20;
/// Fewest cases of a regression suite.
pub const REGRESSION_CASES: u64 = 40;

/// Readers of the five files.
pub struct RecordFiles<'a> {
    /// `dataset.jsonl`.
    pub dataset: &'a mut dyn Read,
    /// `regression.jsonl`.
    pub regression: &'a mut dyn Read,
    /// `outputs.jsonl`.
    pub outputs: &'a mut dyn Read,
    /// `run.json`.
    pub run: &'a mut dyn Read,
    /// `training.json`.
    pub training: &'a mut dyn Read,
}

/// What people declared, and what the operator set.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The seed of the split.
    pub seed: Seed,
    /// The source of the dataset.
    pub source: String,
    /// The licence of the dataset.
    pub licence: String,
    /// Allowed regression drop, in percentage points.
    pub allowance_points: u64,
    /// The acknowledgement of personal data, when somebody gave one.
    pub acknowledged: Option<Digest>,
    /// The digest of the regression suite that the operator set; nothing when any suite is taken.
    pub regression_suite: Option<Digest>,
}

impl Declared {
    /// What a manifest declares, with the acknowledgement that was given beside it. A registry puts its own allowance in.
    pub fn by(manifest: &Manifest, acknowledged: Option<Digest>) -> Result<Self, SeedError> {
        Ok(Self {
            seed: manifest.dataset.split.seed.parse()?,
            source: manifest.dataset.source.clone(),
            licence: manifest.dataset.licence.clone(),
            allowance_points: manifest.evidence.allowance_points,
            acknowledged,
            regression_suite: Some(manifest.evidence.regression_suite),
        })
    }
}

/// What the record has to agree with.
#[derive(Debug, Clone, Copy)]
pub struct Bindings<'a> {
    /// Digest of `adapter_model.safetensors`.
    pub adapter: Digest,
    /// Files of the pinned base; `run.json` may name some of them.
    pub base_files: &'a [BaseFile],
}

/// What a record gives.
#[derive(Debug, Clone)]
pub struct Rederived {
    /// The manifest's section on the dataset.
    pub dataset: DatasetSection,
    /// The manifest's section on training.
    pub training: TrainingSection,
    /// The manifest's section on evidence.
    pub evidence: EvidenceSection,
    /// The bytes of `evaluation.json`.
    pub evaluation_json: Vec<u8>,
    /// The bytes of `validation-cases.json`.
    pub validation_cases_json: Vec<u8>,
    /// Digests of the five files, by name.
    pub files: BTreeMap<String, Digest>,
    /// Regression lines that base passes and patched fails.
    pub introduced_lines: Vec<u64>,
    /// Regression lines that base fails and patched passes.
    pub repaired_lines: Vec<u64>,
    /// Warnings.
    pub warnings: Findings,
}

/// Why a record gives nothing.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file could not be read.
    #[error("cannot read the evaluation record: {0}")]
    Io(#[from] io::Error),
    /// The record is refused.
    #[error("the evaluation record is refused with {} findings", .0.errors())]
    Refused(Findings),
}

/// Recomputes split, cases, grades, counts and state from the record.
pub fn rederive(
    files: RecordFiles<'_>,
    declared: &Declared,
    bindings: &Bindings<'_>,
) -> Result<Rederived, RecordError> {
    let mut findings = Findings::new();
    let report = dataset::check(files.dataset, dataset::Limits::default(), declared.acknowledged)?;
    let dataset = report.into_dataset().map_err(|refused| refused.in_file("dataset.jsonl"));
    let regression = regression(files.regression, declared.regression_suite)?;
    let (dataset, regression) = match (dataset, regression) {
        (Ok(dataset), Ok(regression)) => (dataset, regression),
        (dataset, regression) => {
            for refused in [dataset.err(), regression.err()].into_iter().flatten() {
                findings.extend(refused);
            }
            return Err(RecordError::Refused(findings));
        }
    };
    findings.extend(dataset.warnings.clone().in_file("dataset.jsonl"));

    let split = split(&dataset.families, &declared.seed);
    let train = dataset.rows.iter().filter(|row| split.part_of(&row.family) == Some(PartName::Train));
    let control_lines = split.control_lines(train.map(|row| row.line));
    let mut cases = Cases::new(&dataset, &split, &regression);

    let run = small(files.run, run::FILE, &mut findings)?;
    let facts = run::Facts {
        bindings,
        seed: &declared.seed,
        dataset: dataset.sha256,
        regression: regression.sha256,
        control_lines: &control_lines,
        cases: cases.list.len() as u64,
    };
    run::check(&run, &facts, &mut findings);
    let recorded = small(files.training, training::FILE, &mut findings)?;
    let training = training::section(&recorded, split.part(PartName::Train).rows, &mut findings);

    // Last: when the files above speak of another seed or dataset, that is the fault to read first.
    let salt = outputs::read(files.outputs, &mut cases, &mut findings)?;

    let (Some(salt), Some(training), false) = (salt, training, findings.refused()) else {
        return Err(RecordError::Refused(findings));
    };
    notices::notice(&cases, &mut findings);
    let section = DatasetSection {
        sha256: dataset.sha256,
        rows: dataset.rows.len() as u64,
        families: dataset.families.len() as u64,
        split: split.section(),
        source: declared.source.clone(),
        licence: declared.licence.clone(),
    };
    let digests =
        [dataset.sha256, salt, regression.sha256, Digest::of(&run), training.record].into_iter().zip(RECORD_FILES);
    let files = digests.map(|(digest, name)| (name.to_owned(), digest)).collect();
    conclude(&cases, salt, files, declared, section, training, findings).map_err(|error| {
        let next = "report this as a fault of the program";
        let place = Place::file("evaluation.json");
        RecordError::Refused(Finding::new(RECORD_NOT_JSON, place, error.to_string(), "canonical JSON", next).into())
    })
}

fn conclude(
    cases: &Cases<'_>,
    salt: Digest,
    files: BTreeMap<String, Digest>,
    declared: &Declared,
    dataset: DatasetSection,
    training: TrainingSection,
    warnings: Findings,
) -> Result<Rederived, canonical::CanonicalError> {
    let (held_out, regression) = (cases.count(Suite::HeldOut), cases.count(Suite::Regression));
    let introduced_lines = cases.regression_lines(Arm::Base, Arm::Patched);
    let repaired_lines = cases.regression_lines(Arm::Patched, Arm::Base);
    let introduced = introduced_lines.len() as u64;
    let state = evidence_state(tally(held_out), tally(regression), introduced, declared.allowance_points);
    let validation_cases_json = documents::validation_cases(cases, salt)?;
    let evidence = EvidenceSection {
        state,
        held_out,
        validation: cases.count(Suite::Validation),
        regression,
        introduced,
        repaired: repaired_lines.len() as u64,
        disabled_equals_base: cases.list.iter().all(|case| case.same(Arm::Base, Arm::Disabled)),
        allowance_points: declared.allowance_points,
        grader: GRADER.to_owned(),
        record: Digest::of(&canonical::to_vec(&files)?),
        validation_cases: Digest::of(&validation_cases_json),
        regression_suite: files["regression.jsonl"],
    };
    let evaluation_json = documents::evaluation(&evidence, cases, salt)?;
    Ok(Rederived {
        dataset,
        training,
        evidence,
        evaluation_json,
        validation_cases_json,
        files,
        introduced_lines,
        repaired_lines,
        warnings,
    })
}

/// The two counts that the state is computed from.
pub const fn tally(count: SuiteCount) -> Tally {
    Tally { cases: count.cases, base: count.base, patched: count.patched }
}

/// Whether the regression results say anything: the base itself passes at least half of the suite.
pub const fn is_informative(regression: &SuiteCount) -> bool {
    regression.cases > 0 && regression.base >= regression.cases - regression.base
}

fn regression(reader: &mut dyn Read, pinned: Option<Digest>) -> io::Result<Result<Dataset, Findings>> {
    let name = "regression.jsonl";
    let suite = match check_suite(reader)? {
        Ok(suite) => suite,
        Err(refused) => return Ok(Err(refused.in_file(name))),
    };
    let mut findings = Findings::new();
    if let Some(pinned) = pinned.filter(|pinned| *pinned != suite.sha256) {
        let next = "evaluate with the regression suite that the operator set";
        let (found, expected) = (suite.sha256.to_string(), pinned.to_string());
        findings.push(Finding::new(REGRESSION_SUITE_OTHER, Place::file(name), found, expected, next));
    }
    Ok(findings.into_result(suite).map(|(suite, _)| suite))
}

/// Checks a regression suite: rows as of a dataset, enough of them, of any number of families.
pub fn check_suite(reader: impl Read) -> io::Result<Result<Dataset, Findings>> {
    let limits = dataset::Limits { rows: 0, families: 0, ..dataset::Limits::default() };
    let suite = match dataset::check_operators(reader, limits)?.into_dataset() {
        Ok(suite) => suite,
        Err(refused) => return Ok(Err(refused)),
    };
    let cases = suite.rows.len() as u64;
    if cases >= REGRESSION_CASES {
        return Ok(Ok(suite));
    }
    let (found, expected) = (format!("{cases} cases"), format!("at least {REGRESSION_CASES} cases"));
    let next = "evaluate with a suite that is large enough";
    Ok(Err(Finding::new(REGRESSION_TOO_SMALL, Place::default(), found, expected, next).into()))
}

/// The bytes of a small file.
fn small(reader: &mut dyn Read, name: &str, findings: &mut Findings) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(TRAINING_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > TRAINING_BYTES {
        let next = "leave out logs and histories";
        findings.push(Finding::new(RECORD_TOO_LARGE, Place::file(name), "a larger file", "at most 1 MiB", next));
    }
    Ok(bytes)
}
