//! Which adapters an installation takes: the fixed training profile, or any plain LoRA.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::config::{self, Draft};
use super::weights::{self, Pair, WeightsFacts};
use crate::problem::{Finding, Findings, PROFILE_MISMATCH, Place};

/// The modules of the fixed profile.
pub const PROFILE_MODULES: [&str; 7] = ["down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj"];

/// What is taken. The default is the fixed profile; an operator may open it (specification, section 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Rank 16, alpha 32, dropout 0.05, the seven projections, float32, scale alpha/r.
    #[default]
    FixedProfile,
    /// Any adapter that is plain LoRA.
    AnyPlainLora,
}

/// The text is neither `fixed-profile` nor `any-plain-lora`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a policy is `fixed-profile` or `any-plain-lora`")]
pub struct PolicyError;

impl std::str::FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        match text {
            "fixed-profile" => Ok(Self::FixedProfile),
            "any-plain-lora" => Ok(Self::AnyPlainLora),
            _ => Err(PolicyError),
        }
    }
}

impl Policy {
    /// Where the adapter differs from the policy. Fields that could not be read have findings already.
    pub fn check(self, draft: &Draft, facts: Option<&WeightsFacts>) -> Findings {
        let mut findings = Findings::new();
        if self == Self::AnyPlainLora {
            return findings;
        }
        let mut expect = |place: Place, found: Option<String>, expected: &str| {
            if let Some(found) = found.filter(|f| f != expected) {
                let next = "train with the fixed profile, or ask the operator to allow any plain LoRA";
                findings.push(Finding::new(PROFILE_MISMATCH, place, found, expected, next));
            }
        };
        let field = |name: &str| Place::file(config::FILE).at_field(name);
        expect(field("r"), draft.rank.map(|r| r.to_string()), "16");
        expect(field("lora_alpha"), draft.alpha.clone(), "32");
        expect(field("lora_dropout"), draft.dropout.clone(), "0.05");
        expect(field("use_rslora"), draft.rslora.map(|b| b.to_string()), "false");
        if let Some(facts) = facts {
            let file = || Place::file(weights::FILE);
            let kinds: BTreeSet<&str> = facts.pairs.iter().map(Pair::kind).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            expect(file(), Some(kinds.join(", ")), &PROFILE_MODULES.join(", "));
            expect(file(), Some(facts.dtype.clone()), "F32");
        }
        findings
    }
}
