//! Who cosigned the checkpoint of a release, and that it carries no line of anybody else.

use crate::log::policy::{Evaluation, Policy};
use crate::log::{Algorithm, Note, VerifiedCheckpoint, VerifierKey};
use crate::problem::{COSIGNATURE_INVALID, Finding, Place, quote};
use crate::sign::root::Chain;
use crate::sign::{PublicKey, Role, Root};

/// What the cosignatures of a checkpoint say.
#[derive(Debug, Clone)]
pub(super) struct Witnessed {
    pub(super) evaluation: Evaluation,
    /// How many witnesses are known.
    pub(super) known: usize,
    /// Whether a quorum is demanded that excludes two views, and was met.
    pub(super) protects: bool,
}

/// Refuses lines that no known key made, in another order, or twice; then asks the policy, or else the newest root.
pub(super) fn check(
    checkpoint: &VerifiedCheckpoint,
    chain: &Chain,
    policy: Option<&Policy>,
) -> Result<Witnessed, Finding> {
    let signers = chain.keys_at(Role::PlatformLog, checkpoint.size());
    let known = Known::of(checkpoint.origin(), signers.keys(), chain, policy)?;
    let mut before = None;
    for line in checkpoint.note().lines() {
        let rank = known.rank(line.name(), line.id());
        if rank.is_none() || rank <= before {
            let found = format!("a line of {} that nobody knows, or out of order", quote(line.name()));
            let expected = "the signature of the log, its cosignature, and those of witnesses by name";
            let next = "do not use this folder; pull the version again";
            return Err(Finding::new(COSIGNATURE_INVALID, Place::default(), found, expected, next));
        }
        before = rank;
    }
    for key in known.0.iter().filter(|key| key.algorithm() == Algorithm::Cosignature) {
        checkpoint.cosigned_by(key)?;
    }
    let own = Policy::of_root(chain.newest())?;
    let policy = policy.unwrap_or(&own);
    let evaluation = policy.evaluate(checkpoint)?;
    let protects = evaluation.satisfied && policy.protects_split_view();
    Ok(Witnessed { evaluation, known: policy.witnesses().len(), protects })
}

/// Refuses a checkpoint with lines that no known key made, in another order, or twice.
pub fn check_note(checkpoint: &VerifiedCheckpoint, chain: &Chain, policy: Option<&Policy>) -> Result<(), Finding> {
    check(checkpoint, chain, policy).map(drop)
}

/// The note with exactly the lines that a release may carry, in their order.
pub fn exact_note(note: &Note, origin: &str, size: u64, chain: &Chain) -> Result<Note, Finding> {
    known_note(note, origin, size, chain, None)
}

/// The same, with the lines of the witnesses of a policy as well.
pub fn known_note(
    note: &Note,
    origin: &str,
    size: u64,
    chain: &Chain,
    policy: Option<&Policy>,
) -> Result<Note, Finding> {
    let known = Known::of(origin, chain.keys_at(Role::PlatformLog, size).keys(), chain, policy)?;
    let mut lines: Vec<_> =
        note.lines().iter().filter_map(|line| Some((known.rank(line.name(), line.id())?, line))).collect();
    lines.sort_by_key(|(rank, _)| *rank);
    let text: Vec<String> = lines.into_iter().map(|(_, line)| format!("{line}\n")).collect();
    Note::parse(format!("{}\n{}", note.text(), text.concat()).as_bytes())
}

/// The keys whose lines a checkpoint may carry, in the order of those lines.
struct Known(Vec<VerifierKey>);

impl Known {
    fn of(origin: &str, log: &[PublicKey], chain: &Chain, policy: Option<&Policy>) -> Result<Self, Finding> {
        let own = log.iter().map(|key| VerifierKey::log(origin, key.clone()));
        let itself = log.iter().map(|key| VerifierKey::cosigner(origin, key.clone()));
        let mut keys = own.chain(itself).collect::<Result<Vec<_>, _>>()?;
        let mut witnesses: Vec<VerifierKey> =
            policy.iter().flat_map(|p| p.witnesses()).map(|w| w.key.clone()).collect();
        for witness in chain.roots().flat_map(Root::witnesses) {
            witnesses.push(VerifierKey::cosigner(&witness.name, witness.key)?);
        }
        witnesses.sort_by(|a, b| (a.name(), a.id()).cmp(&(b.name(), b.id())));
        for witness in witnesses {
            if !keys.contains(&witness) {
                keys.push(witness);
            }
        }
        Ok(Self(keys))
    }

    fn rank(&self, name: &str, id: u32) -> Option<usize> {
        self.0.iter().position(|key| key.name() == name && key.id() == id)
    }
}
