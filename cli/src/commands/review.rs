//! `review list | show | approve | return | revoke`: the second person's work.
//!
//! `approve` does not take the registry's word for what is approved: as for every act, the digest is computed here and
//! the build signature is verified under the pinned root before anything is signed ([`crate::decide`]).

mod approve;
mod read;

pub(super) use read::counts;

use retoque_core::lifecycle::Action;

use super::reasoned::{self, Reasoned};
use crate::context::Context;
use crate::error::Failure;
use crate::reference::ExactReference;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the versions that wait for review
    List,
    /// Show a version with everything recomputed by the registry, and the checklist
    Show {
        /// The version: `org/slug@1.2.0` or `org/slug@sha256:…`
        #[arg(value_name = "REF")]
        reference: ExactReference,
    },
    /// Approve exactly this manifest digest; needs every item of the checklist
    Approve(approve::Args),
    /// Send a version back, with a reason
    #[command(after_help = reasoned::help(Action::Return))]
    Return(Reasoned),
    /// Take an approval back, with a reason
    #[command(after_help = reasoned::help(Action::Revoke))]
    Revoke(Reasoned),
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    match args.what {
        What::List => read::list(ctx),
        What::Show { reference } => read::show(&reference, ctx),
        What::Approve(args) => approve::run(&args, ctx),
        What::Return(act) => act.run(Action::Return, ctx),
        What::Revoke(act) => act.run(Action::Revoke, ctx),
    }
}
