//! From the root that is trusted to the one that was in force at publication, along the chain in `release.json`.
//!
//! The chain must be whole and sound by itself, contain the trusted root when it reaches that far, and be
//! followed from there on as any rotation.

use super::document::Release;
use crate::problem::{Finding, ROOT_UNPINNED, ROOT_VERSION};
use crate::sign::dsse::TUF;
use crate::sign::{Envelope, Role, Root};

/// The newest root that `trusted` and the chain lead to.
pub(super) fn follow(release: &Release, trusted: &Root) -> Result<Root, Finding> {
    let roots = sound(&release.root_chain)?;
    if let Some(same) = roots.iter().find(|root| root.version() == trusted.version())
        && same.fingerprint() != trusted.fingerprint()
    {
        return Err(Finding::new(
            ROOT_UNPINNED,
            super::verify::place("root_chain"),
            format!("another root version {} ({})", same.version(), same.fingerprint().hex()),
            format!("the trusted one ({})", trusted.fingerprint().hex()),
            "these files belong to another registry, or somebody replaced its root; do not use them",
        ));
    }
    trusted.update_along(&release.root_chain)
}

/// Every root of the chain, each the proper successor of the one before, none with a signature too many.
fn sound(chain: &[Envelope]) -> Result<Vec<Root>, Finding> {
    let mut roots: Vec<Root> = Vec::new();
    for envelope in chain {
        let root = match roots.last() {
            None => {
                let first = Root::trust(&envelope.to_bytes(), None)?;
                envelope.verify_exact(TUF, &first.keys(Role::Root))?;
                first
            }
            Some(last) => last.update_exact(envelope)?,
        };
        roots.push(root);
    }
    if roots.first().is_some_and(|first| first.version() == 1) {
        return Ok(roots);
    }
    Err(Finding::new(
        ROOT_VERSION,
        super::verify::place("root_chain"),
        "a chain that does not begin with root version 1",
        "every root from version 1 on",
        "pull the version again",
    ))
}
