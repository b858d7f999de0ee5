//! Removes what lies in the object store and nobody needs: staged bytes of abandoned uploads, and blobs that no row names.
//!
//! A crash between two steps of a push leaves such objects; they do no harm but take room. Nothing younger than a day is
//! touched, nothing that a version, its private record or a suite needs, and no row: signatures and evidence are not here.
//! Clause: specification, section 10 (`gc`).

use futures_util::TryStreamExt as _;
use jiff::{SignedDuration, Timestamp};

use super::{Error, Service, erasure, uploads};
use crate::blobs::{Place, Stored};
use crate::store::Tx;

/// What is younger stays: it may belong to a push that is under way.
const AGE: SignedDuration = SignedDuration::from_hours(24);

/// Finds the objects that nobody needs, and removes them unless this is only a look. Gives them with their sizes.
pub async fn run(service: &Service, only_look: bool) -> Result<Vec<(Place, u64)>, Error> {
    let before = service.chance.now().checked_sub(AGE).map_err(Error::internal)?;
    if !only_look {
        erasure::run(service).await?;
        uploads::expire(service).await?;
    }
    let mut listed = service.blobs.list();
    let mut left_over = Vec::new();
    while let Some(stored) = listed.try_next().await? {
        if stored.modified >= before || needed(&mut service.store.read().await?, &stored, before).await? {
            continue;
        }
        if only_look || remove(service, &stored, before).await? {
            left_over.push((stored.place, stored.size));
        }
    }
    Ok(left_over)
}

async fn needed(tx: &mut Tx, stored: &Stored, before: Timestamp) -> Result<bool, Error> {
    Ok(match stored.place {
        Place::Blob(digest) => tx.object_in_use(&digest).await?,
        Place::Staging(_) => tx.is_staged_since(&stored.place.to_string(), before).await?,
    })
}

/// Asks once more with the log locked: a push that comes to hold the object either is seen here, or looks for its objects
/// again after this transaction.
async fn remove(service: &Service, stored: &Stored, before: Timestamp) -> Result<bool, Error> {
    service
        .store
        .write(async |mut tx| {
            tx.lock_log().await?;
            let remove = !needed(&mut tx, stored, before).await?;
            if remove {
                service.blobs.delete(&stored.place).await?;
            }
            Ok::<_, Error>(tx.done(remove))
        })
        .await
}
