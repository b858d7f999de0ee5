//! A small manifest for unit tests.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use crate::digest::Digest;
use crate::manifest::{
    AdapterSection, BaseFile, BaseSection, DatasetSection, EvidenceSection, FORMAT, FileEntry, Manifest, PartCount,
    Scale, SplitSection, SuiteCount, TrainingSection,
};

/// The files of the archive but the manifest, with their content.
pub(crate) fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let weights: Vec<u8> = (0..9_000_000_u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
    vec![
        ("README.md", b"# Tiny desk\n".to_vec()),
        ("adapter_config.json", b"{}".to_vec()),
        ("adapter_model.safetensors", weights),
        ("evaluation.json", b"{\"cases\":[]}".to_vec()),
    ]
}

/// The validation cases that the manifest commits to.
pub(crate) const VALIDATION_CASES: &[u8] = b"[]";

/// A manifest of [`contents`].
pub(crate) fn manifest() -> Manifest {
    let counts = |cases, base, patched| SuiteCount { cases, base, control: base, patched, disabled: base };
    let part = |rows, families| PartCount { rows, families };
    let files = contents().into_iter().map(|(path, bytes)| FileEntry {
        path: path.to_owned(),
        size: bytes.len() as u64,
        sha256: Digest::of(&bytes),
        pieces: (bytes.len() > 4 << 20).then(|| bytes.chunks(4 << 20).map(Digest::of).collect()),
    });
    let files: Vec<_> = files.collect();
    Manifest {
        format: FORMAT.into(),
        patch: "acme/tiny-desk".parse().unwrap(),
        version: "1.2.0".parse().unwrap(),
        base: BaseSection {
            repo: "acme/tiny-base".parse().unwrap(),
            commit: "7".repeat(40).parse().unwrap(),
            licence: "apache-2.0".into(),
            files: vec![BaseFile {
                path: "model.safetensors".into(),
                size: 1,
                sha256: Digest::of(b"base"),
                git_sha1: "0".repeat(40),
            }],
            tokenizer: Digest::of(b"tokenizer"),
        },
        adapter: AdapterSection {
            method: "lora".into(),
            rank: 16,
            alpha: "32".into(),
            dropout: "0.05".into(),
            scale: Scale { rule: "alpha/r".into(), value: "2".into() },
            modules: vec!["q_proj".into()],
            layers: vec![0],
            coverage: BTreeMap::from([("q_proj".into(), vec![0])]),
            dtype: "F32".into(),
            tensors: 2,
            parameters: 64,
            sha256: files[2].sha256,
            semantic: Digest::of(b"semantic"),
        },
        files,
        dataset: DatasetSection {
            sha256: Digest::of(b"dataset"),
            rows: 60,
            families: 6,
            split: SplitSection {
                seed: "7".into(),
                held_out: part(10, 1),
                validation: part(10, 1),
                train: part(40, 4),
            },
            source: "own-written".into(),
            licence: "CC-BY-4.0".into(),
        },
        training: TrainingSection { record: Digest::of(b"training"), seed: "7".into(), settings: BTreeMap::new() },
        evidence: EvidenceSection {
            state: "IMPROVED_ON_SCOPE".into(),
            held_out: counts(10, 2, 9),
            validation: counts(10, 2, 9),
            regression: counts(40, 20, 20),
            introduced: 0,
            repaired: 0,
            disabled_equals_base: true,
            allowance_points: 5,
            grader: "retoque-grader/1".into(),
            record: Digest::of(b"record"),
            validation_cases: Digest::of(VALIDATION_CASES),
            regression_suite: Digest::of(b"suite"),
        },
    }
}
