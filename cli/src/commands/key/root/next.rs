//! `key root next`: the root after one that is in force, with any number of changes; with none it only lives longer.

use std::path::PathBuf;

use retoque_core::sign::root::{Proposal, RootBuilder};

use super::change::{Change, Leaving};
use super::show::Shown;
use super::{Making, trusted};
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The root file that is in force
    file: PathBuf,
    #[command(flatten)]
    change: Change,
    #[command(flatten)]
    leaving: Leaving,
    #[command(flatten)]
    making: Making,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let current = trusted(&args.file)?;
    let builder = RootBuilder::after(&current, args.making.expires(ctx)?);
    let builder = args.leaving.apply(builder, |role, key| current.roles_of(key).contains(&role))?;
    let builder = args.change.apply(builder, args.leaving.former());
    let proposal = Proposal::of(builder)?;
    proposal.check_succession(&current)?;
    if args.change.is_empty() && args.leaving.is_empty() {
        ctx.note("nothing changes but the version and the expiry");
    }
    let path = args.making.write(&proposal)?;
    Shown::of(&proposal, Some(&current), ctx.start).at(&path).report(ctx)
}
