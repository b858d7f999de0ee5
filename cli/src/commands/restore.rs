//! `restore REF`: takes a deprecation back (operator).

use retoque_core::lifecycle::Action;

use super::reasoned::{self, Reasoned};
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = reasoned::help(Action::Restore))]
pub struct Args {
    #[command(flatten)]
    act: Reasoned,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    args.act.run(Action::Restore, ctx)
}
