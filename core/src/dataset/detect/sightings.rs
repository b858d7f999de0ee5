//! What the scan saw in a dataset: counted in full, the first ones kept for the report.

use super::{Class, Hit, RULES_VERSION, scan};
use crate::digest::{Digest, Hasher};
use crate::problem::{
    Finding, Findings, PERSONAL_DATA, PERSONAL_DATA_ACKNOWLEDGED, POSSIBLE_SECRET, Place, SECRET_FOUND,
};

/// Collects hits by line.
#[derive(Default)]
pub(crate) struct Sightings {
    list: Vec<(u64, &'static str, Hit)>,
    counts: [u64; 3],
    personal: Hasher,
}

impl Sightings {
    /// Scans one text.
    pub(crate) fn scan(&mut self, line: u64, field: &'static str, text: &str) {
        for hit in scan(text) {
            let class = hit.rule.class();
            if class == Class::Acknowledge {
                self.personal.update(format!("{line}\t{field}\t{}\n", hit.rule.name()).as_bytes());
            }
            self.counts[class as usize] += 1;
            if self.counts[class as usize] <= Findings::KEPT as u64 {
                self.list.push((line, field, hit));
            }
        }
    }

    /// How many likely personal data were seen.
    pub(crate) const fn personal(&self) -> u64 {
        self.counts[Class::Acknowledge as usize]
    }

    /// What acknowledges the personal data of exactly this file, by these rules.
    pub(crate) fn acknowledgement(&self, dataset: Digest) -> Option<Digest> {
        (self.personal() > 0).then(|| {
            let set = self.personal.clone().finish();
            Digest::of(format!("{RULES_VERSION}\n{dataset}\n{set}\n").as_bytes())
        })
    }

    /// One finding per sighting.
    pub(crate) fn into_findings(self, acknowledgement: Option<Digest>, accepted: bool) -> Findings {
        let mut kept: [Findings; 3] = Default::default();
        let mut seen = [0u64; 3];
        for (line, field, hit) in &self.list {
            seen[hit.rule.class() as usize] += 1;
            kept[hit.rule.class() as usize].push(finding(*line, field, hit, acknowledgement, accepted));
        }
        // The rest is counted, not shown.
        for (class, findings) in [Class::Warn, Class::Acknowledge, Class::Block].into_iter().zip(&mut kept) {
            let last = self.list.iter().rev().find(|(.., hit)| hit.rule.class() == class);
            if let Some((line, field, hit)) = last {
                for _ in seen[class as usize]..self.counts[class as usize] {
                    findings.push(finding(*line, field, hit, acknowledgement, accepted));
                }
            }
        }
        kept.into_iter().fold(Findings::new(), Findings::merged_by_line)
    }
}

fn finding(line: u64, field: &str, hit: &Hit, acknowledgement: Option<Digest>, accepted: bool) -> Finding {
    let place = Place::default().at_line(line).at_field(field);
    let found = format!("{} {}", hit.rule.what(), hit.masked());
    match hit.rule.class() {
        Class::Block => {
            let next = "remove it from the row, and make the real one invalid; a made-up one needs another form";
            Finding::new(SECRET_FOUND, place, found, "no secrets", next)
        }
        Class::Acknowledge if accepted => {
            Finding::new(PERSONAL_DATA_ACKNOWLEDGED, place, found, "no personal data", "nothing; it was acknowledged")
        }
        Class::Acknowledge => {
            let digest = acknowledgement.map(|digest| digest.to_string()).unwrap_or_default();
            let next = format!("remove it, or acknowledge all of the file's with `--acknowledge {digest}`");
            Finding::new(PERSONAL_DATA, place, found, "no personal data, or an acknowledgement", next)
        }
        Class::Warn => {
            Finding::new(POSSIBLE_SECRET, place, found, "no keys", "replace it if it is more than a published test key")
        }
    }
}
