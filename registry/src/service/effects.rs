//! What each decision brings about besides its record: a submission, a review, a licence, a release, erased bytes.

use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::licence::{Licence, LicenceState, Terms, license_text};
use retoque_core::lifecycle::Action;
use retoque_core::problem::{Finding, NEEDS_SECOND_PERSON, Place};
use retoque_core::review::Verdict;

use super::situation::{Effects, LicenceChange};
use super::{Error, Service, erasure, publish};
use crate::clock::time;
use crate::store::decisions::{Review, Submission};
use crate::store::id::{ReviewId, SubmissionId};
use crate::store::versions::Move;
use crate::store::{self, Rule, Tx};

/// Most bytes of `validation-cases.json`.
pub(super) const MAX_CASES: u64 = 64 << 20;

/// The change of the version's row, with the submission or review that goes with it.
pub(super) async fn movement(service: &Service, tx: &mut Tx, e: &Effects<'_>) -> Result<Move, Error> {
    let version = &e.situation.target.version;
    let mut change = Move {
        from: version.state,
        after: version.head,
        to: e.state,
        head: e.statement.payload_digest(),
        licence_state: version.licence_state,
        submission_id: version.submission_id,
        publish_validation_cases: version.publish_validation_cases,
    };
    match e.decision().action {
        Action::Submit => {
            let submission = submission(service, tx, e).await?;
            tx.insert_submission(&submission).await?;
            change.submission_id = Some(submission.id);
            let declared = e.decision().declarations.as_ref();
            change.publish_validation_cases = declared.is_some_and(|d| d.publish_validation_cases);
        }
        Action::Approve => review(service, tx, e, Verdict::Approve).await?,
        Action::Return => {
            review(service, tx, e, Verdict::Return).await?;
            (change.submission_id, change.publish_validation_cases) = (None, false);
        }
        Action::Revoke => {
            review(service, tx, e, Verdict::Revoke).await?;
            (change.submission_id, change.publish_validation_cases) = (None, false);
        }
        Action::Publish => change.licence_state = granted(e)?,
        Action::Withdraw | Action::TakeDown if is_granted(version.licence_state) => {
            change.licence_state = LicenceState::Ended;
        }
        Action::Deprecate | Action::Restore | Action::Withdraw | Action::TakeDown => {}
    }
    Ok(change)
}

async fn submission(service: &Service, tx: &mut Tx, e: &Effects<'_>) -> Result<Submission, Error> {
    let version = &e.situation.target.version;
    let (registration, registration_index) = publish::registration(tx, e.signer()?).await?;
    Ok(Submission {
        id: SubmissionId::mint(&service.chance)?,
        version_id: version.id,
        submitter_id: e.actor.account_id()?,
        submitter: e.actor.account_name()?.clone(),
        manifest_digest: version.manifest_digest,
        envelope: e.envelope.to_bytes(),
        registration,
        registration_index: Some(registration_index),
        created_at: e.now,
    })
}

/// Notes the review. The schema compares reviewer, submitter and pusher once more.
async fn review(service: &Service, tx: &mut Tx, e: &Effects<'_>, verdict: Verdict) -> Result<(), Error> {
    let version = &e.situation.target.version;
    let submission = e.situation.submission.as_ref().ok_or_else(|| Error::internal("no submission to review"))?;
    let review = Review {
        id: ReviewId::mint(&service.chance)?,
        version_id: version.id,
        submission_id: submission.id,
        submitter_id: submission.submitter_id,
        pusher_id: version.pusher_id,
        reviewer_id: e.actor.account_id()?,
        manifest_digest: version.manifest_digest,
        verdict,
        created_at: e.now,
    };
    tx.insert_review(&review).await.map_err(|error| match error {
        store::Error::Refused(Rule::ReviewerIsNotSubmitter | Rule::ReviewerIsNotPusher) => own_work().into(),
        other => other.into(),
    })
}

/// The licence record that the decision brings about, signed under `platform-status`.
pub(super) fn licence_change(service: &Service, e: &Effects<'_>) -> Result<Option<LicenceChange>, Error> {
    let version = &e.situation.target.version;
    let (kind, state) = match e.decision().action {
        Action::Publish => (RecordKind::LicenceGranted, granted(e)?),
        Action::Withdraw | Action::TakeDown if is_granted(version.licence_state) => {
            (RecordKind::LicenceEnded, LicenceState::Ended)
        }
        _ => return Ok(None),
    };
    let declarations = e.declarations()?;
    let manifest = &e.situation.manifest;
    let terms = Terms { manifest, manifest_digest: version.manifest_digest, declarations: declarations.as_ref() };
    let text = license_text(&terms);
    let offer = declarations.as_ref().map(|d| &d.offer);
    let licence = Licence {
        registry: service.settings.origin.clone(),
        patch: e.situation.target.patch.name.clone(),
        version: version.version.clone(),
        state,
        terms: offer.map_or(retoque_core::decision::PROPRIETARY, |o| o.terms()).to_owned(),
        text: Digest::of(text.as_bytes()),
        price_usd: offer.and_then(|o| o.price_usd()).map(str::to_owned).filter(|_| state == LicenceState::GrantedPaid),
        base_licence: manifest.base.licence.clone(),
        from: time(e.now)?,
    };
    let envelope = licence.statement(version.manifest_digest).sign(&[service.signers.status.as_ref()])?;
    let text = (kind == RecordKind::LicenceGranted).then_some(text);
    Ok(Some(LicenceChange { kind, state, envelope, text }))
}

/// Licence record, and the erasing of bytes.
pub(super) async fn after(
    service: &Service,
    tx: &mut Tx,
    e: &Effects<'_>,
    licence: Option<&LicenceChange>,
) -> Result<(), Error> {
    let version = &e.situation.target.version;
    if let Some(change) = licence {
        let n = tx.licences(version.id).await?.len() as u64;
        tx.insert_licence(version.id, n, change.state, &change.envelope.to_bytes(), e.now).await?;
    }
    if e.decision().action == Action::TakeDown {
        plan_erasure(service, tx, e).await?;
    }
    Ok(())
}

/// Notes which objects the version used. Those that no other version needs are erased after the commit.
async fn plan_erasure(service: &Service, tx: &mut Tx, e: &Effects<'_>) -> Result<(), Error> {
    let version = &e.situation.target.version;
    let mut objects = vec![version.package_sha256, e.situation.manifest.evidence.validation_cases];
    objects.extend(tx.record_files(version.id).await?.into_iter().map(|file| file.sha256));
    for object in objects {
        erasure::plan(service, tx, &object, e.now).await?;
    }
    Ok(tx.erase_validation_cases(version.id).await?)
}

fn granted(e: &Effects<'_>) -> Result<LicenceState, Error> {
    let declarations = e.declarations()?.ok_or_else(|| Error::internal("a publication without declarations"))?;
    Ok(LicenceState::granted_by(&declarations.offer))
}

fn is_granted(state: LicenceState) -> bool {
    matches!(state, LicenceState::GrantedFree | LicenceState::GrantedPaid)
}

/// The schema's own refusal of a review of one's own work, in the words of the service's.
fn own_work() -> Finding {
    Finding::new(
        NEEDS_SECOND_PERSON,
        Place::field("actor"),
        "the account that pushed or submitted the version",
        "somebody who neither pushed nor submitted it",
        "ask another reviewer",
    )
}
