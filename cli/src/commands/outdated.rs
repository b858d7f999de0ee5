//! `outdated`: what changed since the lock was made: newer versions, deprecation, withdrawal, licence, evidence.
//!
//! Everything comes from the signed listing and the signed status of one moment. It only tells; nothing is changed, and
//! no version is suggested because another one was stopped. Clause: specification, section 7.

use std::path::PathBuf;

use retoque_core::evaluation::EvidenceState;
use retoque_core::id::{PatchName, Version};
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use retoque_core::problem::LOCK_DIGEST;
use retoque_core::status::{Listed, Listing};
use serde::Serialize;

use super::lock::{check_registry, connection};
use crate::client::Sources;
use crate::context::Context;
use crate::error::Failure;
use crate::head::{Asking, Protections, Verdict};
use crate::lock::{Locked, Project, Want, check_positions};
use crate::pull::listing;
use crate::reference::{Choice as _, Reference, Selector};
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder with patches.toml and patches.lock [default: this folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Go on with a root, log head or status that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

#[derive(Serialize)]
struct Shown {
    patches: Vec<Row>,
    protections: Protections,
}

/// One locked version, and what there is now.
#[derive(Debug, Serialize)]
struct Row {
    patch: PatchName,
    locked: Version,
    evidence: EvidenceState,
    /// What the signed status says of the locked version.
    state: Verdict,
    /// Its licence now, when the listing still has the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    licence: Option<LicenceState>,
    licence_when_locked: LicenceState,
    /// The newest version that the entry admits, when it is newer.
    #[serde(skip_serializing_if = "Option::is_none")]
    admitted: Option<Newer>,
    /// The newest published version of all, when it is newer and beyond what the entry admits.
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<Newer>,
}

#[derive(Debug, Serialize)]
struct Newer {
    version: Version,
    evidence: EvidenceState,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let project = Project::at(args.project.as_deref());
    let (wants, lock) = (project.wants()?, project.need_lock()?);
    let connection = connection(&wants, ctx)?;
    check_registry(&lock, &connection)?;
    let sources = Sources::only(connection.client.clone());
    let asking = Asking::new(&connection, &sources, ctx.start, args.allow_stale);
    let mut current = block_on(asking.ask())?;
    for text in &current.stale {
        ctx.warn(text);
    }
    block_on(check_positions(&asking, &lock, &current))?;
    let mut patches = Vec::new();
    for locked in &lock.list {
        let listing = block_on(listing(&asking, &mut current, &locked.patch))?;
        let verdict = Verdict::of(&current.head.status, locked.manifest, locked.commitment);
        patches.push(row(locked, wants.get(&locked.patch), listing.as_ref(), verdict)?);
    }
    let shown = Shown { patches, protections: current.protections(ctx.start) };
    ctx.report(&shown, |page| {
        let rows: Vec<_> = shown.patches.iter().map(Row::cells).collect();
        page.table(&["PATCH", "LOCKED", "ADMITTED", "BEYOND", "STATE", "NOTE"], &rows, "nothing is locked");
        shown.protections.lines().into_iter().for_each(|line| page.line(line));
    })
}

fn row(locked: &Locked, want: Option<&Want>, listing: Option<&Listing>, state: Verdict) -> Result<Row, Failure> {
    let versions = listing.map(Listing::versions).unwrap_or_default();
    let now = versions.iter().find(|listed| listed.version == locked.version);
    if let Some(other) = now.filter(|listed| listed.manifest != locked.manifest) {
        let message =
            format!("{} is locked with {}, but the registry lists {}", locked.name(), locked.manifest, other.manifest);
        let next = "do not use it: a published version never changes; ask the operator of the registry";
        return Err(Failure::new(LOCK_DIGEST, message, next));
    }
    let degraded = want.is_some_and(|want| want.allow_degraded);
    let newest = |reference: &Reference| {
        let found = reference.choose(versions, degraded).ok()?;
        (found.version > locked.version).then(|| newer(found))?
    };
    let admitted =
        want.filter(|want| matches!(want.selector, Selector::Range(_))).and_then(|want| newest(&want.reference()));
    let any = Reference { patch: locked.patch.clone(), selector: Selector::Newest };
    let beyond = newest(&any).filter(|found| admitted.as_ref().is_none_or(|admitted| found.version > admitted.version));
    Ok(Row {
        patch: locked.patch.clone(),
        locked: locked.version.clone(),
        evidence: locked.evidence,
        state,
        licence: now.map(|listed| listed.licence),
        licence_when_locked: locked.licence,
        admitted,
        beyond,
    })
}

fn newer(found: &Listed) -> Option<Newer> {
    let degraded = if found.is_degraded() { Some(EvidenceState::Degraded) } else { None };
    let evidence = found.evidence.parse().ok().or(degraded)?;
    Some(Newer { version: found.version.clone(), evidence })
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let version = |newer: &Option<Newer>| newer.as_ref().map_or_else(|| "-".to_owned(), |n| n.version.to_string());
        vec![
            self.patch.to_string(),
            self.locked.to_string(),
            version(&self.admitted),
            version(&self.beyond),
            self.state.state.to_string(),
            self.notes().join("; "),
        ]
    }

    /// What is worth a word, for people.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.state.state != State::Published {
            notes.extend(self.state.reason.clone());
            notes.extend(self.state.replacement.as_ref().map(|v| format!("the operator names {v} instead")));
        }
        if let Some(licence) = self.licence.filter(|licence| *licence != self.licence_when_locked) {
            notes.push(format!("licence {licence}, was {}", self.licence_when_locked));
        }
        for newer in [&self.admitted, &self.beyond].into_iter().flatten().filter(|n| n.evidence != self.evidence) {
            notes.push(format!(
                "evidence of {} is {}, of the locked one {}",
                newer.version, newer.evidence, self.evidence
            ));
        }
        notes
    }
}
