//! `withdraw REF`: stops serving a version; evidence, manifest and decisions stay (operator).

use retoque_core::lifecycle::Action;

use super::reasoned::{self, Final};
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = reasoned::help(Action::Withdraw))]
pub struct Args {
    #[command(flatten)]
    act: Final,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    args.act.run(Action::Withdraw, ctx)
}
