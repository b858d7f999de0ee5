//! Erasing the bytes of a version that was taken down. What is to be erased is noted in the transaction of the decision;
//! erasing happens after it and in every round of jobs until it is done, so a crash in between leaves no bytes behind.

use jiff::Timestamp;
use retoque_core::digest::Digest;

use super::{Error, Service};
use crate::blobs::Place;
use crate::store::Tx;
use crate::store::id::OutboxId;
use crate::store::outbox::Task;

const ERASE: &str = "erase";
/// Tasks of one round.
const ROUND: u32 = 100;

/// Notes that an object is to be erased, unless another version needs it.
pub(super) async fn plan(service: &Service, tx: &mut Tx, object: &Digest, at: Timestamp) -> Result<(), Error> {
    let id = OutboxId::mint(&service.chance)?;
    Ok(tx.insert_task(&Task { id, kind: ERASE.to_owned(), payload: object.to_string() }, at).await?)
}

/// Erases what is noted and nobody needs. Answers how many objects it erased. One that cannot be erased stops none of
/// the others, and is tried again in the next round.
pub async fn run(service: &Service) -> Result<usize, Error> {
    let tasks = service.store.read().await?.open_tasks(ROUND).await?;
    let (mut erased, mut failed) = (0, None);
    for task in tasks.into_iter().filter(|task| task.kind == ERASE) {
        let object: Digest = task.payload.parse().map_err(Error::internal)?;
        let now = service.chance.now();
        let result = service
            .store
            .write(async |mut tx| {
                // A push that comes to hold this object writes a leaf. With the log locked it is either seen here, or
                // looks for its objects again after this transaction and finds that one is gone.
                tx.lock_log().await?;
                let erase = !tx.object_in_use(&object).await?;
                if erase {
                    service.blobs.delete(&Place::Blob(object)).await?;
                }
                tx.finish_task(task.id, now).await?;
                Ok::<_, Error>(tx.done(usize::from(erase)))
            })
            .await;
        match result {
            Ok(count) => erased += count,
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(erased), Err)
}
