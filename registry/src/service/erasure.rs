//! Erasing the bytes of a version that was taken down. What is to be erased is noted in the transaction of the decision;
//! erasing happens after it and at every start until it is done, so a crash in between leaves no bytes behind.

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

/// Notes that an object is to be erased.
pub(super) async fn plan(service: &Service, tx: &mut Tx, object: &Digest, at: Timestamp) -> Result<(), Error> {
    let id = OutboxId::mint(&service.chance)?;
    Ok(tx.insert_task(&Task { id, kind: ERASE.to_owned(), payload: object.to_string() }, at).await?)
}

/// Erases what is noted. Answers how many objects it erased.
pub async fn run(service: &Service) -> Result<usize, Error> {
    let tasks = service.store.read().await?.open_tasks(ROUND).await?;
    let mut done = 0;
    for task in tasks.into_iter().filter(|task| task.kind == ERASE) {
        let digest: Digest = task.payload.parse().map_err(Error::internal)?;
        service.blobs.delete(&Place::Blob(digest)).await?;
        let now = service.chance.now();
        service
            .store
            .write(async |mut tx| {
                tx.finish_task(task.id, now).await?;
                Ok::<_, Error>(tx.done(()))
            })
            .await?;
        done += 1;
    }
    Ok(done)
}
