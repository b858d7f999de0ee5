//! `bundle create REF`: a version and everything that proves it in one file, for machines without network.
//!
//! Refuses what `pull` refuses. What is written is verified as a whole before it gets its name.
//! Clause: specification, section 8.

use std::path::PathBuf;

use retoque_core::digest::Digest;
use retoque_core::id::{PatchName, Version};
use serde::Serialize;

use crate::bundle::{Made, create};
use crate::client::{Connection, Sources};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Protections};
use crate::reference::Reference;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make the bundle of a version
    Create(Create),
}

#[derive(Debug, clap::Args)]
struct Create {
    /// `org/slug`, `org/slug@1.2.0`, `org/slug@^1.2` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: Reference,
    /// Where it goes [default: ./SLUG-VERSION.retoque-bundle.tar]; a folder SLUG-VERSION beside it is used when proven
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Take versions with DEGRADED evidence also when the reference leaves a choice
    #[arg(long)]
    allow_degraded: bool,
    /// Go on with a root, log head or status that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

#[derive(Serialize)]
struct Shown {
    path: String,
    bytes: u64,
    patch: PatchName,
    version: Version,
    manifest: Digest,
    protections: Protections,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let What::Create(args) = args.what;
    let connection = Connection::open(ctx)?;
    let sources = Sources::only(connection.client.clone());
    let asking = Asking::new(&connection, &sources, ctx.start, args.allow_stale);
    let made = create(&asking, (&args.reference, args.allow_degraded), args.out.as_deref(), ctx)?;
    let Made { path, verified, current, bytes } = made;
    let report = verified.report;
    let shown = Shown {
        path: files::shown(&path),
        bytes,
        patch: report.patch,
        version: report.version,
        manifest: report.manifest,
        protections: current.protections(ctx.start),
    };
    ctx.report(&shown, |page| {
        page.heading(format!("{}: {} {}, {} bytes", shown.path, shown.patch, shown.version, shown.bytes));
        page.line(format!("manifest {}", shown.manifest));
        shown.protections.lines().into_iter().for_each(|line| page.line(line));
        page.line("verify it anywhere with `retoque verify FILE`, unpack it with `retoque pull --from FILE`");
    })
}
