//! What a decision is judged by and what it is about, for the parts that judge it and the parts that carry it out.

use retoque_core::decision::{Decision, Declarations, RecordKind};
use retoque_core::digest::Digest;
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::{Action, State};
use retoque_core::manifest::Manifest;
use retoque_core::sign::provenance::Provenance;
use retoque_core::sign::statement::{MANIFEST, Statement};
use retoque_core::sign::{Chain, Envelope, KeyId, Role, Verified};

use super::target::Target;
use super::{Actor, Error, Service, signers, versions};
use crate::store::Tx;
use crate::store::decisions::{DecisionRow, Submission};

/// A version and what its requirements ask about, as one transaction sees it.
pub(super) struct Situation {
    pub(super) target: Target,
    pub(super) manifest: Manifest,
    pub(super) submission: Option<Submission>,
    pub(super) attested: Option<Digest>,
    pub(super) approved: Option<Digest>,
    pub(super) disclosure: Option<String>,
    pub(super) verified_publisher: bool,
    pub(super) replacement: Option<State>,
}

/// A verified and allowed decision on its way into the database.
pub(super) struct Effects<'a> {
    pub(super) actor: &'a Actor,
    pub(super) situation: &'a Situation,
    pub(super) statement: &'a Verified<Statement<Decision>>,
    pub(super) envelope: &'a Envelope,
    /// The state after it.
    pub(super) state: State,
    pub(super) now: jiff::Timestamp,
}

/// A change of the licence that a decision brings about.
pub(super) struct LicenceChange {
    pub(super) kind: RecordKind,
    pub(super) state: LicenceState,
    pub(super) envelope: Envelope,
    /// `LICENSE.txt`, at publication.
    pub(super) text: Option<String>,
}

impl Effects<'_> {
    pub(super) fn decision(&self) -> &Decision {
        self.statement.predicate()
    }

    /// The key that signed it.
    pub(super) fn signer(&self) -> Result<KeyId, Error> {
        self.statement.signers().first().copied().ok_or_else(|| Error::internal("a verified statement without signer"))
    }

    /// What the submitter declared.
    pub(super) fn declarations(&self) -> Result<Option<Declarations>, Error> {
        let Some(submission) = &self.situation.submission else { return Ok(None) };
        let envelope = Envelope::parse(&submission.envelope)?;
        let statement = Statement::<Decision>::parse_unverified(envelope.payload_unverified())?;
        Ok(statement.predicate().declarations.clone())
    }
}

/// Everything that requirements ask about.
pub(super) async fn gather(
    service: &Service,
    tx: &mut Tx,
    actor: &Actor,
    target: Target,
    decision: &Decision,
) -> Result<Situation, Error> {
    let version = &target.version;
    let manifest = versions::manifest(tx, version).await?;
    let submission = match version.submission_id {
        Some(id) => tx.submission(id).await?,
        None => None,
    };
    let replacement = match &decision.replacement {
        Some(name) => tx.version_by_name(target.patch.id, name).await?.map(|v| v.state),
        None => None,
    };
    let chain = service.roots.chain(tx).await?;
    let decisions = tx.decisions(version.id).await?;
    let approved = match version.state {
        State::Approved if approval_counts(&chain, &decisions) => tx.approval(version.id).await?,
        _ => None,
    };
    let account = tx.account(actor.account_id()?).await?;
    let org = tx.org(target.patch.org_id).await?;
    Ok(Situation {
        attested: attested_digest(&chain, &decisions),
        approved,
        disclosure: account.and_then(|a| a.disclosure),
        verified_publisher: org.is_some_and(|o| o.verified_at.is_some()),
        manifest,
        submission,
        replacement,
        target,
    })
}

/// The manifest digest that the build statement is about, when its signature counts at its place in the log.
pub(super) fn attested_digest(chain: &Chain, decisions: &[DecisionRow]) -> Option<Digest> {
    let row = decisions.iter().find(|row| row.kind == RecordKind::Attested)?;
    let envelope = Envelope::parse(&row.envelope).ok()?;
    let keys = chain.keys_at(Role::PlatformBuild, row.log_index);
    Statement::<Provenance>::verify(&envelope, &keys).ok()?.subject(MANIFEST)
}

/// Whether the latest approval is signed by keys that count at its place in the log: a stolen reviewer's key may have
/// been revoked since.
fn approval_counts(chain: &Chain, decisions: &[DecisionRow]) -> bool {
    let Some(row) = decisions.iter().rev().find(|row| row.kind == RecordKind::Approved) else { return false };
    let Ok(envelope) = Envelope::parse(&row.envelope) else { return false };
    signers::roles_for(Action::Approve)
        .iter()
        .any(|role| Statement::<Decision>::verify(&envelope, &chain.keys_at(*role, row.log_index)).is_ok())
}
