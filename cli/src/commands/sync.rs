//! `sync [--locked]`: brings exactly the locked versions here, all of them or none.
//!
//! Without `--locked` entries that are not locked yet are locked first; with it any disagreement between `patches.toml`
//! and `patches.lock` is refused. Nothing is asked over the network when every version is here and proven and the
//! remembered head of the log is fresh. A version that was withdrawn since is refused, also when it is here.
//! Clause: specification, section 7.

use std::path::PathBuf;

use retoque_core::evaluation::EvidenceState;
use serde::Serialize;

use super::lock::{check_registry, connection, renew};
use crate::client::Sources;
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Current, Protections};
use crate::lock::{
    Done, Lock, Prepared, Project, Site, There, Upgrade, Wants, check_facts, check_positions, disagreements, judge,
};
use crate::output::Progress;
use crate::pull::hold;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder with patches.toml [default: this folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Refuse unless patches.lock is what patches.toml wants; write no lock
    #[arg(long)]
    locked: bool,
    /// Go on with a root, log head or status that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

/// What was brought here.
#[derive(Serialize)]
struct Shown {
    patches: Vec<ShownPatch>,
    fetched_bytes: u64,
    protections: Protections,
}

/// One of them.
#[derive(Serialize)]
struct ShownPatch {
    patch: String,
    version: String,
    manifest: String,
    base: String,
    path: String,
    done: Done,
    fetched_bytes: u64,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let project = Project::at(args.project.as_deref());
    let wants = project.wants()?;
    let lock = if args.locked { Some(project.need_lock()?) } else { project.lock()? };
    let apart = lock.as_ref().map(|lock| disagreements(&wants, lock));
    if let Some(findings) = apart.as_ref().filter(|findings| args.locked && findings.refused()) {
        return Err(Failure::findings("patches.toml and patches.lock disagree", findings));
    }
    let connection = connection(&wants, ctx)?;
    let sources = Sources::only(connection.client.clone());
    let asking = Asking::new(&connection, &sources, ctx.start, args.allow_stale);
    let (lock, current) = match (lock, apart) {
        (Some(lock), Some(apart)) if !apart.refused() => {
            check_registry(&lock, &connection)?;
            (lock, None)
        }
        (old, _) => {
            let mut current = block_on(asking.ask())?;
            let (_, steps) = renew(&project, (&wants, old.as_ref()), &Upgrade::None, &asking, &mut current, ctx)?;
            for step in steps.iter().filter(|step| step.from != step.to) {
                ctx.note(step.line());
            }
            (project.need_lock()?, Some(current))
        }
    };
    let shown = install((&project, &wants, &lock), &asking, current, ctx)?;
    ctx.report(&shown, |page| {
        for shown in &shown.patches {
            let done = match shown.done {
                Done::AlreadyThere => "already there, every byte checked",
                Done::Installed => "installed",
                Done::Repaired => "repaired",
                Done::Replaced => "installed in the place of another version",
            };
            page.line(format!("{} {} in {}: {done}", shown.patch, shown.version, shown.path));
        }
        page.line(format!("{} bytes fetched", shown.fetched_bytes));
        shown.protections.lines().into_iter().for_each(|line| page.line(line));
    })
}

fn install(
    (project, wants, lock): (&Project, &Wants, &Lock),
    asking: &Asking<'_>,
    current: Option<Current>,
    ctx: &mut Context,
) -> Result<Shown, Failure> {
    let pinning = asking.connection.trust_store().load()?;
    let mut sites = Vec::new();
    for (locked, target) in lock.sites(project, wants)? {
        // An expired root decides below, with everything else about freshness.
        let trust = retoque_core::release::Trust { allow_expired: true, ..asking.trust(&pinning, None)? };
        sites.push(Site::look(locked, target, &trust, &Progress::hidden())?);
    }
    let complete = sites.iter().all(|site| site.proven().is_some());
    let remembered = if complete && current.is_none() { asking.remembered(pinning)? } else { None };
    let mut current = match current.or(remembered) {
        Some(current) => current,
        None => block_on(asking.ask())?,
    };
    for text in &current.stale {
        ctx.warn(text);
    }
    if current.asked {
        block_on(check_positions(asking, lock, &current))?;
    }
    let bytes = fetch(&sites, asking, &mut current, ctx)?;
    let patches = sites.iter().zip(&bytes).map(|(site, fetched)| ShownPatch {
        patch: site.locked.patch.to_string(),
        version: site.locked.version.to_string(),
        manifest: site.locked.manifest.to_string(),
        base: site.locked.base.to_string(),
        path: files::shown(&site.target),
        done: site.done(),
        fetched_bytes: *fetched,
    });
    Ok(Shown {
        patches: patches.collect(),
        fetched_bytes: bytes.iter().sum(),
        protections: current.protections(ctx.start),
    })
}

/// Holds what is here against the head and brings what is missing. Answers how many bytes of each were fetched.
fn fetch(
    sites: &[Site<'_>],
    asking: &Asking<'_>,
    current: &mut Current,
    ctx: &mut Context,
) -> Result<Vec<u64>, Failure> {
    let mut prepared = Vec::new();
    for site in sites {
        let warnings = match &site.there {
            There::Proven(verified) => {
                check_facts(site.locked, verified)?;
                if current.asked { block_on(hold(asking, current, verified))? } else { judge(verified, current)? }
            }
            There::Damaged(findings) => {
                ctx.warn_findings(findings);
                ctx.note(format!("{} is damaged; fetching what is wrong again", files::shown(&site.target)));
                Vec::new()
            }
            There::Nothing | There::Other => Vec::new(),
        };
        for warning in &warnings {
            ctx.warn(warning);
        }
        if site.locked.evidence == EvidenceState::Degraded {
            let name = site.locked.name();
            ctx.warn(format!("the evidence of {name} is DEGRADED: it does not help, or it harms elsewhere"));
        }
    }
    for site in sites.iter().filter(|site| site.proven().is_none()) {
        let (ready, warnings) = block_on(Prepared::fetch(site, asking, current))?;
        for warning in &warnings {
            ctx.warn(warning);
        }
        prepared.push(ready);
    }
    let bar = ctx.progress("syncing", prepared.iter().map(Prepared::size).sum());
    let staged = block_on(async {
        let mut staged = Vec::new();
        for ready in prepared {
            let site = ready.site;
            staged.push((site, ready.stage(asking, current, &bar).await?));
        }
        Ok(staged)
    });
    bar.done();
    let mut fetched = vec![0; sites.len()];
    for (site, folder) in staged? {
        let pulled = folder.install(&site.target)?;
        if let Some(at) = sites.iter().position(|other| std::ptr::eq(other, site)) {
            fetched[at] = pulled.fetched;
        }
    }
    Ok(fetched)
}
