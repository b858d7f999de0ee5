//! A proven release against the head of the log: is it of the same history, and is it still served?

use retoque_core::problem::LOG_ROLLBACK;
use retoque_core::release::VerifiedRelease;

use crate::error::Failure;
use crate::head::{Asking, Current, Verdict, tiles};

/// Refuses a release whose proofs are of another history than the head, and one that the status says is no longer
/// served. A head that is older than the release is asked for again. Answers the warnings.
pub async fn hold(
    asking: &Asking<'_>,
    current: &mut Current,
    verified: &VerifiedRelease,
) -> Result<Vec<String>, Failure> {
    let (tree, note) = (verified.checkpoint.head(), verified.checkpoint.note().to_string());
    if tree.size > current.head.tree().size {
        *current = asking.ask().await?;
    }
    let head = current.head.tree();
    if tree.size > head.size {
        let message = format!("the release is proven in a log of {} entries, the head has {}", tree.size, head.size);
        let next = "somebody shows an old state of the log; do not use it, and ask the operator of the registry";
        return Err(Failure::new(LOG_ROLLBACK, message, next));
    }
    let tiles = tiles(asking.connection, asking.sources.clone());
    if let Some(fork) = tiles.check((tree, &note), (head, &current.head.note)).await? {
        return Err(fork.report(&asking.connection.trust_store().folder()));
    }
    let name = format!("{}@{}", verified.report.patch, verified.report.version);
    Verdict::of(&current.head.status, verified.report.manifest, verified.commitment).judge(&name)
}
