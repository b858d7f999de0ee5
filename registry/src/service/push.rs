//! A push: staged bytes become a version. Order: check, move to the places of the digests, sign, then one transaction
//! that makes it visible. A crash at any point leaves nothing visible or everything.

use std::collections::BTreeMap;

use retoque_core::api::{Push, VersionView};
use retoque_core::archive::Limits;
use retoque_core::base::BaseRecord;
use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::evaluation::RECORD_FILES;
use retoque_core::id::{PatchName, Version};
use retoque_core::lifecycle::State;
use retoque_core::permission::Act;
use retoque_core::problem::{FIELD_INVALID, Finding, Findings, Kind, Place, UPLOAD_UNKNOWN, VERSION_EXISTS, excerpt};
use retoque_core::sign::provenance::Build;

use super::examine::{Check, Checked, Record};
use super::history::Entry;
use super::{Actor, Error, Service, target, tokens, versions};
use crate::blobs::{self, BlobReader};
use crate::clock::time;
use crate::store;
use crate::store::Unique;
use crate::store::id::{UploadId, VersionId};
use crate::store::patches::Patch;
use crate::store::uploads::StagedUpload;
use crate::store::versions::{NewVersion, RecordFile};

/// The staged bytes that a push names.
struct Staged {
    package: StagedUpload,
    record: BTreeMap<String, StagedUpload>,
}

/// Makes a version of staged bytes. The second part says whether it is new: pushing the same again succeeds quietly.
pub async fn push(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    version: &Version,
    request: Push,
) -> Result<(VersionView, bool), Error> {
    let mut tx = service.store.read().await?;
    let patch = target::patch(&mut tx, actor, Act::Push, name).await?;
    let there = tx.version_by_name(patch.id, version).await?;
    if let (Some(there), Some(manifest)) = (there, request.manifest) {
        drop(tx);
        if there.manifest_digest != manifest {
            return Err(conflict(version, there.manifest_digest, manifest));
        }
        let view = versions::version_after_push(service, actor, &patch, version, &Findings::new()).await?;
        return Ok((view, false));
    }
    let staged = staged(&mut tx, actor, &request).await?;
    let base = tx.base_record(patch.base_id).await?.ok_or_else(|| Error::internal("a patch without its base"))?;
    let suites = tx.suites_in_force().await?.into_iter().map(|s| (s.sha256, s.allowance_points)).collect();
    drop(tx);
    let check = Check {
        patch: patch.name.clone(),
        version: version.clone(),
        base: BaseRecord::from_bytes(&base).map_err(|_| Error::internal("an unreadable base record"))?,
        policy: service.settings.policy,
        limits: Limits::for_weights(service.settings.max_package_bytes),
        suites,
        acknowledged: request.acknowledgement,
    };
    let made = make(service, actor, &patch, check, &staged).await;
    // A push that is through, or refused for good, leaves nothing in staging. One that met a fault can be tried again.
    if !made.as_ref().is_err_and(passing) {
        // What is left is swept up later; it is no reason to deny a push that is through.
        if let Err(error) = clear(service, &staged).await {
            tracing::warn!(detail = error.detail(), "staged bytes could not be removed");
        }
    }
    let (warnings, made) = made?;
    let view = versions::version_after_push(service, actor, &patch, version, &warnings).await?;
    Ok((view, made))
}

/// Whether the same push may succeed when it comes again: nothing was wrong with it.
fn passing(error: &Error) -> bool {
    match error {
        Error::Unavailable(_) | Error::Transient(_) | Error::Internal(_) => true,
        Error::Refused(findings) => findings.list().iter().any(|finding| finding.code.kind() == Kind::Unavailable),
    }
}

/// Checks, places, signs and inserts; the order that makes a crash harmless. Gives the warnings of the check.
async fn make(
    service: &Service,
    actor: &Actor,
    patch: &Patch,
    check: Check,
    staged: &Staged,
) -> Result<(Findings, bool), Error> {
    let acknowledgement = check.acknowledged;
    let checked = checked(service, check, staged).await?;
    let warnings = checked.warnings.clone();
    let package = &checked.package;
    // What was checked is what was announced: both digests are of the staged bytes.
    if package.archive.sha256 != staged.package.sha256 {
        return Err(Error::internal("staged bytes that changed"));
    }
    // Looked at before anything is placed, so that a push that has come too late leaves no objects behind.
    if already_there(service, patch, &package.manifest.version, package.manifest_digest).await? {
        return Ok((warnings, false));
    }
    let cases = checked.record.validation_cases_json.clone();
    place(service, staged, cases.clone()).await?;
    let new = attested(service, actor, patch, checked, acknowledgement)?;
    let made = insert_version(service, actor, patch, &new, staged).await?;
    // Objects that were there already may have been erased with another version before this one held them.
    place(service, staged, cases).await?;
    Ok((warnings, made))
}

/// Removes what was staged for a push: first the bytes, then the rows, so that a crash in between is swept up later.
async fn clear(service: &Service, staged: &Staged) -> Result<(), Error> {
    let uploads = || std::iter::once(&staged.package).chain(staged.record.values());
    for upload in uploads() {
        service.blobs.delete(&in_staging(upload)?.place).await?;
    }
    service
        .store
        .write(async |mut tx| {
            for upload in uploads() {
                tx.delete_upload(upload.id).await?;
            }
            Ok::<_, Error>(tx.done(()))
        })
        .await
}

/// The uploads that the request names; each must be the actor's own.
async fn staged(tx: &mut crate::store::Tx, actor: &Actor, request: &Push) -> Result<Staged, Error> {
    let account = actor.account_id()?;
    let mut findings = Findings::new();
    let names: Vec<_> = request.record.keys().map(String::as_str).collect();
    if names != RECORD_FILES {
        findings.push(Finding::new(
            FIELD_INVALID,
            Place::field("record"),
            excerpt(&names.join(", ")),
            RECORD_FILES.join(", "),
            "name the uploads of exactly these files",
        ));
    }
    let mut uploads = BTreeMap::new();
    let record = request.record.iter().map(|(name, id)| (format!("record.{name}"), id));
    for (field, id) in std::iter::once(("package".to_owned(), &request.package)).chain(record) {
        let found = match id.parse::<UploadId>() {
            Ok(id) => tx.upload(id).await?.filter(|u| u.account_id == account),
            Err(_) => None,
        };
        match found {
            Some(found) => drop(uploads.insert(field, found)),
            None => findings.push(Finding::new(
                UPLOAD_UNKNOWN,
                Place::field(field),
                excerpt(id),
                "an upload of your own that no push has used",
                "upload the bytes again; uploads are kept for a day",
            )),
        }
    }
    let ((), _) = findings.into_result(())?;
    let package = uploads.remove("package").ok_or_else(|| Error::internal("a push without a package"))?;
    let record = uploads.into_iter().map(|(field, u)| (field["record.".len()..].to_owned(), u)).collect();
    Ok(Staged { package, record })
}

/// Runs the check on a thread of its own. At most as many run at once as there are cores.
async fn checked(service: &Service, check: Check, staged: &Staged) -> Result<Checked, Error> {
    let turn =
        service.checks.clone().acquire_owned().await.map_err(|_| Error::Unavailable("shutting down".to_owned()))?;
    let package = reader(service, &staged.package)?;
    let open = |name: &str| {
        let upload = staged.record.get(name).ok_or_else(|| Error::internal("a record without a file"))?;
        reader(service, upload)
    };
    let record = Record {
        dataset: open("dataset.jsonl")?,
        regression: open("regression.jsonl")?,
        outputs: open("outputs.jsonl")?,
        run: open("run.json")?,
        training: open("training.json")?,
    };
    // The turn goes with the work: a caller that goes away does not make room for another check beside this one.
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        check.run(package, record)
    });
    work.await.map_err(Error::internal)?
}

/// Copies what was checked to the places of its digests. What is there already stays; doing it again is harmless.
async fn place(service: &Service, staged: &Staged, cases: Vec<u8>) -> Result<(), Error> {
    for upload in std::iter::once(&staged.package).chain(staged.record.values()) {
        service.blobs.keep(&in_staging(upload)?).await?;
    }
    service.blobs.put(cases.into()).await?;
    Ok(())
}

/// Signs the build statement.
fn attested(
    service: &Service,
    actor: &Actor,
    patch: &Patch,
    checked: Checked,
    acknowledgement: Option<Digest>,
) -> Result<NewVersion, Error> {
    let now = service.chance.now();
    let package = checked.package;
    let build = Build {
        registry: &service.settings.origin,
        manifest: &package.manifest,
        manifest_digest: package.manifest_digest,
        package: package.archive.sha256,
        pusher: actor.account_name()?,
        time: time(now)?,
    };
    let attestation = build.statement().sign(&[service.signers.build.as_ref()])?;
    Ok(NewVersion {
        id: VersionId::mint(&service.chance)?,
        patch_id: patch.id,
        version: package.manifest.version.clone(),
        manifest_digest: package.manifest_digest,
        manifest: package.manifest_bytes,
        package_sha256: package.archive.sha256,
        package_size: package.archive.size,
        seek_table: package.archive.table.encode().map_err(Error::internal)?,
        adapter_sha256: package.manifest.adapter.sha256,
        cases_sha256: package.manifest.evidence.validation_cases,
        acknowledgement,
        attestation: attestation.to_bytes(),
        pusher_id: actor.account_id()?,
        created_at: now,
        evidence_state: package.manifest.evidence.state,
        head: attestation.payload_digest(),
    })
}

/// The transaction that makes the version visible. `false`: the same version was there already.
async fn insert_version(
    service: &Service,
    actor: &Actor,
    patch: &Patch,
    new: &NewVersion,
    staged: &Staged,
) -> Result<bool, Error> {
    let result = service.store.write(async |mut tx| {
        let actor = &tokens::still(service, &mut tx, actor).await?;
        target::patch(&mut tx, actor, Act::Push, &patch.name).await?;
        tx.insert_version(new).await?;
        for (name, upload) in &staged.record {
            let file = RecordFile { name: name.clone(), sha256: upload.sha256, size: upload.size };
            tx.insert_record_file(new.id, &file).await?;
        }
        let entry = Entry {
            kind: RecordKind::Attested,
            actor: (actor.account_id()?, actor.account_name()?),
            envelope: &new.attestation,
            state: State::Candidate,
            at: new.created_at,
        };
        super::history::record(service, &mut tx, patch, (new.id, &new.version, new.manifest_digest), &entry).await?;
        Ok::<_, Unwritten>(tx.done(()))
    });
    match result.await {
        Ok(()) => Ok(true),
        Err(Unwritten::Taken) if already_there(service, patch, &new.version, new.manifest_digest).await? => Ok(false),
        Err(Unwritten::Taken) => Err(Error::internal("a duplicate of nothing")),
        Err(Unwritten::Other(error)) => Err(error),
    }
}

/// Whether the version is there already: the same manifest is success, another a conflict that shows both.
async fn already_there(service: &Service, patch: &Patch, version: &Version, manifest: Digest) -> Result<bool, Error> {
    match service.store.read().await?.version_by_name(patch.id, version).await? {
        None => Ok(false),
        Some(there) if there.manifest_digest == manifest => Ok(true),
        Some(there) => Err(conflict(version, there.manifest_digest, manifest)),
    }
}

fn conflict(version: &Version, stored: Digest, pushed: Digest) -> Error {
    Error::refuse(
        VERSION_EXISTS,
        Place::field("version"),
        format!("manifest {pushed}"),
        format!("manifest {stored}, which {version} already is"),
        "push other bytes under a new version; a version name is never used twice",
    )
}

/// The staged bytes of an upload, as its row says.
fn in_staging(upload: &StagedUpload) -> Result<blobs::Staged, Error> {
    let place = blobs::Place::from_staging_path(&upload.staging_path);
    let place = place.ok_or_else(|| Error::internal("an upload outside of staging"))?;
    Ok(blobs::Staged { place, size: upload.size, sha256: upload.sha256 })
}

fn reader(service: &Service, upload: &StagedUpload) -> Result<BlobReader, Error> {
    Ok(service.blobs.reader(in_staging(upload)?.place, 0..upload.size))
}

/// Why a version was not inserted: it is there already, or anything else.
enum Unwritten {
    Taken,
    Other(Error),
}

impl From<store::Error> for Unwritten {
    fn from(error: store::Error) -> Self {
        let taken = error.is_duplicate(Unique::VersionName) || error.is_duplicate(Unique::VersionManifest);
        if taken { Self::Taken } else { Self::Other(error.into()) }
    }
}

impl From<Error> for Unwritten {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl store::Transient for Unwritten {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Other(error) if store::Transient::is_transient(error))
    }
}
