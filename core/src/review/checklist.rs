//! The reviewer's checklist. Approval needs every item.

use serde::{Deserialize, Serialize};

/// What the reviewer confirms, item by item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checklist {
    /// Dataset rights and compliance with the licence of the base are verified.
    pub rights_verified: bool,
    /// Held-out metrics reproduce from the report.
    pub metrics_reproduce: bool,
    /// Compatibility is pinned to an exact base revision and digests.
    pub compatibility_pinned: bool,
    /// Regressions are disclosed.
    pub regressions_disclosed: bool,
    /// The signature is present and matches the manifest digest.
    pub signature_matches: bool,
}

/// One item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChecklistItem {
    /// See [`Checklist::rights_verified`].
    RightsVerified,
    /// See [`Checklist::metrics_reproduce`].
    MetricsReproduce,
    /// See [`Checklist::compatibility_pinned`].
    CompatibilityPinned,
    /// See [`Checklist::regressions_disclosed`].
    RegressionsDisclosed,
    /// See [`Checklist::signature_matches`].
    SignatureMatches,
}

impl ChecklistItem {
    /// All items, in the order in which they are asked.
    pub const ALL: [Self; 5] = [
        Self::RightsVerified,
        Self::MetricsReproduce,
        Self::CompatibilityPinned,
        Self::RegressionsDisclosed,
        Self::SignatureMatches,
    ];

    /// The stable name: the member of the checklist in a decision.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RightsVerified => "rights_verified",
            Self::MetricsReproduce => "metrics_reproduce",
            Self::CompatibilityPinned => "compatibility_pinned",
            Self::RegressionsDisclosed => "regressions_disclosed",
            Self::SignatureMatches => "signature_matches",
        }
    }

    /// What is confirmed.
    pub const fn text(self) -> &'static str {
        match self {
            Self::RightsVerified => "dataset rights and base-licence compliance verified",
            Self::MetricsReproduce => "held-out metrics reproduce from the report",
            Self::CompatibilityPinned => "compatibility pinned to an exact base revision and digests",
            Self::RegressionsDisclosed => "regressions disclosed",
            Self::SignatureMatches => "the signature is present and matches the manifest digest",
        }
    }
}

impl Checklist {
    /// Every item confirmed.
    pub const COMPLETE: Self = Self {
        rights_verified: true,
        metrics_reproduce: true,
        compatibility_pinned: true,
        regressions_disclosed: true,
        signature_matches: true,
    };

    /// Whether an item is confirmed.
    pub const fn confirms(self, item: ChecklistItem) -> bool {
        match item {
            ChecklistItem::RightsVerified => self.rights_verified,
            ChecklistItem::MetricsReproduce => self.metrics_reproduce,
            ChecklistItem::CompatibilityPinned => self.compatibility_pinned,
            ChecklistItem::RegressionsDisclosed => self.regressions_disclosed,
            ChecklistItem::SignatureMatches => self.signature_matches,
        }
    }

    /// The items that are not confirmed.
    pub fn outstanding(self) -> Vec<ChecklistItem> {
        ChecklistItem::ALL.into_iter().filter(|item| !self.confirms(*item)).collect()
    }
}
