//! The five files of the evaluation record, read once and streamed to the rules that recompute the evidence.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use retoque_core::evaluation::{self, Bindings, Declared, RecordError, RecordFiles, Rederived};
use retoque_core::problem::{Finding, Findings, INPUT_UNREADABLE, Place};

use super::folder::Source;
use super::unreadable;

/// The files of a record.
pub(crate) const FILES: [&str; 5] = ["dataset.jsonl", "regression.jsonl", "outputs.jsonl", "run.json", "training.json"];

/// Recomputes the evidence; what is wrong is added to `findings`.
pub(crate) fn rederive(
    folder: &Path,
    declared: &Declared,
    bindings: &Bindings<'_>,
    findings: &mut Findings,
) -> Option<Rederived> {
    let mut open = |name: &str| -> Option<BufReader<File>> {
        match Source::open(folder, name) {
            Ok(source) => Some(BufReader::new(source.into_file())),
            Err(error) => {
                findings.extend(missing(name, &error));
                None
            }
        }
    };
    // All five are opened before the first is read, so that every missing one is named.
    let [dataset, regression, outputs, run, training] = FILES.map(&mut open);
    let files = RecordFiles {
        dataset: &mut dataset?,
        regression: &mut regression?,
        outputs: &mut outputs?,
        run: &mut run?,
        training: &mut training?,
    };
    match evaluation::rederive(files, declared, bindings) {
        Ok(rederived) => {
            findings.extend(rederived.warnings.clone());
            Some(rederived)
        }
        Err(RecordError::Refused(refused)) => {
            findings.extend(refused);
            None
        }
        Err(RecordError::Io(error)) => {
            findings.extend(unreadable("the evaluation record", &error));
            None
        }
    }
}

fn missing(name: &str, error: &io::Error) -> Findings {
    if error.kind() != io::ErrorKind::NotFound {
        return unreadable(name, error);
    }
    Finding::new(
        INPUT_UNREADABLE,
        Place::file(name),
        "no such file",
        "the five files of the evaluation record",
        "give with --record a folder with these five files; docs/format/evaluation.md describes each",
    )
    .into()
}
