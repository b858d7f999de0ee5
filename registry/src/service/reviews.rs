//! What a reviewer sees: the queue, and one version with everything recomputed on the spot.

use retoque_core::api::{ChecklistItem, Page, ReviewItem, ReviewView};
use retoque_core::evaluation::{RecordError, compare};
use retoque_core::id::PatchName;
use retoque_core::lifecycle::{State, check_served};
use retoque_core::permission::Act;
use retoque_core::review::{self, Qa};

use super::page::{Window, page};
use super::policy::{Subject, authorize};
use super::target::{Target, VersionRef};
use super::{Actor, Error, Service, examine, target, versions};
use crate::store::Listing;

/// The versions that wait for review, oldest first.
pub async fn queue(service: &Service, actor: &Actor, window: &Window) -> Result<Page<ReviewItem>, Error> {
    authorize(actor, Act::ListReviews, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let listing = tx.versions_in(State::Submitted, &window.rows()).await?;
    let mut items = Vec::with_capacity(listing.items.len());
    for row in listing.items {
        let patch = tx.patch(row.patch_id).await?.ok_or_else(|| Error::internal("a version without its patch"))?;
        let submission = match row.submission_id {
            Some(id) => tx.submission(id).await?,
            None => None,
        };
        let submission = submission.ok_or_else(|| Error::internal("a submitted version without a submission"))?;
        items.push(ReviewItem {
            patch: patch.name,
            version: row.version,
            digest: row.manifest_digest,
            evidence: row.evidence_state,
            pushed_by: row.pusher,
            submitted_by: submission.submitter,
            submitted: submission.created_at,
        });
    }
    page(Listing { items, next: listing.next }, Ok)
}

/// One version as a reviewer sees it: the private record is read again and everything recomputed from it.
pub async fn show(service: &Service, actor: &Actor, name: &PatchName, at: &VersionRef) -> Result<ReviewView, Error> {
    let mut tx = service.store.read().await?;
    let Target { patch, version } = target::version(&mut tx, actor, Act::ReadRecord, name, at).await?;
    if version.state == State::TakenDown {
        check_served(version.state)?;
    }
    let view = versions::view(&mut tx, actor, &patch, &version).await?;
    let manifest = versions::manifest(&mut tx, &version).await?;
    let submission = match version.submission_id {
        Some(id) => tx.submission(id).await?.map(|s| s.envelope),
        None => None,
    };
    let chain = service.roots.chain(&mut tx).await?;
    let attested = super::situation::attested_digest(&chain, &tx.decisions(version.id).await?);
    let files = tx.record_files(version.id).await?;
    drop(tx);
    let record = examine::stored_record(service, &files)?;
    let declared = examine::declared_by(&manifest, version.acknowledgement)?;
    let stated = manifest.clone();
    let turn = service.checks.clone().acquire_owned().await.map_err(Error::internal)?;
    let recomputed = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        examine::recompute(record, &declared, &stated)
    });
    let recomputed = match recomputed.await.map_err(Error::internal)? {
        Ok(recomputed) => recomputed,
        Err(RecordError::Refused(findings)) => return Err(findings.into()),
        Err(RecordError::Io(error)) => return Err(Error::Unavailable(error.to_string())),
    };
    let reproduces = compare(&manifest, &recomputed).is_empty();
    let facts = Facts {
        reproduces,
        attested: attested == Some(version.manifest_digest),
        introduced: recomputed.evidence.introduced,
    };
    let mut checklist = qa(&Qa::of(&manifest, Some(version.manifest_digest), Some(version.package_sha256)));
    checklist.extend(review::ChecklistItem::ALL.map(|item| item_view(item, &facts)));
    Ok(ReviewView {
        version: view,
        recomputed: recomputed.evidence,
        reproduces,
        checklist,
        submission: submission.map(String::from_utf8).transpose().map_err(Error::internal)?,
    })
}

struct Facts {
    reproduces: bool,
    attested: bool,
    introduced: u64,
}

fn qa(qa: &Qa) -> Vec<ChecklistItem> {
    let view = |item: &review::QaItem| ChecklistItem {
        item: item.name.to_owned(),
        text: item.text.to_owned(),
        required: item.required,
        holds: Some(item.met),
        found: item.found.clone(),
    };
    qa.items().iter().map(view).collect()
}

/// An item of the review checklist, with what the registry itself can say about it.
fn item_view(item: review::ChecklistItem, facts: &Facts) -> ChecklistItem {
    use review::ChecklistItem as Item;
    let (holds, found) = match item {
        Item::RightsVerified => (None, "a person has to verify this".to_owned()),
        Item::MetricsReproduce if facts.reproduces => (Some(true), "recomputed just now, equal".to_owned()),
        Item::MetricsReproduce => (Some(false), "recomputed just now, other counts".to_owned()),
        Item::CompatibilityPinned => (Some(true), "commit and every file digest in the manifest".to_owned()),
        Item::RegressionsDisclosed => {
            (Some(true), format!("{} introduced, listed in evaluation.json", facts.introduced))
        }
        Item::SignatureMatches if facts.attested => (Some(true), "verified under platform-build".to_owned()),
        Item::SignatureMatches => (Some(false), "no signature over this manifest".to_owned()),
    };
    ChecklistItem { item: item.name().to_owned(), text: item.text().to_owned(), required: true, holds, found }
}
