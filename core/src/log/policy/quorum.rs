//! What a policy says about a checkpoint that the log signed: who cosigned it, whether that is enough, and since when.
//!
//! A witness counts once, and never when it is the log itself. One line that names a known witness, but was not made
//! by it, refuses the checkpoint: an honest mirror has no such line.

use super::{Member, Policy, refuse};
use crate::log::checkpoint::VerifiedCheckpoint;
use crate::log::vkey::VerifierKey;
use crate::problem::{CHECKPOINT_UNSIGNED, Finding, LOG_ORIGIN_MISMATCH, Place, QUORUM_MISSING, quote};
use crate::sign::Time;

/// A witness of the policy that cosigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosigner {
    /// Its name within the policy.
    pub name: String,
    /// How it cosigns.
    pub key: VerifierKey,
    /// When it cosigned last.
    pub time: Time,
}

/// What a policy says about a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// The witnesses that cosigned, in the order of the policy.
    pub cosigners: Vec<Cosigner>,
    /// Whether they are enough.
    pub satisfied: bool,
    /// The latest moment from which on the cosignatures are enough: how fresh the checkpoint is. When the policy demands
    /// nobody, the newest cosignature at all, also that of the log itself. `None` when there is none.
    pub fresh_at: Option<Time>,
}

impl Policy {
    /// Who cosigned the checkpoint, and whether that is enough. Refuses a log that the policy does not list, when it
    /// lists any.
    pub fn evaluate(&self, checkpoint: &VerifiedCheckpoint) -> Result<Evaluation, Finding> {
        self.check_log(checkpoint)?;
        let times = (self.witnesses.iter())
            .map(|witness| {
                let itself = witness.key.name() == checkpoint.origin() || checkpoint.is_signed_by(witness.key.key());
                if itself { Ok(None) } else { checkpoint.cosigned_by(&witness.key) }
            })
            .collect::<Result<Vec<Option<Time>>, Finding>>()?;
        let quorum = self.quorum.map(|member| self.witnessed_at(member, &times));
        let fresh_at = match quorum {
            Some(time) => time,
            None => checkpoint.cosigned_by_itself()?.max(times.iter().copied().max().flatten()),
        };
        let cosigners = (self.witnesses.iter().zip(&times))
            .filter_map(|(w, time)| time.map(|time| Cosigner { name: w.name.clone(), key: w.key.clone(), time }))
            .collect();
        Ok(Evaluation { cosigners, satisfied: quorum.is_none_or(|time| time.is_some()), fresh_at })
    }

    /// As [`Policy::evaluate`], and refuses when the cosignatures are not enough.
    pub fn check(&self, checkpoint: &VerifiedCheckpoint) -> Result<Evaluation, Finding> {
        let evaluation = self.evaluate(checkpoint)?;
        if evaluation.satisfied {
            return Ok(evaluation);
        }
        let names: Vec<&str> = evaluation.cosigners.iter().map(|c| c.name.as_str()).collect();
        let found = match names.as_slice() {
            [] => "no cosignature of a witness".to_owned(),
            some => format!("cosignatures of {} alone", quote(&some.join(", "))),
        };
        let expected = format!("the quorum of the policy: at least {} witness(es)", self.fewest());
        let next = "fetch a newer checkpoint; if the witnesses stay away, ask who runs the log";
        Err(Finding::new(QUORUM_MISSING, Place::default(), found, expected, next))
    }

    /// Whether two checkpoints that contradict each other cannot both pass, as long as fewer than a third of the
    /// witnesses are dishonest: every quorum has at least 1 + ⌊2n/3⌋ of the n witnesses it is chosen from.
    pub fn protects_split_view(&self) -> bool {
        self.quorum.is_some_and(|member| {
            let (fewest, all) = self.counts(member);
            fewest > 2 * all / 3
        })
    }

    /// The fewest witnesses that can satisfy the quorum.
    pub fn fewest(&self) -> usize {
        self.quorum.map_or(0, |member| self.counts(member).0)
    }

    /// How many witnesses the quorum is chosen from.
    pub fn chosen_from(&self) -> usize {
        self.quorum.map_or(0, |member| self.counts(member).1)
    }

    fn check_log(&self, checkpoint: &VerifiedCheckpoint) -> Result<(), Finding> {
        if self.logs.is_empty() {
            return Ok(());
        }
        let mut of_origin = self.logs.iter().filter(|log| log.key.name() == checkpoint.origin()).peekable();
        let code = if of_origin.peek().is_none() { LOG_ORIGIN_MISMATCH } else { CHECKPOINT_UNSIGNED };
        if of_origin.any(|log| checkpoint.is_signed_by(log.key.key())) {
            return Ok(());
        }
        let found = format!("a checkpoint of {}", quote(checkpoint.origin()));
        Err(Finding { code, ..refuse(found, "a log of the policy, signed by the key it lists") })
    }

    /// The latest moment from which on the member has witnessed: for a group, when the last of the members it needs
    /// cosigned. `None` when it has not.
    fn witnessed_at(&self, member: Member, times: &[Option<Time>]) -> Option<Time> {
        match member {
            Member::Witness(i) => times.get(i).copied().flatten(),
            Member::Group(i) => {
                let group = self.groups.get(i)?;
                let mut members: Vec<_> = group.members.iter().map(|m| self.witnessed_at(*m, times)).collect();
                members.sort_unstable_by(|a, b| b.cmp(a));
                members.get(group.threshold - 1).copied().flatten()
            }
        }
    }

    /// The fewest witnesses that satisfy the member, and how many there are in it. Names are members only once, so
    /// nobody is counted twice.
    fn counts(&self, member: Member) -> (usize, usize) {
        match member {
            Member::Witness(_) => (1, 1),
            Member::Group(i) => {
                let Some(group) = self.groups.get(i) else { return (0, 0) };
                let (mut fewest, all): (Vec<_>, Vec<_>) = group.members.iter().map(|m| self.counts(*m)).unzip();
                fewest.sort_unstable();
                (fewest.iter().take(group.threshold).sum(), all.iter().sum())
            }
        }
    }
}
