//! The QA checklist of a submission, computed from the manifest and the stored digests.

use serde::Serialize;

use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::lifecycle::Requirement;
use crate::manifest::Manifest;
use crate::problem::{
    Code, Finding, NEEDS_DIGESTS, NEEDS_HELD_OUT, NEEDS_INFORMATIVE_REGRESSION, NEEDS_REGRESSION, Place,
};

/// One item of the checklist, with what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QaItem {
    /// The stable name.
    pub name: &'static str,
    /// What should hold.
    pub text: &'static str,
    /// Whether submission is refused without it; else it is shown to the reviewer.
    pub required: bool,
    /// Whether it holds.
    pub met: bool,
    /// What was found.
    pub found: String,
    /// The requirement of the transition table that it stands for.
    #[serde(skip)]
    pub requirement: Option<Requirement>,
}

impl QaItem {
    /// The refusal that an unmet required item is.
    pub fn finding(&self) -> Finding {
        let (code, next): (Code, &str) = match self.requirement {
            Some(Requirement::HeldOut) => {
                (NEEDS_HELD_OUT, "evaluate on the held-out split, pack and push a new version")
            }
            Some(Requirement::Regression) => {
                (NEEDS_REGRESSION, "evaluate on the regression suite, pack and push a new version")
            }
            Some(Requirement::InformativeRegression) => (
                NEEDS_INFORMATIVE_REGRESSION,
                "ask the operator for a suite that this base can pass, and evaluate again",
            ),
            _ => (NEEDS_DIGESTS, "push the version again"),
        };
        Finding::new(code, Place::field(self.name), self.found.clone(), self.text, next)
    }
}

/// The checklist of one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Qa {
    items: Vec<QaItem>,
}

impl Qa {
    /// Computes the checklist.
    pub fn of(manifest: &Manifest, manifest_digest: Option<Digest>, package: Option<Digest>) -> Self {
        let evidence = &manifest.evidence;
        let (held, suite) = (evidence.held_out, evidence.regression);
        let required = |name, text, met, found, requirement| QaItem {
            name,
            text,
            required: true,
            met,
            found,
            requirement: Some(requirement),
        };
        let shown = |name, text, met, found| QaItem { name, text, required: false, met, found, requirement: None };
        let missing: Vec<_> = [("manifest", manifest_digest.is_some()), ("package", package.is_some())]
            .into_iter()
            .filter_map(|(name, there)| (!there).then_some(name))
            .collect();
        let items = vec![
            required(
                "held_out_finished",
                "a finished held-out evaluation",
                held.cases > 0 && held.cases == manifest.dataset.split.held_out.rows,
                format!("{} of {} held-out cases", held.cases, manifest.dataset.split.held_out.rows),
                Requirement::HeldOut,
            ),
            required(
                "regression_recorded",
                "results on a regression suite of at least 40 cases",
                suite.cases >= 40,
                format!("{} cases", suite.cases),
                Requirement::Regression,
            ),
            required(
                "regression_informative",
                "the base passes at least half of the regression suite",
                suite.cases > 0 && u128::from(suite.base) * 2 >= u128::from(suite.cases),
                format!("the base passes {} of {}", suite.base, suite.cases),
                Requirement::InformativeRegression,
            ),
            required(
                "digests_present",
                "digests of adapter, package and manifest",
                missing.is_empty(),
                if missing.is_empty() { "all three".to_owned() } else { format!("none of {}", missing.join(" and ")) },
                Requirement::Digests,
            ),
            shown(
                "disabled_reproduces_base",
                "the adapter switched off gives the outputs of the base",
                evidence.disabled_equals_base,
                if evidence.disabled_equals_base { "the same outputs" } else { "other outputs" }.to_owned(),
            ),
            shown(
                "evidence_not_degraded",
                "evidence that is not DEGRADED",
                evidence.state != EvidenceState::Degraded,
                evidence.state.to_string(),
            ),
        ];
        Self { items }
    }

    /// All items.
    pub fn items(&self) -> &[QaItem] {
        &self.items
    }

    /// The items that do not hold, required or not.
    pub fn outstanding(&self) -> impl Iterator<Item = &QaItem> {
        self.items.iter().filter(|item| !item.met)
    }
}
