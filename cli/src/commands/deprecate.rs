//! `deprecate REF`: serves a version with a warning from now on (operator).

use retoque_core::lifecycle::Action;

use super::reasoned::{self, Replacing};
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = reasoned::help(Action::Deprecate))]
pub struct Args {
    #[command(flatten)]
    act: Replacing,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    args.act.run(Action::Deprecate, ctx)
}
