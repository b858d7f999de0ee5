//! The build statement: SLSA provenance v1, signed under `platform-build` at push.
//!
//! It says that the platform checked these bytes and recomputed their evidence, and who pushed them. It says
//! in so many words that the training was not observed. Clause: specification, section 6 (push).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::statement::{DigestSet, MANIFEST, Predicate, Statement};
use super::time::Time;
use crate::digest::Digest;
use crate::id::{AccountName, Commit, PatchName, Version};
use crate::manifest::{BaseSection, Manifest};

/// How the packages that carry this statement are made.
pub const BUILD_TYPE: &str = "https://retoque.dev/build/adapter-patch/v1";
/// What the signature does not say.
pub const OBSERVATION: &str = "The registry received these bytes from the pusher, checked every byte and recomputed the \
     evidence counts from the recorded outputs. It did not observe the training or the generation of the outputs.";
/// The subject name of the archive.
pub const PACKAGE: &str = "package.tar.zst";
/// The subject name of the weights.
pub const WEIGHTS: &str = "adapter_model.safetensors";

/// SLSA provenance v1, as far as it is used here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Provenance {
    /// What was built, from what.
    pub build_definition: BuildDefinition,
    /// Who built it and when.
    pub run_details: RunDetails,
}

/// Inputs of the build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct BuildDefinition {
    /// [`BUILD_TYPE`].
    pub build_type: String,
    /// What the pusher says went in.
    pub external_parameters: ExternalParameters,
    /// The base: its commit, then each pinned file.
    pub resolved_dependencies: Vec<Dependency>,
}

/// What the pusher says went in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalParameters {
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// The account that pushed.
    pub pusher: AccountName,
    /// Digest of the training record.
    pub training_record: Digest,
    /// The recorded settings.
    pub training_settings: BTreeMap<String, String>,
    /// The recorded training seed.
    pub training_seed: String,
    /// Digest of the dataset.
    pub dataset: Digest,
    /// Digest of the whole private evaluation record.
    pub evaluation_record: Digest,
    /// [`OBSERVATION`].
    pub observation: String,
}

/// A file or revision that the build used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// Package URL of the base revision, or of one file in it.
    pub uri: String,
    /// Its digest.
    pub digest: DependencyDigest,
}

/// A commit, or the content of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DependencyDigest {
    /// A commit.
    Commit {
        /// Forty hex digits.
        #[serde(rename = "gitCommit")]
        git_commit: Commit,
    },
    /// The content of one file.
    File(DigestSet),
}

/// Who built it and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDetails {
    /// The platform-build identity.
    pub builder: Builder,
    /// When.
    pub metadata: Metadata,
}

/// The platform-build identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Builder {
    /// See [`builder_id`].
    pub id: String,
}

/// When the registry accepted the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Metadata {
    /// The time of acceptance.
    pub finished_on: Time,
}

impl Predicate for Provenance {
    const TYPE: &'static str = "https://slsa.dev/provenance/v1";
}

/// The platform-build identity of the registry at `origin`.
pub fn builder_id(origin: &str) -> String {
    format!("{}/trust/platform-build", origin.trim_end_matches('/'))
}

/// The build statement of one version.
pub struct Build<'a> {
    /// Origin of the registry, such as `https://registry.example`.
    pub registry: &'a str,
    /// The manifest of the version.
    pub manifest: &'a Manifest,
    /// Digest of the stored manifest bytes.
    pub manifest_digest: Digest,
    /// Digest of the stored archive.
    pub package: Digest,
    /// Who pushed.
    pub pusher: &'a AccountName,
    /// When the bytes were accepted.
    pub time: Time,
}

impl Build<'_> {
    /// Writes the statement.
    pub fn statement(&self) -> Statement<Provenance> {
        let m = self.manifest;
        let subjects =
            BTreeMap::from([(MANIFEST, self.manifest_digest), (PACKAGE, self.package), (WEIGHTS, m.adapter.sha256)]);
        let build_definition = BuildDefinition {
            build_type: BUILD_TYPE.to_owned(),
            external_parameters: ExternalParameters {
                patch: m.patch.clone(),
                version: m.version.clone(),
                pusher: self.pusher.clone(),
                training_record: m.training.record,
                training_settings: m.training.settings.clone(),
                training_seed: m.training.seed.clone(),
                dataset: m.dataset.sha256,
                evaluation_record: m.evidence.record,
                observation: OBSERVATION.to_owned(),
            },
            resolved_dependencies: dependencies(&m.base),
        };
        let run_details = RunDetails {
            builder: Builder { id: builder_id(self.registry) },
            metadata: Metadata { finished_on: self.time },
        };
        Statement::new(subjects, Provenance { build_definition, run_details })
    }
}

/// The base revision and each of its pinned files, in the order of the manifest.
pub fn dependencies(base: &BaseSection) -> Vec<Dependency> {
    let uri = format!("pkg:huggingface/{}@{}", base.repo, base.commit);
    let commit = Dependency { uri: uri.clone(), digest: DependencyDigest::Commit { git_commit: base.commit.clone() } };
    let files = base.files.iter().map(|file| Dependency {
        uri: format!("{uri}#{}", file.path),
        digest: DependencyDigest::File(file.sha256.into()),
    });
    std::iter::once(commit).chain(files).collect()
}
