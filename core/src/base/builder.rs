//! From measured files to a record.

use super::measure::Measured;
use super::record::{BaseRecord, FORMAT};
use super::tokenizer::{is_tokenizer, tokenizer_digest};
use super::{architecture, weights};
use crate::id::BasePin;
use crate::problem::{BASE_FILE_INVALID, BASE_FILE_MISSING, BASE_RECORD_INVALID, Finding, Findings, Place};

/// Collects the files of one snapshot.
#[derive(Debug)]
pub struct Builder {
    pin: BasePin,
    licence: String,
    files: Vec<Measured>,
}

impl Builder {
    /// A record of `pin`, under the licence id `licence` (SPDX, or the Hub's own name of it).
    pub const fn new(pin: BasePin, licence: String) -> Self {
        Self { pin, licence, files: Vec::new() }
    }

    /// Adds a file, in any order.
    pub fn add(&mut self, file: Measured) {
        self.files.push(file);
    }

    /// The record, when the files make a whole base.
    pub fn finish(mut self) -> Result<BaseRecord, Findings> {
        let mut findings = Findings::new();
        self.files.sort_by(|a, b| a.file.path.cmp(&b.file.path));
        for pair in self.files.windows(2) {
            if pair[0].file.path == pair[1].file.path {
                let place = Place::file(pair[0].file.path.clone());
                findings.push(Finding::new(
                    BASE_FILE_INVALID,
                    place,
                    "the same path twice",
                    "every path once",
                    "list it once",
                ));
            }
        }
        if !self.files.iter().any(|f| is_tokenizer(&f.file.path)) {
            findings.push(Finding::new(
                BASE_FILE_MISSING,
                Place::default(),
                "no tokenizer",
                "the tokenizer files of the base",
                "download the snapshot again, whole",
            ));
        }
        let tensors = weights::tensors(&self.files, &mut findings);
        let architecture = architecture::read(&self.files, &mut findings);
        let (Some(architecture), false) = (architecture, findings.refused()) else { return Err(findings) };
        let files: Vec<_> = self.files.into_iter().map(|f| f.file).collect();
        let tokenizer = tokenizer_digest(&files).map_err(|e| unwritable(&e))?;
        let record = BaseRecord {
            format: FORMAT.to_owned(),
            repo: self.pin.repo,
            commit: self.pin.commit,
            licence: self.licence,
            files,
            tokenizer,
            architecture,
            tensors,
        };
        // What is built here must be readable there: one set of rules.
        record.check()?;
        record.to_bytes()?;
        Ok(record)
    }
}

/// The finding about a record that has no canonical form, most likely because it is too large.
pub(super) fn unwritable(error: &crate::canonical::CanonicalError) -> Findings {
    let expected = "a record of at most 4 MiB";
    let next = "record a base with fewer tensors; mixtures with very many experts are not supported yet";
    Finding::new(BASE_RECORD_INVALID, Place::default(), error.to_string(), expected, next).into()
}
