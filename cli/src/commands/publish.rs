//! `publish REF`: makes an approved version available and grants its licence (publisher or admin of the org).

use retoque_core::lifecycle::Action;

use super::key::KeyFile;
use crate::context::Context;
use crate::decide::{self, Situation};
use crate::error::Failure;
use crate::reference::ExactReference;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The version: `org/slug@1.2.0` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: ExactReference,
    #[command(flatten)]
    key: KeyFile,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let situation = Situation::of(&args.reference, ctx)?;
    if !args.yes {
        let question = format!("publish {} and grant its licence? Its files never change again.", situation.name());
        ctx.confirm(&question, "--yes")?;
    }
    let view = situation.decide(Action::Publish, &args.key, ctx, |_| ())?;
    decide::report(&view, ctx)
}
