//! `audit [PATH…]`: proves what is here, and holds it against the log and the status as they are now.
//!
//! Without a path, every locked version of a project and its folder; with paths, these pulled folders, of whichever
//! registries are trusted here. Exit 0 when all is well, 3 when something does not verify, 4 when a version must no
//! longer be used, 8 when the registry shows nothing new enough. Clause: specification, section 7.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::lock::{check_registry, connection};
use crate::audit::{Audit, Audited, Item, Outcome};
use crate::client::{Connection, Sources};
use crate::config::{Home, Registries, RegistryUrl};
use crate::context::Context;
use crate::error::Failure;
use crate::head::{Asking, Protections};
use crate::lock::{Lock, Project};
use crate::log::Counts;
use crate::output::Page;
use crate::verify::claimed_origin;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Pulled folders [default: what patches.lock says, and its folders]
    #[arg(value_name = "PATH", conflicts_with = "project")]
    paths: Vec<PathBuf>,
    /// The folder with patches.toml and patches.lock [default: this folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Take the signed status as it is: do not recompute it from the whole log
    #[arg(long)]
    no_recompute: bool,
    /// Go on with a root, log head or status that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

#[derive(Serialize)]
struct Shown {
    versions: Vec<Audited>,
    registries: Vec<ShownRegistry>,
}

#[derive(Serialize)]
struct ShownRegistry {
    registry: String,
    /// What was recomputed from its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    recomputed: Option<Counts>,
    protections: Option<Protections>,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let mut names = Vec::new();
    let mut outcomes = Vec::new();
    if args.paths.is_empty() {
        let project = Project::at(args.project.as_deref());
        let (wants, lock) = (project.wants()?, project.need_lock()?);
        let connection = connection(&wants, ctx)?;
        check_registry(&lock, &connection)?;
        let sites = lock.sites(&project, &wants)?;
        let item = |(locked, path): (&crate::lock::Locked, PathBuf)| Item { path, locked: Some(locked.clone()) };
        let items = sites.into_iter().map(item).collect();
        names.push(connection.url.to_string());
        outcomes.push(one(&args, &connection, Some(&lock), items, ctx)?);
    } else {
        for (url, items) in by_registry(&args, ctx)? {
            let connection = Connection::with(ctx, url)?;
            names.push(connection.url.to_string());
            outcomes.push(one(&args, &connection, None, items, ctx)?);
        }
    }
    if let Some(failure) = Outcome::refusal(&outcomes) {
        return Err(failure);
    }
    let mut shown = Shown { versions: Vec::new(), registries: Vec::new() };
    for (registry, outcome) in names.into_iter().zip(outcomes) {
        shown.versions.extend(outcome.versions);
        let (recomputed, protections) = (outcome.counts, outcome.protections);
        shown.registries.push(ShownRegistry { registry, recomputed, protections });
    }
    ctx.report(&shown, |page| text(page, &shown))
}

/// The folders, by the registry that each says it is from; those of none are asked of the configured one.
fn by_registry(args: &Args, ctx: &Context) -> Result<BTreeMap<RegistryUrl, Vec<Item>>, Failure> {
    let registries = Registries::load(&Home::of(&ctx.environment)?)?;
    let mut groups: BTreeMap<RegistryUrl, Vec<Item>> = BTreeMap::new();
    for path in &args.paths {
        let origin = if ctx.global.registry.is_some() { None } else { claimed_origin(path) };
        let known = origin.and_then(|origin| registries.list.iter().find(|registry| registry.origin == origin));
        let url = known.map_or_else(|| registries.chosen(ctx), |registry| Ok(registry.url.clone()))?;
        groups.entry(url).or_default().push(Item { path: path.clone(), locked: None });
    }
    Ok(groups)
}

fn one(
    args: &Args,
    connection: &Connection,
    lock: Option<&Lock>,
    items: Vec<Item>,
    ctx: &mut Context,
) -> Result<Outcome, Failure> {
    let sources = Sources::only(connection.client.clone());
    let asking = Asking::new(connection, &sources, ctx.start, args.allow_stale);
    let audit = Audit { asking: &asking, lock, recompute: !args.no_recompute };
    let outcome = audit.run(items, &|total| ctx.count("recomputing", total))?;
    for warning in &outcome.warnings {
        ctx.warn(warning);
    }
    Ok(outcome)
}

fn text(page: &mut Page, shown: &Shown) {
    page.heading(format!("{} versions, all as they should be", shown.versions.len()));
    for version in &shown.versions {
        let path = version.path.as_deref().unwrap_or("not here");
        let licence = version.licence.map_or_else(String::new, |licence| format!(", licence {licence}"));
        page.line(format!("{} {}: {}{licence} ({path})", version.patch, version.version, version.state.state));
    }
    for registry in &shown.registries {
        if let Some(counts) = &registry.recomputed {
            page.line(format!(
                "{}: the signed status is the one that the {} entries of the log give; {} decisions on these versions \
                 stand with their signatures",
                registry.registry, counts.entries, counts.documents
            ));
        } else {
            page.line(format!("{}: the signed status was NOT recomputed from the log", registry.registry));
        }
        registry.protections.iter().flat_map(Protections::lines).for_each(|line| page.line(line));
    }
}
