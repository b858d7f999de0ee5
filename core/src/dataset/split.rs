//! The fixed split: whole families go to held-out, then validation, then train.
//!
//! Families are ordered by the hex SHA-256 of `<seed>:<family>` (ties by family bytes). Held-out takes
//! whole families until its rows reach 15% of all rows, keeping two families back; then validation
//! likewise, keeping one back; the rest is train. Clause: specification, section 4.

use std::collections::{BTreeMap, HashMap};

use super::Seed;
use crate::digest::Digest;
use crate::manifest::{PartCount, SplitSection};

/// One part of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartName {
    /// Judged once; the only result that a version may cite.
    HeldOut,
    /// Judged while choosing; may be shown in full.
    Validation,
    /// What training reads.
    Train,
}

impl PartName {
    /// The three parts, in the order in which they take families.
    pub const ALL: [Self; 3] = [Self::HeldOut, Self::Validation, Self::Train];

    /// The name in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HeldOut => "held_out",
            Self::Validation => "validation",
            Self::Train => "train",
        }
    }
}

/// Families and lines of one part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The families, in the order of the rule.
    pub families: Vec<String>,
    /// Number of rows.
    pub rows: u64,
}

/// Where every family of a dataset went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    seed: Seed,
    parts: [Part; 3],
    place: HashMap<String, PartName>,
}

/// Divides families, given how many rows each has.
pub fn split(rows_per_family: &BTreeMap<String, u64>, seed: &Seed) -> Split {
    let total: u128 = rows_per_family.values().map(|n| u128::from(*n)).sum();
    let mut order: Vec<(String, &str, u64)> = rows_per_family
        .iter()
        .map(|(family, rows)| (Digest::of(format!("{seed}:{family}").as_bytes()).hex(), family.as_str(), *rows))
        .collect();
    order.sort_unstable();

    let mut parts = [Part::default(), Part::default(), Part::default()];
    let mut at = 0;
    for (part, keep) in parts.iter_mut().zip([2, 1, 0]) {
        let takes_the_rest = keep == 0;
        while order.len() - at > keep && (takes_the_rest || u128::from(part.rows) * 100 < 15 * total) {
            let (_, family, rows) = &order[at];
            part.families.push((*family).to_owned());
            part.rows += rows;
            at += 1;
        }
    }
    let place = PartName::ALL
        .into_iter()
        .zip(&parts)
        .flat_map(|(name, part)| part.families.iter().map(move |family| (family.clone(), name)))
        .collect();
    Split { seed: seed.clone(), parts, place }
}

impl Split {
    /// The seed it was made with.
    pub const fn seed(&self) -> &Seed {
        &self.seed
    }

    /// One part.
    pub const fn part(&self, name: PartName) -> &Part {
        &self.parts[name as usize]
    }

    /// The part that a family went to.
    pub fn part_of(&self, family: &str) -> Option<PartName> {
        self.place.get(family).copied()
    }

    /// Seed and counts, as the manifest states them.
    pub fn section(&self) -> SplitSection {
        let count = |name| {
            let part = self.part(name);
            PartCount { rows: part.rows, families: part.families.len() as u64 }
        };
        SplitSection {
            seed: self.seed.to_string(),
            held_out: count(PartName::HeldOut),
            validation: count(PartName::Validation),
            train: count(PartName::Train),
        }
    }

    /// The three worked examples of the control arm: the first train lines by hex SHA-256 of
    /// `<seed>:control:<line>`.
    pub fn control_lines(&self, train_lines: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut keyed: Vec<(Digest, u64)> = train_lines
            .into_iter()
            .map(|line| (Digest::of(format!("{}:control:{line}", self.seed).as_bytes()), line))
            .collect();
        keyed.sort_unstable();
        keyed.into_iter().take(3).map(|(_, line)| line).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_part_keeps_a_family_when_there_are_three() {
        let rows = [("a", 1), ("b", 1), ("c", 58)].map(|(f, n)| (f.to_owned(), n)).into();
        let split = split(&rows, &Seed::from(7));
        for part in PartName::ALL {
            assert_eq!(split.part(part).families.len(), 1);
        }
        assert_eq!(PartName::ALL.map(|p| split.part(p).rows).iter().sum::<u64>(), 60);
        assert_eq!(split.part_of(&split.part(PartName::Train).families[0]), Some(PartName::Train));
        assert_eq!(split.part_of("d"), None);
    }
}
