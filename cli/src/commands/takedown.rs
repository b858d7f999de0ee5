//! `takedown REF`: erases the bytes of a version for legal reasons; the tombstone stays (operator).

use retoque_core::lifecycle::Action;

use super::reasoned::{self, Final};
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = reasoned::help(Action::TakeDown))]
pub struct Args {
    #[command(flatten)]
    act: Final,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    args.act.run(Action::TakeDown, ctx)
}
