//! `pull REF`: brings a published version to this machine, proven, and as of the newest head of the log.
//!
//! Refuses withdrawn and taken-down versions with their reason and replacement, never moves to another version on
//! its own, and prints which protections were active. What is too old is refused (exit 8) unless `--allow-stale`.
//! Clauses: specification, sections 7 and 8.

mod from;

use std::path::{Path, PathBuf};

use retoque_core::evaluation::EvidenceState;
use retoque_core::release::VerifiedRelease;
use serde::Serialize;

use super::verify::{Verified, Wanted, how, text};
use crate::client::{Connection, Fault};
use crate::config::RegistryUrl;
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Current, Verdict};
use crate::output::Progress;
use crate::pull::{Existing, Request, Version, existing, find_digest, hold, resolve};
use crate::reference::{Reference, Selector};
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// `org/slug`, `org/slug@1.2.0`, `org/slug@^1.2` or `org/slug@sha256:…`
    #[arg(value_name = "REF", required_unless_present = "from")]
    reference: Option<Reference>,
    /// Unpack this bundle, without network; with a REF it must be that version
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mirrors", "allow_degraded"])]
    from: Option<PathBuf>,
    /// With --from: refuse a bundle whose log head and status are older than this: `24h`, `7d`, `30m`
    #[arg(long, value_name = "TIME", value_parser = super::verify::span, requires = "from", conflicts_with = "allow_stale")]
    max_age: Option<i64>,
    /// Where the folder goes [default: ./SLUG-VERSION]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Take versions with DEGRADED evidence also when the reference leaves a choice
    #[arg(long)]
    allow_degraded: bool,
    /// Go on with a root, log head or status that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
    /// Fetch from this address first; may be given more than once. Nothing that it sends is taken on its word
    #[arg(long = "mirror", value_name = "URL", value_parser = mirror)]
    mirrors: Vec<RegistryUrl>,
}

fn mirror(text: &str) -> Result<RegistryUrl, String> {
    text.parse().map_err(|failure: Failure| failure.message().to_owned())
}

/// What was pulled.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    verified: Verified,
    already_there: bool,
    repaired: bool,
    fetched_bytes: u64,
    /// What mirrors did wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mirror_faults: Vec<Fault>,
}

/// How a pull ended.
struct Outcome {
    target: PathBuf,
    verified: VerifiedRelease,
    already_there: bool,
    repaired: bool,
    fetched: u64,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    if let Some(file) = &args.from {
        let wanted = args.reference.as_ref().map(Wanted::of);
        let how = (args.allow_stale, args.max_age);
        return from::run(file, (wanted.as_ref(), args.dir.as_deref()), how, ctx);
    }
    let Some(reference) = &args.reference else {
        return Err(Failure::usage("no version is named", "name one, or a bundle with --from FILE"));
    };
    let connection = Connection::open(ctx)?;
    let sources = connection.sources(&args.mirrors)?;
    let asking = Asking::new(&connection, &sources, ctx.start, args.allow_stale);
    let result = pull((&args, reference), &asking, ctx);
    let faults = sources.faults();
    for fault in &faults {
        ctx.warn(fault.line());
    }
    let (outcome, current) = result?;
    report(outcome, &current, faults, ctx)
}

fn pull(
    (args, reference): (&Args, &Reference),
    asking: &Asking<'_>,
    ctx: &mut Context,
) -> Result<(Outcome, Current), Failure> {
    if let Some(done) = pinned_here((args, reference), asking, ctx)? {
        return Ok(done);
    }
    let (mut current, resolved) = block_on(async {
        let mut current = asking.ask().await?;
        let resolved = resolve(asking, &mut current, reference, args.allow_degraded).await?;
        Ok((current, resolved))
    })?;
    tell(&current.stale, ctx);
    tell(&resolved.warnings, ctx);
    let version = resolved.version;
    let known = args.dir.clone().or_else(|| version.number.as_ref().map(|number| default_target(&version, number)));
    let now = current.clone();
    let trust = asking.trust(&now.trust, Some(&now.head))?;
    let mut repaired = false;
    if let Some(target) = &known {
        match existing(target, &trust, version.asked(), &Progress::hidden())? {
            Existing::Proven(verified) => {
                let (target, verified) = (target.clone(), *verified);
                block_on(hold(asking, &mut current, &verified))?;
                let outcome = Outcome { target, verified, already_there: true, repaired: false, fetched: 0 };
                return Ok((outcome, current));
            }
            Existing::Damaged(findings) => {
                ctx.warn_findings(&findings);
                ctx.note(format!("{} is damaged; fetching what is wrong again", files::shown(target)));
                repaired = true;
            }
            Existing::Nothing => {}
        }
    }
    let request = Request { sources: asking.sources, version: &version, trust };
    let (verified, manifest) = block_on(request.documents())?;
    let held = block_on(hold(asking, &mut current, &verified))?;
    tell(&held, ctx);
    if verified.report.evidence == EvidenceState::Degraded {
        let name = format!("{}@{}", verified.report.patch, verified.report.version);
        ctx.warn(format!("the evidence of {name} is DEGRADED: it does not help, or it harms elsewhere"));
    }
    let target = known.unwrap_or_else(|| default_target(&version, &verified.manifest.version));
    let bar = ctx.progress("pulling", verified.manifest.files.iter().map(|f| f.size).sum());
    let pulled = block_on(request.run(&target, verified, &manifest, repaired, &bar));
    bar.done();
    let pulled = pulled?;
    let (verified, fetched) = (pulled.verified, pulled.fetched);
    Ok((Outcome { target, verified, already_there: false, repaired, fetched }, current))
}

fn default_target(version: &Version, number: &retoque_core::id::Version) -> PathBuf {
    PathBuf::from(format!("{}-{number}", version.patch.slug))
}

fn tell(warnings: &[String], ctx: &mut Context) {
    for warning in warnings {
        ctx.warn(warning);
    }
}

/// A version that is pinned by its digest and already here: no request at all as long as the remembered head is fresh;
/// otherwise the head alone is asked for.
fn pinned_here(
    (args, reference): (&Args, &Reference),
    asking: &Asking<'_>,
    ctx: &mut Context,
) -> Result<Option<(Outcome, Current)>, Failure> {
    let Selector::Digest(digest) = reference.selector else { return Ok(None) };
    let found = match &args.dir {
        Some(dir) => Some(dir.clone()),
        None => find_digest(Path::new("."), &reference.patch.slug, digest),
    };
    let Some(target) = found else { return Ok(None) };
    let pinning = asking.connection.trust_store().load()?;
    let wanted = Wanted::of(reference);
    let there = existing(&target, &asking.trust(&pinning, None)?, wanted.asked(), &Progress::hidden());
    // Damaged, or of a root that has expired: the whole way says so, or mends it.
    let Ok(Existing::Proven(verified)) = there else { return Ok(None) };
    let mut current = match asking.remembered(pinning)? {
        Some(current) => current,
        None => block_on(asking.ask())?,
    };
    tell(&current.stale, ctx);
    let warnings = block_on(hold(asking, &mut current, &verified))?;
    tell(&warnings, ctx);
    let outcome = Outcome { target, verified: *verified, already_there: true, repaired: false, fetched: 0 };
    Ok(Some((outcome, current)))
}

fn report(outcome: Outcome, current: &Current, faults: Vec<Fault>, ctx: &mut Context) -> Result<(), Failure> {
    let Outcome { target, verified, already_there, repaired, fetched } = outcome;
    let verdict = Verdict::of(&current.head.status, verified.report.manifest, verified.commitment);
    let shown = Shown {
        verified: Verified {
            path: files::shown(&target),
            report: verified.report,
            root_pinned: how(Some(&current.trust.pin)),
            base_proof: None,
            state: Some(verdict),
            protections: current.protections(ctx.start),
        },
        already_there,
        repaired,
        fetched_bytes: fetched,
        mirror_faults: faults,
    };
    ctx.report(&shown, |page| {
        text(page, &shown.verified);
        page.line(match (shown.already_there, shown.repaired) {
            (true, _) => "it was here already; every byte was checked again".to_owned(),
            (_, true) => format!("repaired: {} bytes fetched again", shown.fetched_bytes),
            _ => format!("{} bytes fetched", shown.fetched_bytes),
        });
    })
}
