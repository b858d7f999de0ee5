//! `log verify | watch`: the whole log recomputed, and the log followed as it grows.

mod verify;
mod watch;

use std::path::PathBuf;

use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Recompute the whole log: tree, entries, documents, signatures and status
    Verify(Verify),
    /// Follow the log: print new entries, and compare with what others see
    Watch(Watch),
}

#[derive(Debug, clap::Args)]
struct Verify {
    /// Go on with a head or root that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

#[derive(Debug, clap::Args)]
struct Watch {
    /// Look once and end
    #[arg(long)]
    once: bool,
    /// Seconds between two looks
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    interval: u32,
    /// A checkpoint that somebody else sees: a file, or the address of a mirror. May be given more than once
    #[arg(long, value_name = "FILE|URL")]
    compare: Vec<String>,
    /// Where the proof of a fork is written [default: the folder of this registry under `trust`]
    #[arg(long, value_name = "DIR")]
    proof: Option<PathBuf>,
    /// Go on with a head or root that is too old, with a warning
    #[arg(long)]
    allow_stale: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    match args.what {
        What::Verify(args) => verify::run(&args, ctx),
        What::Watch(args) => watch::run(&args, ctx),
    }
}
