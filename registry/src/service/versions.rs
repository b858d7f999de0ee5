//! Reading versions: listing, one version, and the documents that belong to it.

use std::collections::BTreeMap;

use retoque_core::api::{DecisionView, FindingView, LicenceView, Notice, Page, VersionSummary, VersionView};
use retoque_core::decision::Decision;
use retoque_core::id::{PatchName, Version};
use retoque_core::lifecycle::{self, Action};
use retoque_core::manifest::Manifest;
use retoque_core::permission::Act;
use retoque_core::problem::Findings;
use retoque_core::sign::Envelope;
use retoque_core::sign::statement::Statement;

use super::page::{Window, page};
use super::policy::allows;
use super::target::{VersionRef, visibility};
use super::{Actor, Error, Service, policy, publish, target};
use crate::store::Tx;
use crate::store::decisions::{DecisionRow, NoticeRow};
use crate::store::id::{PatchId, VersionId};
use crate::store::patches::Patch;
use crate::store::versions::VersionRow;

/// A document of a version that is small enough to be served whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// `manifest.json`.
    Manifest,
    /// `attestation.json`.
    Attestation,
    /// `release.json`, once published.
    Release,
    /// `LICENSE.txt`, once published.
    LicenceText,
    /// `validation-cases.json`, once published, when the submitter agreed.
    ValidationCases,
}

/// The versions of a patch that the actor may see, in the order in which they were pushed.
pub async fn versions(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    window: &Window,
) -> Result<Page<VersionSummary>, Error> {
    let mut tx = service.store.read().await?;
    let patch = target::patch(&mut tx, actor, Act::ReadPatch, name).await?;
    let mut listing = tx.versions_of(patch.id, &window.rows()).await?;
    listing.items.retain(|v| {
        let subject = policy::Subject::patch(&patch.name.org, visibility(&patch, v));
        allows(actor, Act::ReadVersion, subject)
    });
    let mut notices = match (listing.items.first(), listing.items.last()) {
        (Some(first), Some(last)) => notices(&mut tx, patch.id, first.id, last.id).await?,
        _ => BTreeMap::new(),
    };
    page(listing, |row| Ok(summary(&row, notices.remove(&row.id))))
}

/// One version.
pub async fn version(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
) -> Result<VersionView, Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    view(&mut tx, actor, &target.patch, &target.version).await
}

/// A document, as the bytes that were signed or frozen, and whether only the caller may keep it.
pub async fn document(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
    which: Document,
) -> Result<(Vec<u8>, bool), Error> {
    let mut tx = service.store.read().await?;
    // Published documents stay readable after a withdrawal; only package bytes go.
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    let (id, private) = (target.version.id, target.is_private());
    let missing = |what: &str| Error::not_found(format!("{what} of this version"));
    let bytes = match which {
        Document::Manifest => tx.manifest(id).await?,
        Document::Attestation => tx.attestation(id).await?,
        Document::Release | Document::LicenceText | Document::ValidationCases => {
            let release = tx.release(id).await?.ok_or_else(|| missing("release"))?;
            // The three are answered together or not at all.
            let document = release.release.ok_or_else(publish::pending)?;
            match which {
                Document::LicenceText => release.license_text,
                Document::ValidationCases => {
                    release.validation_cases.ok_or_else(|| missing("published validation cases"))?
                }
                _ => document,
            }
        }
    };
    Ok((bytes, private))
}

/// Every decision on a version, oldest first.
pub async fn decisions(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
) -> Result<Vec<DecisionView>, Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    tx.decisions(target.version.id).await?.into_iter().map(decision).collect()
}

/// The licence of a version; no token is needed for a public patch.
pub async fn licence(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
) -> Result<LicenceView, Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    let manifest = manifest(&mut tx, &target.version).await?;
    let records = tx.licences(target.version.id).await?.into_iter().map(text).collect::<Result<_, _>>()?;
    let release = tx.release(target.version.id).await?;
    Ok(LicenceView {
        state: target.version.licence_state,
        base_licence: manifest.base.licence,
        records,
        text: release.map(|r| text(r.license_text)).transpose()?,
    })
}

/// The view that answers a push.
pub(super) async fn version_after_push(
    service: &Service,
    actor: &Actor,
    patch: &Patch,
    version: &Version,
    warnings: &Findings,
) -> Result<VersionView, Error> {
    let mut tx = service.store.read().await?;
    let row = tx.version_by_name(patch.id, version).await?.ok_or_else(|| Error::internal("lost version"))?;
    let mut view = view(&mut tx, actor, patch, &row).await?;
    view.warnings = warnings.list().iter().map(FindingView::from).collect();
    Ok(view)
}

/// What the actor sees of a version.
pub(super) async fn view(tx: &mut Tx, actor: &Actor, patch: &Patch, row: &VersionRow) -> Result<VersionView, Error> {
    Ok(VersionView {
        patch: patch.name.clone(),
        summary: summary(row, notices(tx, patch.id, row.id, row.id).await?.remove(&row.id)),
        base: patch.base.clone(),
        package_sha256: row.package_sha256,
        package_size: row.package_size,
        pushed_by: row.pusher.clone(),
        head: row.head,
        allowed_actions: allowed_actions(actor, patch, row),
        warnings: Vec::new(),
    })
}

/// What the actor may do to the version now, with the token that is used.
fn allowed_actions(actor: &Actor, patch: &Patch, row: &VersionRow) -> Vec<Action> {
    let subject = policy::Subject::patch(&patch.name.org, visibility(patch, row));
    let mut actions = lifecycle::allowed(row.state, &actor.who(Some(&patch.name.org)));
    actions.retain(|action| allows(actor, Act::Decide(*action), subject));
    actions
}

/// The line of a listing.
fn summary(row: &VersionRow, notice: Option<Notice>) -> VersionSummary {
    VersionSummary {
        version: row.version.clone(),
        digest: row.manifest_digest,
        state: row.state,
        evidence: row.evidence_state,
        licence: row.licence_state,
        created: row.created_at,
        notice,
    }
}

/// Reason and replacement of each version from `first` to `last` that has a notice. The registry verified the signature
/// of the decision when it came.
async fn notices(
    tx: &mut Tx,
    patch: PatchId,
    first: VersionId,
    last: VersionId,
) -> Result<BTreeMap<VersionId, Notice>, Error> {
    let notice = |row: NoticeRow| {
        let envelope = Envelope::parse(&row.envelope)?;
        let statement = Statement::<Decision>::parse_unverified(envelope.payload_unverified())?;
        let decision = statement.predicate();
        let reason = decision.reason.as_ref().ok_or_else(|| Error::internal("a notice without a reason"))?;
        let notice = Notice {
            code: reason.code.clone(),
            text: reason.text.clone(),
            replacement: decision.replacement.as_ref().map(ToString::to_string),
            since: row.created_at,
        };
        Ok((row.version_id, notice))
    };
    tx.notices(patch, first, last).await?.into_iter().map(notice).collect()
}

/// The manifest of a version, which was checked when it came.
pub(super) async fn manifest(tx: &mut Tx, row: &VersionRow) -> Result<Manifest, Error> {
    Manifest::from_bytes(&tx.manifest(row.id).await?).map_err(|_| Error::internal("an unreadable stored manifest"))
}

fn decision(row: DecisionRow) -> Result<DecisionView, Error> {
    Ok(DecisionView {
        n: row.n,
        log_index: row.log_index,
        kind: row.kind,
        actor: row.actor,
        time: row.created_at,
        record: text(row.record)?,
        envelope: Some(text(row.envelope)?),
    })
}

fn text(bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(Error::internal)
}
