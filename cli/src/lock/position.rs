//! Whether the log that is shown now continues the one at which a lock was made.
//!
//! A lock travels with its project. On a machine that remembers nothing of the registry it is the memory: a log that is
//! shorter than at lock time, or another one, is refused. A position that was under an earlier name of the log (the way
//! back from a fast-forward) is not compared.

use std::collections::BTreeSet;

use retoque_core::log::Head as Tree;
use retoque_core::problem::{LOCK_POSITION, LOG_ROLLBACK};

use super::{Lock, Position};
use crate::error::Failure;
use crate::head::{Asking, Current, tiles};

/// Refuses a head that does not continue every position of the lock.
pub async fn check_positions(asking: &Asking<'_>, lock: &Lock, current: &Current) -> Result<(), Failure> {
    let head = &current.head;
    let here = head.checkpoint.origin();
    let positions: BTreeSet<&Position> = lock.list.iter().map(|locked| &locked.log).collect();
    let tiles = tiles(asking.connection, asking.sources.clone());
    for position in positions.into_iter().filter(|position| position.origin == here) {
        let old = Tree { size: position.size, root: position.root };
        let next = "do not use it; compare the lock with its history, and ask the operator of the registry";
        let apart = match tiles.check((old, ""), (head.tree(), &head.note)).await {
            Ok(fork) => fork.is_some(),
            Err(failure) if failure.is(LOG_ROLLBACK) => true,
            Err(failure) => return Err(failure),
        };
        if apart {
            let message = format!(
                "patches.lock was made when the log had {} entries with root {}; the log of {} entries does not \
                 continue that",
                position.size,
                position.root,
                head.tree().size
            );
            return Err(Failure::new(LOCK_POSITION, message, next));
        }
    }
    Ok(())
}
