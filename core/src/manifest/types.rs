//! The shape of the manifest. Field order here is for readers; the stored order is the canonical one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::id::{Commit, PatchName, RepoId, Version};

/// The only format that this version of the library writes and reads.
pub const FORMAT: &str = "retoque-manifest/1";

/// Everything that a package holds and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// The patch, `org/slug`.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// The exact base it repairs.
    pub base: BaseSection,
    /// What the weights hold.
    pub adapter: AdapterSection,
    /// Every file of the archive but this one, sorted by path.
    pub files: Vec<FileEntry>,
    /// The dataset it was trained and judged with.
    pub dataset: DatasetSection,
    /// The recorded training configuration.
    pub training: TrainingSection,
    /// What the evaluation counted.
    pub evidence: EvidenceSection,
}

/// The pinned base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseSection {
    /// Repository id.
    pub repo: RepoId,
    /// Full commit.
    pub commit: Commit,
    /// Licence id of the base, SPDX or the Hub's own name.
    pub licence: String,
    /// Every pinned file, sorted by path.
    pub files: Vec<BaseFile>,
    /// Digest over the tokenizer and chat-template files (see `base::tokenizer_digest`).
    pub tokenizer: Digest,
}

/// One file of the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseFile {
    /// Path within the repository.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// Git blob SHA-1 (40 hex), the name under which caches store small files. A hint, never proof.
    pub git_sha1: String,
}

/// What the adapter's tensors say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterSection {
    /// Always `lora`.
    pub method: String,
    /// Rank of every pair.
    pub rank: u64,
    /// `lora_alpha` as a plain decimal.
    pub alpha: String,
    /// `lora_dropout` as a plain decimal.
    pub dropout: String,
    /// How much of the product is added to the base.
    pub scale: Scale,
    /// Module names found in the tensors (`q_proj`, …), sorted.
    pub modules: Vec<String>,
    /// Layer numbers found in the tensors, ascending.
    pub layers: Vec<u64>,
    /// For each module, the layers that have a pair, ascending.
    pub coverage: BTreeMap<String, Vec<u64>>,
    /// `F32`, `F16` or `BF16`.
    pub dtype: String,
    /// Number of tensors.
    pub tensors: u64,
    /// Number of parameters.
    pub parameters: u64,
    /// Digest of `adapter_model.safetensors`.
    pub sha256: Digest,
    /// Digest over the tensors in sorted order and the meaning of the configuration.
    pub semantic: Digest,
}

/// The effective scale of the adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// `alpha/r` or `alpha/sqrt(r)`.
    pub rule: String,
    /// The value as a plain decimal, rounded to 9 places when it has no end.
    pub value: String,
}

/// One file of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path within the archive.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// For files over 4 MiB: the SHA-256 of each 4 MiB piece, in order; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<Digest>>,
}

/// The dataset, by digest and declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetSection {
    /// Digest of `dataset.jsonl`.
    pub sha256: Digest,
    /// Valid rows.
    pub rows: u64,
    /// Distinct families.
    pub families: u64,
    /// How rows were divided.
    pub split: SplitSection,
    /// Declared source: `own-written`, `own-generated`, `customer-consented`, `third-party-licensed` or `public-dataset`.
    pub source: String,
    /// One SPDX identifier or `proprietary-owned`.
    pub licence: String,
}

/// The split, by seed and counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitSection {
    /// The seed, in decimal digits.
    pub seed: String,
    /// Rows and families of the held-out part.
    pub held_out: PartCount,
    /// Rows and families of the validation part.
    pub validation: PartCount,
    /// Rows and families of the training part.
    pub train: PartCount,
}

/// Size of one part of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartCount {
    /// Rows.
    pub rows: u64,
    /// Families.
    pub families: u64,
}

/// The training that was recorded (not observed by the registry).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSection {
    /// Digest of `training.json` in the private record.
    pub record: Digest,
    /// The seed, in decimal digits.
    pub seed: String,
    /// The recorded settings as text, numbers as plain decimals: `learning_rate`, `epochs`, `loss`, …
    pub settings: BTreeMap<String, String>,
}

/// The evidence: state, exact counts, and digests of what they came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceSection {
    /// What the counts come to.
    pub state: EvidenceState,
    /// Held-out counts.
    pub held_out: SuiteCount,
    /// Validation counts.
    pub validation: SuiteCount,
    /// Counts on the shared regression suite.
    pub regression: SuiteCount,
    /// Regression cases that base passes and patched fails.
    pub introduced: u64,
    /// Regression cases that base fails and patched passes.
    pub repaired: u64,
    /// Whether the disabled arm gave the base's text in every case.
    pub disabled_equals_base: bool,
    /// Allowed regression drop, in percentage points.
    pub allowance_points: u64,
    /// Which grader counted: `retoque-grader/1`.
    pub grader: String,
    /// Digest of the whole private evaluation record.
    pub record: Digest,
    /// Digest of `validation-cases.json`.
    pub validation_cases: Digest,
    /// Digest of the regression suite.
    pub regression_suite: Digest,
}

/// Cases of one suite and how many each arm passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteCount {
    /// Cases.
    pub cases: u64,
    /// Passed by the base.
    pub base: u64,
    /// Passed by the base with three worked examples.
    pub control: u64,
    /// Passed with the adapter.
    pub patched: u64,
    /// Passed with the adapter switched off again.
    pub disabled: u64,
}
