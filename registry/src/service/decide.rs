//! The one door of the lifecycle: a signed decision comes in, is verified, applied by the table of the core, and written
//! with everything that it brings about in one transaction.

use retoque_core::api::{LicensingIntent, VersionView};
use retoque_core::decision::{Decision, Expected, RecordKind};
use retoque_core::id::PatchName;
use retoque_core::lifecycle::{Action, Facts, State, apply};
use retoque_core::permission::Act;
use retoque_core::problem::{ENVELOPE_INVALID, Place as At};
use retoque_core::sign::statement::Statement;
use retoque_core::sign::{Envelope, Verified};

use super::history::Entry;
use super::policy::authorize;
use super::situation::{Effects, Situation, gather};
use super::target::{Target, VersionRef};
use super::{Actor, Error, Service, effects, erasure, history, publish, signers, target, tokens, versions};
use crate::blobs::Place;
use crate::clock::time;
use crate::store::Tx;

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
        let judged = signers::verify(service, &mut tx, actor, action, &envelope).await?;
        let statement = &judged.statement;
        let situation = gather(service, &mut tx, actor, target, statement.predicate()).await?;
        let state = judge(service, actor, &situation, statement)?;
        let now = service.chance.now();
        let e = Effects { actor, situation: &situation, statement, envelope: &envelope, state, now };
        let index = bring_about(service, &mut tx, &e, cases.as_deref()).await?;
        signers::confirm(service, &mut tx, &judged, index).await?;
        // Read here, so that a decision that stands is never answered with a failure to look at it.
        let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
        let view = versions::view(&mut tx, actor, &target.patch, &target.version).await?;
        Ok::<_, Error>(tx.done((target.version.id, view)))
    });
    let (version, view) = view.await?;
    if action == Action::Publish
        && let Err(error) = publish::finish(service, version).await
    {
        // The decision stands; the job tries again until the release is there.
        tracing::error!(detail = error.detail(), "the proofs of a published version could not be made yet");
    }
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
    Ok(Some(service.blobs.read(&Place::Blob(manifest.evidence.validation_cases), effects::MAX_CASES).await?.to_vec()))
}

/// Writes what the decision says and does. Answers its place in the log.
async fn bring_about(service: &Service, tx: &mut Tx, e: &Effects<'_>, cases: Option<&[u8]>) -> Result<u64, Error> {
    let version = &e.situation.target.version;
    let change = effects::movement(service, tx, e).await?;
    let licence = effects::licence_change(service, e)?;
    tx.move_version(version.id, &change).await?;
    effects::after(service, tx, e, licence.as_ref()).await?;
    // Log entries come last: the counter row is held from here to the commit.
    let whom = (version.id, &version.version, version.manifest_digest);
    let patch = &e.situation.target.patch;
    let actor = (e.actor.account_id()?, e.actor.account_name()?);
    let bytes = e.envelope.to_bytes();
    let kind = RecordKind::of(e.statement.predicate().action);
    let entry = Entry { kind, actor, envelope: &bytes, state: e.state, at: e.now };
    let index = history::record(service, tx, patch, whom, &entry).await?;
    if let Some(licence) = licence {
        let envelope = licence.envelope.to_bytes();
        let entry = Entry { kind: licence.kind, envelope: &envelope, ..entry };
        history::record(service, tx, patch, whom, &entry).await?;
        if let Some(text) = &licence.text {
            // It names the indexes of those entries.
            publish::freeze(service, tx, e, text, cases).await?;
        }
    }
    Ok(index)
}
