//! How many witnesses saw a checkpoint, and whether that keeps a log from showing each client another history.
//!
//! The policy of this machine counts, or else the witnesses of the newest root. The log's own cosignature says when it
//! was made and never counts here.

use retoque_core::log::policy::Policy;
use retoque_core::log::{VerifiedCheckpoint, policy};
use retoque_core::problem::Finding;
use serde::Serialize;

/// Who cosigned, of those who count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Quorum {
    /// How many did.
    pub have: usize,
    /// How many have to, at least.
    pub need: usize,
    /// How many they are chosen from.
    pub of: usize,
    /// Whether so many must cosign that two histories cannot both have enough, a third of the witnesses being corrupt.
    pub protects: bool,
}

impl Quorum {
    /// What the policy says; refuses when the witnesses are too few, or when a line that names one was not made by it.
    pub fn of(policy: &Policy, checkpoint: &VerifiedCheckpoint) -> Result<(Self, policy::Evaluation), Finding> {
        let evaluation = policy.check(checkpoint)?;
        let quorum = Self {
            have: evaluation.cosigners.len(),
            need: policy.fewest(),
            of: policy.chosen_from().max(policy.witnesses().len()),
            protects: policy.protects_split_view(),
        };
        Ok((quorum, evaluation))
    }
}

/// In words, as every report prints it.
impl std::fmt::Display for Quorum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { have, need, of, protects } = self;
        match (*of, *protects) {
            (0, _) => f.write_str("no split-view protection: no witness is named"),
            (_, true) => write!(f, "quorum {have} of {of} witnesses, at least {need}"),
            (_, false) => write!(f, "no split-view protection: {have} of {of} witnesses, only {need} needed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_protection_is_called_none() {
        let text = |have, need, of, protects| Quorum { have, need, of, protects }.to_string();
        assert!(text(0, 0, 0, false).starts_with("no split-view protection"));
        assert!(text(2, 1, 3, false).starts_with("no split-view protection"));
        assert_eq!(text(3, 3, 4, true), "quorum 3 of 4 witnesses, at least 3");
    }
}
