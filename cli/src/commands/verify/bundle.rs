//! `verify FILE`: a bundle, in one pass and without unpacking anything.

use retoque_core::release::Asked;
use retoque_core::sign::Time;
use serde::Serialize;

use super::{Args, Verified, Wanted, how, prove_base, text};
use crate::bundle::{Opened, Opening, claimed_origin};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::verify::pinned_for;

/// What a bundle proves beside what a folder does.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Shown {
    #[serde(flatten)]
    verified: Verified,
    bundle: Moment,
}

/// Of which moment a bundle is.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Moment {
    log_size: u64,
    status_issued: Time,
    status_expires: Time,
    /// Whether this machine remembers a newer status, which then decided.
    newer_remembered: bool,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let pinned = pinned_for(|| claimed_origin(&args.path), args.root.as_deref(), ctx)?;
    let wanted = args.expected.as_ref().map(Wanted::of);
    let opening = Opening {
        path: &args.path,
        pinned: &pinned,
        asked: wanted.as_ref().map_or_else(Asked::default, Wanted::asked),
        now: ctx.start,
        allow_stale: args.allow_stale,
        max_age: args.max_age,
    };
    let bar = ctx.progress("verifying", std::fs::metadata(&args.path).map(|m| m.len()).unwrap_or_default());
    let opened = opening.run(&mut retoque_core::bundle::Nothing, &bar);
    bar.done();
    let opened = opened?;
    let base_proof = prove_base(args, &opened.bundle.release.manifest.base, ctx)?;
    let mut shown = shown(&opened, files::shown(&args.path), ctx);
    shown.verified.base_proof = base_proof;
    shown.verified.root_pinned = how(pinned.pin());
    ctx.report(&shown, |page| {
        text(page, &shown.verified);
        shown.bundle.lines().into_iter().for_each(|line| page.line(line));
    })
}

/// What a bundle that was opened proves; its warnings are told.
pub(in crate::commands) fn shown(opened: &Opened, path: String, ctx: &mut Context) -> Shown {
    opened.warnings.iter().for_each(|warning| ctx.warn(warning));
    let as_of = opened.bundle.status.as_of();
    Shown {
        verified: Verified {
            path,
            report: opened.bundle.release.report.clone(),
            root_pinned: how(Some(&opened.trust.pin)),
            base_proof: None,
            state: Some(opened.verdict.clone()),
            protections: opened.protections(ctx.start),
        },
        bundle: Moment {
            log_size: as_of.size,
            status_issued: as_of.issued,
            status_expires: as_of.expires,
            newer_remembered: opened.remembered,
        },
    }
}

impl Shown {
    /// What is proven.
    pub(in crate::commands) const fn verified(&self) -> &Verified {
        &self.verified
    }

    /// Of which moment.
    pub(in crate::commands) const fn moment(&self) -> &Moment {
        &self.bundle
    }
}

impl Moment {
    /// As lines of text.
    pub(in crate::commands) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "bundle: log of {} entries, status as of {}, good until {}",
            self.log_size, self.status_issued, self.status_expires
        )];
        if self.newer_remembered {
            lines.push("this machine remembers a newer status than the bundle's: that one decided".to_owned());
        }
        lines
    }
}
