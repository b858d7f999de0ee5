//! A manifest for unit tests.

use crate::evaluation::EvidenceState;
use std::collections::BTreeMap;

use super::*;

/// A manifest that passes every rule, of files of no particular content.
pub(crate) fn manifest() -> Manifest {
    let digest = |text: &str| Digest::of(text.as_bytes());
    let file = |path: &str, size: u64| FileEntry {
        path: path.to_owned(),
        size,
        sha256: digest(path),
        pieces: (size > 4 << 20).then(|| (0..size.div_ceil(4 << 20)).map(|n| digest(&n.to_string())).collect()),
    };
    let part = |rows, families| PartCount { rows, families };
    let suite = |cases, base, patched| SuiteCount { cases, base, control: base, patched, disabled: base };
    Manifest {
        format: FORMAT.to_owned(),
        patch: "acme/tiny-desk".parse().unwrap(),
        version: "1.0.0".parse().unwrap(),
        base: BaseSection {
            repo: "Qwen/Qwen2.5-0.5B-Instruct".parse().unwrap(),
            commit: "7ae557604adf67be50417f59c2c2f167def9a775".parse().unwrap(),
            licence: "apache-2.0".to_owned(),
            files: vec![BaseFile {
                path: "config.json".to_owned(),
                size: 10,
                sha256: digest("config"),
                git_sha1: "0".repeat(40),
            }],
            tokenizer: digest("tokenizer"),
        },
        adapter: AdapterSection {
            method: "lora".to_owned(),
            rank: 16,
            alpha: "32".to_owned(),
            dropout: "0.05".to_owned(),
            scale: Scale { rule: "alpha/r".to_owned(), value: "2".to_owned() },
            modules: vec!["k_proj".to_owned(), "q_proj".to_owned()],
            layers: vec![0, 1],
            coverage: BTreeMap::from([("k_proj".to_owned(), vec![0]), ("q_proj".to_owned(), vec![0, 1])]),
            dtype: "F32".to_owned(),
            tensors: 6,
            parameters: 600,
            sha256: digest("adapter_model.safetensors"),
            semantic: digest("semantic"),
        },
        files: vec![
            file("README.md", 9),
            file("adapter_config.json", 2),
            file("adapter_model.safetensors", (4 << 20) + 1),
            file("evaluation.json", 700),
        ],
        dataset: DatasetSection {
            sha256: digest("dataset"),
            rows: 100,
            families: 10,
            split: SplitSection {
                seed: "7".to_owned(),
                held_out: part(15, 2),
                validation: part(16, 3),
                train: part(69, 5),
            },
            source: "own-generated".to_owned(),
            licence: "CC-BY-4.0".to_owned(),
        },
        training: TrainingSection {
            record: digest("training"),
            seed: "7".to_owned(),
            settings: BTreeMap::from([("learning_rate".to_owned(), "0.0002".to_owned())]),
        },
        evidence: EvidenceSection {
            state: EvidenceState::ImprovedOnScope,
            held_out: suite(15, 1, 12),
            validation: suite(16, 2, 13),
            regression: suite(40, 30, 31),
            introduced: 1,
            repaired: 2,
            disabled_equals_base: true,
            allowance_points: 5,
            grader: "retoque-grader/1".to_owned(),
            record: digest("record"),
            validation_cases: digest("cases"),
            regression_suite: digest("suite"),
        },
    }
}
