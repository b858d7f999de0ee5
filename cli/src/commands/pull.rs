//! `pull REF`: brings a published version to this machine, proven.
//!
//! Refuses withdrawn and taken-down versions with their reason and replacement, never moves to another version on
//! its own, and prints which protections were active. Clauses: specification, sections 7 and 8.

use std::path::{Path, PathBuf};

use retoque_core::lifecycle::State;
use retoque_core::release::{Trust, VerifiedRelease};
use retoque_core::sign::Chain;
use serde::Serialize;

use super::verify::{Verified, Wanted, how, text};
use crate::client::{Connection, Fault, Sources};
use crate::config::RegistryUrl;
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::output::Progress;
use crate::pull::{self, Existing, Request, Resolved, existing, find_digest, resolve};
use crate::reference::{Reference, Selector};
use crate::runtime::block_on;
use crate::trust_store::Trust as Pinning;
use crate::verify::Pinned;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// `org/slug`, `org/slug@1.2.0`, `org/slug@^1.2` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: Reference,
    /// Where the folder goes [default: ./SLUG-VERSION]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Take versions with DEGRADED evidence also when the reference leaves a choice
    #[arg(long)]
    allow_degraded: bool,
    /// Go on with a root that has expired, with a warning
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
    state: Option<State>,
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
    state: Option<State>,
    faults: Vec<Fault>,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let store = connection.trust_store();
    let mut pinning = store.load()?;
    let origin = connection.origin()?.to_owned();
    if let Some(outcome) = pinned_here(&args, &pinning, &origin, ctx) {
        return report(outcome, &pinning, &origin, ctx);
    }
    let resolved = block_on(async {
        connection.client.update_roots(&store, &mut pinning).await?;
        if !args.allow_stale {
            pinning.root().check_expiry(ctx.start)?;
        }
        resolve(&connection.client, &args.reference, args.allow_degraded).await
    })?;
    for warning in &resolved.warnings {
        ctx.warn(warning);
    }
    let sources = connection.sources(&args.mirrors)?;
    let outcome = run_pull(&args, &sources, trust(&pinning.chain, &origin, &args, ctx), &resolved, ctx);
    for fault in sources.faults() {
        ctx.warn(fault.line());
    }
    let outcome = Outcome { faults: sources.faults(), ..outcome? };
    report(outcome, &pinning, &origin, ctx)
}

const fn trust<'a>(chain: &'a Chain, origin: &'a str, args: &Args, ctx: &Context) -> Trust<'a> {
    Trust { registry: Some(origin), allow_expired: args.allow_stale, ..Trust::new(chain, ctx.start) }
}

/// A version that is pinned by its digest and already here needs no request at all.
fn pinned_here(args: &Args, pinning: &Pinning, origin: &str, ctx: &Context) -> Option<Outcome> {
    let Selector::Digest(digest) = args.reference.selector else { return None };
    let target = match &args.dir {
        Some(dir) => dir.clone(),
        None => find_digest(Path::new("."), &args.reference.patch.slug, digest)?,
    };
    let wanted = Wanted::of(&args.reference);
    let trust = trust(&pinning.chain, origin, args, ctx);
    match existing(&target, &trust, wanted.asked(), &Progress::hidden()) {
        Ok(Existing::Proven(verified)) => Some(Outcome {
            target,
            verified: *verified,
            already_there: true,
            repaired: false,
            fetched: 0,
            state: None,
            faults: Vec::new(),
        }),
        // Damaged, or of an expired root: the whole way says so, or mends it.
        _ => None,
    }
}

fn run_pull(
    args: &Args,
    sources: &Sources,
    trust: Trust<'_>,
    resolved: &Resolved,
    ctx: &mut Context,
) -> Result<Outcome, Failure> {
    let version = &resolved.version;
    let default = || PathBuf::from(format!("{}-{}", version.patch.slug, version.summary.version));
    let target = args.dir.clone().unwrap_or_else(default);
    let wanted = pull::Version {
        patch: version.patch.clone(),
        number: Some(version.summary.version.clone()),
        digest: version.summary.digest,
    };
    let request = Request { sources, version: &wanted, trust, target: &target };
    let repair = match existing(&target, &trust, wanted.asked(), &Progress::hidden())? {
        Existing::Proven(verified) => {
            let (already_there, state, faults) = (true, Some(version.summary.state), Vec::new());
            return Ok(Outcome {
                target,
                verified: *verified,
                already_there,
                repaired: false,
                fetched: 0,
                state,
                faults,
            });
        }
        Existing::Damaged(findings) => {
            ctx.warn_findings(&findings);
            ctx.note(format!("{} is damaged; fetching what is wrong again", files::shown(&target)));
            true
        }
        Existing::Nothing => false,
    };
    let (verified, manifest) = block_on(request.documents())?;
    let bar = ctx.progress("pulling", verified.manifest.files.iter().map(|f| f.size).sum());
    let pulled = block_on(request.run(verified, &manifest, repair, &bar));
    bar.done();
    let pulled = pulled?;
    let state = Some(version.summary.state);
    let verified = pulled.verified;
    Ok(Outcome {
        target,
        verified,
        already_there: false,
        repaired: repair,
        fetched: pulled.fetched,
        state,
        faults: Vec::new(),
    })
}

fn report(outcome: Outcome, pinning: &Pinning, origin: &str, ctx: &mut Context) -> Result<(), Failure> {
    let Outcome { target, verified, already_there, repaired, fetched, state, faults } = outcome;
    if verified.report.root_expired {
        ctx.warn(format!("the root expired at {}", verified.report.root_expires));
    }
    let pinned = Pinned { root: pinning.root().clone(), origin: Some(origin.to_owned()), pin: Some(pinning.pin) };
    let shown = Shown {
        verified: Verified {
            path: files::shown(&target),
            report: verified.report,
            root_pinned: how(&pinned),
            base_proof: None,
            status: match state {
                Some(_) => "as the registry says it now, unsigned",
                None => "unknown: nothing was asked over the network",
            },
        },
        already_there,
        repaired,
        fetched_bytes: fetched,
        state,
        mirror_faults: faults,
    };
    ctx.report(&shown, |page| {
        text(page, &shown.verified);
        if let Some(state) = shown.state {
            page.line(format!("state {state}"));
        }
        page.line(match (shown.already_there, shown.repaired) {
            (true, _) => "it was here already; every byte was checked again".to_owned(),
            (_, true) => format!("repaired: {} bytes fetched again", shown.fetched_bytes),
            _ => format!("{} bytes fetched", shown.fetched_bytes),
        });
    })
}
