//! `pull --from FILE`: unpacks a bundle, proven, without network.

use std::path::Path;

use retoque_core::release::{Asked, Trust};
use serde::Serialize;

use crate::bundle::{Opening, Unpack, claimed_origin};
use crate::commands::verify::bundle::{Shown as Bundle, shown};
use crate::commands::verify::{Wanted, text};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::verify::pinned_for;

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    bundle: Bundle,
    already_there: bool,
}

/// Unpacks the bundle at `file`; `wanted` is what it must be.
pub(super) fn run(
    file: &Path,
    (wanted, dir): (Option<&Wanted>, Option<&Path>),
    (allow_stale, max_age): (bool, Option<i64>),
    ctx: &mut Context,
) -> Result<(), Failure> {
    let pinned = pinned_for(|| claimed_origin(file), None, ctx)?;
    let asked = wanted.map_or_else(Asked::default, Wanted::asked);
    let opening = Opening { path: file, pinned: &pinned, asked, now: ctx.start, allow_stale, max_age };
    let mut unpack = Unpack::to(dir);
    let bar = ctx.progress("unpacking", std::fs::metadata(file).map(|m| m.len()).unwrap_or_default());
    let opened = opening.run(&mut unpack, &bar);
    bar.done();
    let opened = match opened {
        Ok(opened) => opened,
        Err(failure) => return Err(unpack.abandon(failure)),
    };
    let chain = opened.trust.chain.clone();
    let registry = Some(opened.bundle.release.release.registry.as_str());
    let policy = opened.trust.policy.as_ref();
    let trust = Trust { registry, policy, allow_expired: allow_stale, ..Trust::new(&chain, ctx.start) };
    let (target, already_there) = unpack.install(&opened, &trust)?;
    let shown = Shown { bundle: shown(&opened, files::shown(&target), ctx), already_there };
    ctx.report(&shown, |page| {
        text(page, shown.bundle.verified());
        shown.bundle.moment().lines().into_iter().for_each(|line| page.line(line));
        page.line(if already_there { "it was here already; every byte was checked again" } else { "unpacked" });
    })
}
