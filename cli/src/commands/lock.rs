//! `lock`: writes `patches.lock`, one proven version for each entry of `patches.toml`.
//!
//! Refuses entries that cannot be locked, all of them together with their lines, and a lock of another registry. A locked
//! version stays as long as its entry admits it; `--upgrade` moves. Clause: specification, section 7.

use std::path::PathBuf;

use retoque_core::problem::LOCK_REGISTRY;
use serde::Serialize;

use crate::client::{Connection, Sources};
use crate::context::Context;
use crate::error::Failure;
use crate::head::{Asking, Current, Protections};
use crate::lock::{Lock, Project, Renewal, Renewed, Step, Upgrade, Wants, check_positions};
use crate::reference::Reference;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder with patches.toml [default: this folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Move to the newest version that the entry admits: all entries, or these patches (`org/slug`, `org/slug@1.3.0`)
    #[arg(long, value_name = "REF", num_args = 0..)]
    upgrade: Option<Vec<Reference>>,
    /// Go on with a root, log head or status that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

/// What was locked.
#[derive(Serialize)]
struct Shown {
    written: bool,
    patches: Vec<Step>,
    protections: Protections,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let project = Project::at(args.project.as_deref());
    let wants = project.wants()?;
    let old = project.lock()?;
    let connection = connection(&wants, ctx)?;
    let sources = Sources::only(connection.client.clone());
    let asking = Asking::new(&connection, &sources, ctx.start, args.allow_stale);
    let upgrade = match args.upgrade {
        None => Upgrade::None,
        Some(list) if list.is_empty() => Upgrade::All,
        Some(list) => Upgrade::These(list),
    };
    let mut current = block_on(asking.ask())?;
    for text in &current.stale {
        ctx.warn(text);
    }
    let (written, steps) = renew(&project, (&wants, old.as_ref()), &upgrade, &asking, &mut current, ctx)?;
    let shown = Shown { written, patches: steps, protections: current.protections(ctx.start) };
    ctx.report(&shown, |page| {
        for step in &shown.patches {
            page.line(step.line());
        }
        page.line(if shown.written { "patches.lock is written" } else { "patches.lock says so already" });
        shown.protections.lines().into_iter().for_each(|line| page.line(line));
    })
}

/// The registry of a project: the one that its file names, else the configured one.
pub(super) fn connection(wants: &Wants, ctx: &Context) -> Result<Connection, Failure> {
    let Some(url) = &wants.registry else { return Connection::open(ctx) };
    if let Some(other) = &ctx.global.registry
        && other.parse::<crate::config::RegistryUrl>()? != *url
    {
        let message = format!("patches.toml names the registry {url}, --registry another one");
        return Err(Failure::new(LOCK_REGISTRY, message, "leave --registry out, or change patches.toml"));
    }
    Connection::with(ctx, url.clone())
}

/// Refuses a lock of another registry.
pub(super) fn check_registry(lock: &Lock, connection: &Connection) -> Result<(), Failure> {
    let here = connection.origin()?;
    if lock.registry == here {
        return Ok(());
    }
    let message = format!("patches.lock is of the registry {}, not of {here}", lock.registry);
    let next = "use the registry that it is of; to change registries on purpose, remove patches.lock and lock anew";
    Err(Failure::new(LOCK_REGISTRY, message, next))
}

/// Makes the lock and writes it. Answers whether the file changed, and what became of each entry.
pub(super) fn renew(
    project: &Project,
    (wants, old): (&Wants, Option<&Lock>),
    upgrade: &Upgrade,
    asking: &Asking<'_>,
    current: &mut Current,
    ctx: &mut Context,
) -> Result<(bool, Vec<Step>), Failure> {
    if let Some(old) = old {
        check_registry(old, asking.connection)?;
        block_on(check_positions(asking, old, current))?;
    }
    let renewal = Renewal { asking, wants, old, upgrade };
    let Renewed { lock, steps, warnings } = block_on(renewal.run(current))?;
    for warning in warnings {
        ctx.warn(warning);
    }
    Ok((project.write(&lock)?, steps))
}
