//! What is here, byte by byte, and then against the log and the status as they are now.
//!
//! Nothing ends at the first fault: every folder and every version is looked at, and everything that is wrong is
//! reported together, wrong bytes and signatures before states, states before what is too old. Clauses: specification,
//! section 7; TRUST, client duties (the operator lies in the status).

mod item;

pub use item::{Audited, Item};

use std::collections::BTreeSet;

use retoque_core::digest::Digest;
use retoque_core::problem::{Finding, Findings};

use crate::client::Sources;
use crate::error::Failure;
use crate::head::{Asking, Authority, Current, Protections, tiles};
use crate::lock::{Lock, check_positions};
use crate::log::{Counts, Verification};
use crate::output::Progress;
use crate::runtime::block_on;

/// What is audited at one registry.
#[derive(Debug)]
pub struct Audit<'a> {
    /// The registry.
    pub asking: &'a Asking<'a>,
    /// The lock, when the versions are those of a project.
    pub lock: Option<&'a Lock>,
    /// Whether the status and the decisions are recomputed from the log.
    pub recompute: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Every version that was looked at and is proven, or is locked and not here.
    pub versions: Vec<Audited>,
    /// What was recomputed.
    pub counts: Option<Counts>,
    /// Which protections were active.
    pub protections: Option<Protections>,
    /// Everything that is wrong.
    pub wrong: Vec<Finding>,
    /// What the user must hear.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// Everything that is wrong as one refusal, the worst first.
    pub fn refusal(outcomes: &[Self]) -> Option<Failure> {
        let mut wrong: Vec<Finding> = outcomes.iter().flat_map(|outcome| outcome.wrong.clone()).collect();
        let rank = |finding: &Finding| match finding.code.kind().exit_status() {
            3 => 0,
            4 => 1,
            8 => 2,
            _ => 3,
        };
        wrong.sort_by_key(rank);
        let mut findings = Findings::new();
        for finding in wrong {
            findings.push(finding);
        }
        findings.refused().then(|| Failure::findings("the audit found what must not be used", &findings))
    }
}

impl Audit<'_> {
    /// Looks at all of it. A failure that leaves nothing to say about anything comes back as such.
    pub fn run(&self, items: Vec<Item>, bar: &dyn Fn(u64) -> Progress) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        let pinning = self.asking.connection.trust_store().load()?;
        // An expired root is judged with everything else about freshness, by asking.
        let trust = retoque_core::release::Trust { allow_expired: true, ..self.asking.trust(&pinning, None)? };
        let mut looked = Vec::new();
        for item in items {
            match item.look(&trust) {
                Ok(there) => looked.push(there),
                Err(failure) => outcome.wrong.extend(failure.to_findings(&item.name())),
            }
        }
        let mut current = match block_on(self.asking.ask()) {
            Ok(current) => current,
            Err(failure) if outcome.wrong.is_empty() => return Err(failure),
            Err(failure) => {
                outcome.wrong.extend(failure.to_findings("the head of the log"));
                return Ok(outcome);
            }
        };
        outcome.warnings.extend(current.stale.iter().cloned());
        if let Some(lock) = self.lock
            && let Err(failure) = block_on(check_positions(self.asking, lock, &current))
        {
            outcome.wrong.extend(failure.to_findings("patches.lock"));
        }
        for there in looked {
            let name = there.name();
            match block_on(there.judge(self.asking, &mut current)) {
                Ok((audited, warnings)) => {
                    outcome.warnings.extend(warnings);
                    outcome.versions.push(audited);
                }
                Err(failure) if failure.exit_status() == 7 => return Err(failure),
                Err(failure) => outcome.wrong.extend(failure.to_findings(&name)),
            }
        }
        if self.recompute {
            let manifests = outcome.versions.iter().map(|version| version.manifest).collect();
            match self.recompute(&current, &manifests, bar) {
                Ok(counts) => outcome.counts = Some(counts),
                Err(failure) if failure.exit_status() == 7 => return Err(failure),
                Err(failure) => outcome.wrong.extend(failure.to_findings("the log")),
            }
        }
        outcome.protections = Some(current.protections(self.asking.now));
        Ok(outcome)
    }

    /// Every entry of the log, the status that follows from them, and the decisions on these versions.
    fn recompute(
        &self,
        current: &Current,
        manifests: &BTreeSet<Digest>,
        bar: &dyn Fn(u64) -> Progress,
    ) -> Result<Counts, Failure> {
        let tiles = tiles(self.asking.connection, Sources::only(self.asking.sources.registry().clone()));
        let authority = Authority::new(&current.trust, self.asking.connection.origin()?);
        let verification = Verification { tiles: &tiles, authority, head: &current.head, only: Some(manifests) };
        let bar = bar(current.head.tree().size);
        let counts = block_on(verification.run(&bar));
        bar.done();
        counts
    }
}
