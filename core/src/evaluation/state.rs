//! The evidence state, in exact integer arithmetic.
//!
//! In this order: no held-out gain, or a drop on the regression suite beyond the allowance, is `DEGRADED`;
//! a gain of at least 10 points with at most 2 introduced regressions is `IMPROVED_ON_SCOPE`; the rest is
//! `EXPERIMENTAL`. Clause: specification, section 5.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What the evidence says of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EvidenceState {
    /// At least 10 points better on held-out cases, at most 2 regressions introduced.
    ImprovedOnScope,
    /// Better, but by less, or with more regressions introduced.
    Experimental,
    /// Not better on held-out cases, or too much worse on the regression suite.
    Degraded,
}

impl EvidenceState {
    /// The name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ImprovedOnScope => "IMPROVED_ON_SCOPE",
            Self::Experimental => "EXPERIMENTAL",
            Self::Degraded => "DEGRADED",
        }
    }
}

impl fmt::Display for EvidenceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EvidenceState {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::ImprovedOnScope, Self::Experimental, Self::Degraded].into_iter().find(|s| s.name() == text).ok_or(())
    }
}

/// Cases of one suite, and how many the base and the patched model pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Cases.
    pub cases: u64,
    /// Passed by the base.
    pub base: u64,
    /// Passed by the patched model.
    pub patched: u64,
}

/// The gain that counts as an improvement, in percentage points.
pub const GAIN_POINTS: u64 = 10;
/// How many introduced regressions an improvement may have.
pub const INTRODUCED_MOST: u64 = 2;
/// The regression drop that is allowed when the operator sets nothing else, in percentage points.
pub const ALLOWANCE_POINTS: u64 = 5;

/// Computes the state.
pub fn evidence_state(held_out: Tally, regression: Tally, introduced: u64, allowance_points: u64) -> EvidenceState {
    if held_out.patched <= held_out.base || beyond(regression, allowance_points) {
        return EvidenceState::Degraded;
    }
    let gain = u128::from(held_out.patched - held_out.base);
    let enough = gain * 100 >= u128::from(GAIN_POINTS) * u128::from(held_out.cases);
    if enough && introduced <= INTRODUCED_MOST { EvidenceState::ImprovedOnScope } else { EvidenceState::Experimental }
}

fn beyond(suite: Tally, allowance_points: u64) -> bool {
    let drop = u128::from(suite.base.saturating_sub(suite.patched));
    drop * 100 > u128::from(allowance_points) * u128::from(suite.cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_inclusive() {
        let tally = |cases, base, patched| Tally { cases, base, patched };
        let state = |gain: u64, drop: u64, introduced| {
            evidence_state(tally(100, 10, 10 + gain), tally(100, 90, 90 - drop), introduced, ALLOWANCE_POINTS)
        };
        assert_eq!(state(10, 5, 2), EvidenceState::ImprovedOnScope);
        assert_eq!(state(9, 5, 0), EvidenceState::Experimental);
        assert_eq!(state(10, 5, 3), EvidenceState::Experimental);
        assert_eq!(state(90, 6, 0), EvidenceState::Degraded);
        assert_eq!(state(0, 0, 0), EvidenceState::Degraded);
        let most = u64::MAX;
        assert_eq!(
            evidence_state(tally(most, 0, most), tally(most, most, 0), 0, most),
            EvidenceState::ImprovedOnScope,
            "no overflow"
        );
    }
}
