//! Staging bytes for a push: streamed to the object store while they are hashed, and kept only when they are exactly
//! the announced ones.

use bytes::Bytes;
use futures_util::Stream;
use jiff::SignedDuration;
use retoque_core::api::Upload;
use retoque_core::digest::Digest;
use retoque_core::permission::Act;
use retoque_core::problem::{BODY_DIGEST, BODY_LENGTH, BODY_TOO_LARGE, Place as At};

use super::policy::{Subject, authorize};
use super::{Actor, Error, Service, error};
use crate::blobs::{Place, StageError};
use crate::store::id::UploadId;
use crate::store::uploads::StagedUpload;

/// How long an upload waits for a push.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
/// Uploads of one account that are under way or wait.
const UPLOADS_MOST: usize = 64;
/// Uploads of one round.
const ROUND: u32 = 100;

/// What the caller says of the bytes before they come.
#[derive(Debug, Clone, Copy)]
pub struct Announced {
    /// How many.
    pub size: u64,
    /// Their digest.
    pub sha256: Digest,
}

/// Takes bytes into staging. Other bytes than announced leave nothing behind.
pub async fn upload<S, E>(service: &Service, actor: &Actor, announced: Announced, body: S) -> Result<Upload, Error>
where
    S: Stream<Item = Result<Bytes, E>> + Send + Unpin,
    E: std::fmt::Display,
{
    authorize(actor, Act::Upload, Subject::PLATFORM)?;
    let account = actor.account_id()?;
    let most = service.settings.max_package_bytes;
    if announced.size > most {
        return Err(too_large(announced.size, most));
    }
    let id = UploadId::mint(&service.chance)?;
    let place = Place::staging(&service.chance)?;
    let row = &StagedUpload {
        id,
        account_id: account,
        size: announced.size,
        sha256: announced.sha256,
        staging_path: place.to_string(),
        created_at: service.chance.now(),
    };
    // The row comes first, so that bytes of a service that was killed are found and removed. Until the bytes are
    // complete nobody is told its id.
    service
        .store
        .write(|mut tx| async move {
            let held = usize::try_from(tx.uploads_of(account).await?).unwrap_or(usize::MAX);
            error::room(held, UPLOADS_MOST, "upload that waits", "push what you have uploaded, or wait a day")?;
            tx.insert_upload(row).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await?;
    let staged = service.blobs.stage(place, announced.size, body).await;
    let result = match staged {
        Ok(staged) if (staged.size, staged.sha256) == (announced.size, announced.sha256) => {
            return Ok(Upload { upload: id.to_string(), size: row.size, sha256: row.sha256 });
        }
        Ok(staged) => mismatch(staged.size, staged.sha256, announced),
        Err(error) => refusal(&error, announced),
    };
    if let Err(error) = remove(service, row).await {
        tracing::warn!(detail = error.detail(), "a refused upload stays until it expires");
    }
    Err(result)
}

/// Removes uploads that no push has used for a day. Answers how many. One that cannot be removed stops none of the
/// others, and is tried again in the next round.
pub async fn expire(service: &Service) -> Result<usize, Error> {
    let before = service.chance.now().checked_sub(KEPT).map_err(Error::internal)?;
    let old = service.store.read().await?.uploads_before(before, ROUND).await?;
    let (mut removed, mut failed) = (0, None);
    for upload in &old {
        match remove(service, upload).await {
            Ok(()) => removed += 1,
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(removed), Err)
}

/// Removes bytes and row.
async fn remove(service: &Service, upload: &StagedUpload) -> Result<(), Error> {
    if let Some(place) = Place::from_staging_path(&upload.staging_path) {
        service.blobs.delete(&place).await?;
    }
    service
        .store
        .write(async |mut tx| {
            tx.delete_upload(upload.id).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
}

fn refusal(error: &StageError, announced: Announced) -> Error {
    match error {
        StageError::TooLarge(_) => Error::refuse(
            BODY_LENGTH,
            At::default(),
            format!("more than {} bytes", announced.size),
            format!("{} bytes, as announced", announced.size),
            "announce the real length in Content-Length",
        ),
        StageError::Body(_) => Error::refuse(
            BODY_LENGTH,
            At::default(),
            "a body that stopped half-way",
            format!("{} bytes, as announced", announced.size),
            "upload it again",
        ),
        StageError::Store(error) => Error::Unavailable(error.to_string()),
    }
}

fn mismatch(size: u64, sha256: Digest, announced: Announced) -> Error {
    if size == announced.size {
        Error::refuse(
            BODY_DIGEST,
            At::default(),
            sha256.to_string(),
            announced.sha256.to_string(),
            "announce the digest of the bytes that you send in Content-Digest",
        )
    } else {
        Error::refuse(
            BODY_LENGTH,
            At::default(),
            format!("{size} bytes"),
            format!("{} bytes, as announced", announced.size),
            "upload it again",
        )
    }
}

fn too_large(size: u64, most: u64) -> Error {
    Error::refuse(
        BODY_TOO_LARGE,
        At::default(),
        format!("{size} bytes"),
        format!("at most {most} bytes"),
        "upload less, or ask the operator for a higher limit",
    )
}
