//! `base record | add | list`: the base revisions that adapters repair.

pub mod catalogue;
pub mod record;

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
    /// Read a base's files and write the record of it
    Record(record::Record),
    /// Add a base to those that the registry supports (operator)
    Add(catalogue::Add),
    /// List the supported bases
    List(catalogue::List),
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    match args.what {
        What::Record(args) => record::record(&args, ctx),
        What::Add(args) => catalogue::add(&args, ctx),
        What::List(args) => catalogue::list(&args, ctx),
    }
}
