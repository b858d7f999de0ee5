//! `key root create`: a first root with its keys, on which the holders of the root keys then agree.

use retoque_core::problem::FIELD_MISSING;
use retoque_core::sign::root::{Proposal, RootBuilder};

use super::Making;
use super::change::Change;
use super::show::Shown;
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    change: Change,
    #[command(flatten)]
    making: Making,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    if args.change.is_empty() {
        let next = "give --add root=HEX for each root key, --threshold root=N, and --add for the keys of the platform";
        return Err(Failure::new(FIELD_MISSING, "a root needs keys", next));
    }
    let proposal = Proposal::of(args.change.apply(RootBuilder::first(args.making.expires(ctx)?), None))?;
    let path = args.making.write(&proposal)?;
    Shown::of(&proposal, None, ctx.start).at(&path).report(ctx)
}
