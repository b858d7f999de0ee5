//! The shape of a base record. Canonical JSON; made by `base record`, kept by the registry.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::id::{BasePin, Commit, RepoId};
use crate::manifest::BaseFile;

/// The only format that this version of the library writes and reads.
pub const FORMAT: &str = "retoque-base/1";

/// Everything about one base revision that an adapter is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseRecord {
    /// [`FORMAT`].
    pub format: String,
    /// Repository id.
    pub repo: RepoId,
    /// Full commit.
    pub commit: Commit,
    /// Licence id of the base.
    pub licence: String,
    /// Every file, sorted by path.
    pub files: Vec<BaseFile>,
    /// Digest over the tokenizer and chat-template files.
    pub tokenizer: Digest,
    /// What `config.json` says of the architecture.
    pub architecture: Architecture,
    /// Every tensor of every safetensors shard, sorted by name.
    pub tensors: Vec<BaseTensor>,
}

impl BaseRecord {
    /// The pin that this record describes.
    pub fn pin(&self) -> BasePin {
        BasePin { repo: self.repo.clone(), commit: self.commit.clone() }
    }
}

/// What `config.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// `model_type`, such as `qwen2`.
    pub model_type: String,
    /// `num_hidden_layers`.
    pub layers: u64,
    /// `hidden_size`.
    pub hidden_size: u64,
}

/// Name and shape of one tensor of the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseTensor {
    /// Name as in the file.
    pub name: String,
    /// safetensors dtype.
    pub dtype: String,
    /// Shape.
    pub shape: Vec<u64>,
}
