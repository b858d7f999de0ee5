//! The one door of the lifecycle: a signed decision comes in, is verified, applied by the table of the core, and written
//! with everything that it brings about in one transaction.

use retoque_core::api::{LicensingIntent, VersionView};
use retoque_core::decision::{Decision, Expected, RecordKind};
use retoque_core::digest::Digest;
use retoque_core::id::PatchName;
use retoque_core::lifecycle::{Action, Facts, State, apply};
use retoque_core::manifest::Manifest;
use retoque_core::permission::Act;
use retoque_core::problem::{ENVELOPE_INVALID, Finding, NEEDS_SECOND_PERSON, Place as At};
use retoque_core::sign::provenance::Provenance;
use retoque_core::sign::statement::{MANIFEST, Statement};
use retoque_core::sign::{Envelope, Role, Root, Verified};

use super::effects::Effects;
use super::history::Entry;
use super::policy::authorize;
use super::push::time;
use super::target::{Target, VersionRef};
use super::{Actor, Error, Service, erasure, signers, target, tokens, versions};
use crate::blobs::Place;
use crate::store::Tx;
use crate::store::decisions::Submission;

/// A version and what its requirements ask about, as one transaction sees it.
pub(super) struct Situation {
    pub(super) target: Target,
    pub(super) manifest: Manifest,
    pub(super) submission: Option<Submission>,
    attested: Option<Digest>,
    approved: Option<Digest>,
    disclosure: Option<String>,
    verified_publisher: bool,
    replacement: Option<State>,
}

/// Takes a signed decision. Nothing changes unless all of it is right.
pub async fn decide(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
    envelope: &[u8],
) -> Result<VersionView, Error> {
    let received = envelope;
    let envelope = Envelope::parse(received)?;
    if envelope.to_bytes() != received {
        return Err(other_form());
    }
    // Read before it is verified only to find out whose keys and which right it needs.
    let claimed = Statement::<Decision>::parse_unverified(envelope.payload_unverified())?;
    let action = claimed.predicate().action;
    let cases = cases_to_publish(service, actor, name, at, action).await?;
    let view = service.store.write(async |mut tx| {
        let actor = &tokens::still(service, &mut tx, actor).await?;
        let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
        authorize(actor, Act::Decide(action), target.subject())?;
        let keys = signers::signing_keys(&mut tx, actor, action).await?;
        let statement = Statement::<Decision>::verify(&envelope, &keys)?;
        let situation = situation(&mut tx, actor, target, statement.predicate()).await?;
        let state = judge(service, actor, &situation, &statement)?;
        let now = service.chance.now();
        let effects = Effects { actor, situation: &situation, statement: &statement, envelope: &envelope, state, now };
        bring_about(service, &mut tx, &effects, cases.as_deref()).await?;
        // Read here, so that a decision that stands is never answered with a failure to look at it.
        let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
        let view = versions::view(&mut tx, actor, &target.patch, &target.version).await?;
        Ok::<_, Error>(tx.done(view))
    });
    let view = view.await?;
    if action == Action::TakeDown
        && let Err(error) = erasure::run(service).await
    {
        // The decision stands; the job tries again until the bytes are gone.
        tracing::error!(detail = error.detail(), "erasing the bytes of a taken-down version failed");
    }
    Ok(view)
}

/// A document is stored as the bytes in which it arrived, so it has to arrive in its one form.
fn other_form() -> Error {
    Error::refuse(
        ENVELOPE_INVALID,
        At::default(),
        "an envelope in another form than canonical JSON",
        "canonical JSON (RFC 8785)",
        "send the envelope as it was made; do not reformat it",
    )
}

/// Everything that requirements ask about.
async fn situation(tx: &mut Tx, actor: &Actor, target: Target, decision: &Decision) -> Result<Situation, Error> {
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
    let approved = match version.state {
        State::Approved => tx.approval(version.id).await?,
        _ => None,
    };
    let account = tx.account(actor.account_id()?).await?;
    let org = tx.org(target.patch.org_id).await?;
    Ok(Situation {
        attested: attested_digest(&signers::root(tx).await?, &tx.attestation(version.id).await?),
        approved,
        disclosure: account.and_then(|a| a.disclosure),
        verified_publisher: org.is_some_and(|o| o.verified_at.is_some()),
        manifest,
        submission,
        replacement,
        target,
    })
}

/// The manifest digest that the stored build statement is about, when its signature verifies.
pub(super) fn attested_digest(root: &Root, attestation: &[u8]) -> Option<Digest> {
    let envelope = Envelope::parse(attestation).ok()?;
    let statement = Statement::<Provenance>::verify(&envelope, &root.keys(Role::PlatformBuild)).ok()?;
    statement.subject(MANIFEST)
}

/// The state after the decision, or every reason why not.
fn judge(
    service: &Service,
    actor: &Actor,
    situation: &Situation,
    statement: &Verified<Statement<Decision>>,
) -> Result<State, Error> {
    let Target { patch, version } = &situation.target;
    let expected = Expected {
        registry: &service.settings.origin,
        patch: &patch.name,
        version: &version.version,
        manifest: version.manifest_digest,
        actor: actor.account_name()?,
        previous: version.head,
        now: time(service.chance.now())?,
    };
    let mut findings = expected.check(statement);
    let decision = statement.predicate();
    let facts = Facts {
        decision,
        manifest: &situation.manifest,
        manifest_digest: version.manifest_digest,
        package: Some(version.package_sha256),
        attested: situation.attested,
        approved: situation.approved,
        pusher: &version.pusher,
        submitter: situation.submission.as_ref().map(|s| &s.submitter),
        disclosure: situation.disclosure.as_deref(),
        paid_patch: patch.licensing == LicensingIntent::Paid,
        verified_publisher: situation.verified_publisher,
        replacement: situation.replacement,
    };
    match apply(version.state, decision.action, &facts) {
        Ok(state) if !findings.refused() => Ok(state),
        Ok(_) => Err(findings.into()),
        Err(more) => {
            findings.extend(more);
            Err(findings.into())
        }
    }
}

/// The validation cases, when a publication is about to freeze them.
async fn cases_to_publish(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
    action: Action,
) -> Result<Option<Vec<u8>>, Error> {
    if action != Action::Publish {
        return Ok(None);
    }
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    authorize(actor, Act::Decide(action), target.subject())?;
    if !target.version.publish_validation_cases {
        return Ok(None);
    }
    let manifest = versions::manifest(&mut tx, &target.version).await?;
    drop(tx);
    Ok(Some(
        service.blobs.read(&Place::Blob(manifest.evidence.validation_cases), super::effects::MAX_CASES).await?.to_vec(),
    ))
}

/// Writes what the decision says and does.
async fn bring_about(service: &Service, tx: &mut Tx, effects: &Effects<'_>, cases: Option<&[u8]>) -> Result<(), Error> {
    let version = &effects.situation.target.version;
    let change = super::effects::movement(service, tx, effects).await?;
    let licence = super::effects::licence_change(service, effects)?;
    tx.move_version(version.id, &change).await?;
    super::effects::after(service, tx, effects, licence.as_ref(), cases).await?;
    // Log entries come last: the counter row is held from here to the commit.
    let whom = (version.id, &version.version, version.manifest_digest);
    let patch = &effects.situation.target.patch;
    let actor = (effects.actor.account_id()?, effects.actor.account_name()?);
    let bytes = effects.envelope.to_bytes();
    let kind = RecordKind::of(effects.statement.predicate().action);
    let entry = Entry { kind, actor, envelope: &bytes, state: effects.state, at: effects.now };
    super::history::record(service, tx, patch, whom, &entry).await?;
    if let Some(licence) = licence {
        let envelope = licence.envelope.to_bytes();
        let entry = Entry { kind: licence.kind, envelope: &envelope, ..entry };
        super::history::record(service, tx, patch, whom, &entry).await?;
    }
    Ok(())
}

/// The schema's own refusal of a review of one's own work, in the words of the service's.
pub(super) fn own_work() -> Finding {
    Finding::new(
        NEEDS_SECOND_PERSON,
        At::field("actor"),
        "the account that pushed or submitted the version",
        "somebody who neither pushed nor submitted it",
        "ask another reviewer",
    )
}
