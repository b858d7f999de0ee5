//! Bases, regression suites and patches.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::id::{AccountName, BasePin, PatchName, Version};
use crate::licence::LicenceState;
use crate::lifecycle::State;

/// A supported base (`GET /bases`). The record itself is at `/bases/{owner}/{name}/{commit}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseView {
    /// Repository and commit.
    pub base: BasePin,
    /// Licence id.
    pub licence: String,
    /// Digest of the record's bytes.
    pub record: Digest,
    /// Number of pinned files.
    pub files: u64,
    /// Since when.
    pub created: jiff::Timestamp,
}

/// A regression suite (`POST /suites?name=…&allowance_points=…`, body JSON Lines; operator).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteView {
    /// Digest of the suite's bytes.
    pub sha256: Digest,
    /// Its name.
    pub name: String,
    /// Cases.
    pub cases: u64,
    /// Allowed drop in percentage points for evidence on this suite.
    pub allowance_points: u64,
    /// Since when.
    pub created: jiff::Timestamp,
    /// From when on no new version may be judged on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<jiff::Timestamp>,
}

/// What kind of failure a patch repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Answers in a required structure.
    StructuredOutput,
    /// Facts out of domain texts.
    DomainExtraction,
    /// Repairs of code.
    CodeRepair,
    /// Labels.
    Classification,
    /// Tone and form.
    Style,
}

/// Who sees a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Its org, reviewers and operators.
    Private,
    /// Anyone, once a version is published.
    Public,
}

/// How it will be licensed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LicensingIntent {
    /// Without payment.
    Free,
    /// Against payment.
    Paid,
}

/// `POST /patches` (publisher or admin of the org); the file that `patch create` reads has the same fields.
/// Read it with [`Draft`](crate::patch::Draft), which refuses unknown fields; in a response it stands among others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPatch {
    /// `org/slug`.
    pub name: PatchName,
    /// 3–80 characters.
    pub title: String,
    /// At least 40 characters.
    pub problem: String,
    /// At least 20 characters.
    pub success_criterion: String,
    /// Category.
    pub category: Category,
    /// One of the supported bases.
    pub base: BasePin,
    /// Who sees it.
    pub visibility: Visibility,
    /// How it will be licensed.
    pub licensing: LicensingIntent,
}

/// A patch (`GET /patches`, `GET /patches/{org}/{slug}`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchView {
    /// What was declared.
    #[serde(flatten)]
    pub patch: NewPatch,
    /// Who created it.
    pub created_by: AccountName,
    /// Since when.
    pub created: jiff::Timestamp,
    /// The newest published version that is not a pre-release, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<VersionSummary>,
    /// How many versions the caller can see.
    pub versions: u64,
}

/// One line of a version listing (`GET /patches/{org}/{slug}/versions`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionSummary {
    /// The version.
    pub version: Version,
    /// Manifest digest, which identifies it.
    pub digest: Digest,
    /// Where it stands.
    pub state: State,
    /// What its evidence comes to.
    pub evidence: EvidenceState,
    /// Whether somebody who pulls it now gets a licence.
    pub licence: LicenceState,
    /// When it was pushed.
    pub created: jiff::Timestamp,
    /// Reason and replacement, when deprecated, withdrawn or taken down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
}

/// Why a version is deprecated, withdrawn or taken down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Reason code.
    pub code: String,
    /// Reason text.
    pub text: String,
    /// The version to use instead, if one was named. No client moves to it on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// Since when.
    pub since: jiff::Timestamp,
}
