//! `push PACKAGE --record DIR`: hands a package and its private evaluation record to the registry (role `build`).
//!
//! Everything that the registry refuses is refused here first, by the same code and before a byte is sent; the
//! registry checks again. Pushing the same version again succeeds; other bytes under a used version are a conflict.
//! Clause: specification, sections 3, 5 and 6.

mod check;
mod send;

use std::path::PathBuf;

use retoque_core::adapter::Policy;
use retoque_core::api::VersionView;
use retoque_core::digest::Digest;
use retoque_core::problem::{INPUT_UNREADABLE, NOT_FOUND, VERSION_EXISTS};
use serde::Serialize;

use crate::client::Connection;
use crate::context::Context;
use crate::decide;
use crate::error::Failure;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The package (`.tar.zst`), as `retoque pack` wrote it
    package: PathBuf,
    /// The folder with the five files of the evaluation record
    #[arg(long, value_name = "DIR")]
    record: PathBuf,
    /// Digest of the personal-data acknowledgement, as `retoque dataset check` gave it
    #[arg(long, value_name = "DIGEST")]
    acknowledge: Option<Digest>,
    /// Which adapters pass the check here; the registry has its own policy
    #[arg(long, value_name = "POLICY", default_value = "any-plain-lora")]
    policy: Policy,
}

#[derive(Serialize)]
struct Pushed<'a> {
    #[serde(flatten)]
    version: &'a VersionView,
    already_there: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let manifest = check::manifest(&args.package)?;
    let (patch, version) = (&manifest.patch, manifest.version.to_string());
    let (base, there) = block_on(async {
        let there = match client.version(patch, &version).await {
            Ok(view) => Some(view),
            Err(failure) if failure.is(NOT_FOUND) => None,
            Err(failure) => return Err(failure),
        };
        let pin = &manifest.base;
        let (owner, name) = pin.repo.as_str().split_once('/').unwrap_or_default();
        let url = client.api(&["bases", owner, name, pin.commit.as_str()]);
        let base = client.bytes(url, crate::client::MAX_JSON).await;
        let hint = "choose a base of `retoque base list`, or ask the operator to add it with `retoque base add`";
        Ok((
            base.map_err(|f| if f.is(NOT_FOUND) { f.during("the base of the package").with_next(hint) } else { f })?,
            there,
        ))
    })?;
    let request = check::Request {
        package: &args.package,
        record: &args.record,
        base: &base,
        policy: args.policy,
        acknowledged: args.acknowledge,
    };
    let bar = ctx.progress("checking", std::fs::metadata(&args.package).map_or(0, |m| m.len()));
    let checked = check::run(&request, &bar);
    bar.done();
    let checked = checked?;
    if checked.manifest != manifest {
        let next = "let nothing write to it meanwhile, and push again";
        return Err(Failure::new(INPUT_UNREADABLE, "the package changed while it was read", next));
    }
    ctx.warn_findings(&checked.warnings);
    if let Some(view) = there {
        if view.summary.digest != checked.manifest_digest {
            return Err(Failure::new(
                VERSION_EXISTS,
                format!(
                    "{patch}@{version} is {} already; this package is {}",
                    view.summary.digest, checked.manifest_digest
                ),
                "push other bytes under a new version; a version name is never used twice",
            ));
        }
        ctx.note("this version is there already, with the same manifest");
        return report(&view, true, ctx);
    }
    let bar = ctx.progress("uploading", checked.files.iter().map(|file| file.size).sum());
    let view = block_on(send::run(&client, &checked, args.acknowledge, &bar));
    bar.done();
    report(&view?, false, ctx)
}

fn report(view: &VersionView, already_there: bool, ctx: &mut Context) -> Result<(), Failure> {
    ctx.report(&Pushed { version: view, already_there }, |page| decide::text(page, view))
}
