//! A record as bytes: canonical JSON, every field checked again when it is read.

use super::builder::unwritable;
use super::path::is_plain;
use super::record::{BaseRecord, FORMAT};
use super::tokenizer::tokenizer_digest;
use crate::canonical::{self, MAX_INTEGER};
use crate::json::{self, Limits};
use crate::manifest::{BaseSection, licence};
use crate::problem::{BASE_RECORD_INVALID, Finding, Findings, Place, quote};
use crate::safetensors::dtype_bits;

const NEXT: &str = "make the record again with `retoque base record`";

impl BaseRecord {
    /// The record in its one form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Findings> {
        canonical::to_vec(self).map_err(|e| unwritable(&e))
    }

    /// Reads a stored record. Refuses other forms of the same content, unknown fields, and fields that
    /// contradict each other.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Findings> {
        let refuse = |found: String, expected: &str| {
            Findings::from(Finding::new(BASE_RECORD_INVALID, Place::default(), found, expected, NEXT))
        };
        canonical::check(bytes, Limits::DOCUMENT)
            .map_err(|e| refuse(e.to_string(), "canonical JSON of at most 4 MiB"))?;
        let record: Self =
            json::decode(bytes, Limits::DOCUMENT).map_err(|e| refuse(e.to_string(), "the fields of a base record"))?;
        record.check()?;
        Ok(record)
    }

    /// Checks every field and their agreement.
    pub fn check(&self) -> Result<(), Findings> {
        let mut findings = Findings::new();
        let mut refuse = |field: &str, found: String, expected: &str| {
            findings.push(Finding::new(BASE_RECORD_INVALID, Place::field(field), found, expected, NEXT));
        };
        if self.format != FORMAT {
            refuse("format", quote(&self.format), FORMAT);
        }
        if !licence::is_for_base(&self.licence) {
            refuse("licence", quote(&self.licence), "one SPDX identifier, or a licence name of the Hub");
        }
        for file in &self.files {
            let sha1 =
                file.git_sha1.len() == 40 && file.git_sha1.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            if !is_plain(&file.path) || !sha1 || file.size > MAX_INTEGER {
                refuse("files", quote(&file.path), "a plain path, a size up to 2^53 and 40 hex digits of SHA-1");
            }
        }
        if self.files.windows(2).any(|w| w[0].path >= w[1].path) {
            refuse("files", "an order of its own".to_owned(), "every path once, sorted");
        }
        for need in ["config.json"] {
            if !self.files.iter().any(|f| f.path == need) {
                refuse("files", format!("no {need}"), "the files that every base has");
            }
        }
        match tokenizer_digest(&self.files) {
            Ok(digest) if digest == self.tokenizer => {}
            Ok(digest) => refuse("tokenizer", self.tokenizer.to_string(), &format!("{digest}, as the files say")),
            Err(error) => refuse("tokenizer", error.to_string(), "a digest over the tokenizer files"),
        }
        let a = &self.architecture;
        let sizes = [a.layers, a.hidden_size];
        if !super::architecture::plain(&a.model_type) || sizes.iter().any(|n| *n == 0 || *n > MAX_INTEGER) {
            refuse("architecture", quote(&a.model_type), "a model type and sizes above 0");
        }
        for tensor in &self.tensors {
            let values = tensor.shape.iter().try_fold(1_u64, |n, d| n.checked_mul(*d)).filter(|n| *n <= MAX_INTEGER);
            let name = (1..=512).contains(&tensor.name.len()) && tensor.name.bytes().all(|b| b.is_ascii_graphic());
            if !name || values.is_none() || tensor.shape.len() > 8 || dtype_bits(&tensor.dtype).is_none() {
                refuse("tensors", quote(&tensor.name), "a plain name, a dtype of safetensors and a shape that fits");
            }
        }
        if self.tensors.is_empty() || self.tensors.windows(2).any(|w| w[0].name >= w[1].name) {
            refuse("tensors", "none, or an order of its own".to_owned(), "every tensor once, sorted by name");
        }
        if findings.refused() { Err(findings) } else { Ok(()) }
    }

    /// What the manifest of a package says of its base.
    pub fn section(&self) -> BaseSection {
        BaseSection {
            repo: self.repo.clone(),
            commit: self.commit.clone(),
            licence: self.licence.clone(),
            files: self.files.clone(),
            tokenizer: self.tokenizer,
        }
    }
}
