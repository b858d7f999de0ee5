//! `status REF`: where a version stands and what one may do to it now.

use crate::client::Connection;
use crate::context::Context;
use crate::decide;
use crate::error::Failure;
use crate::reference::ExactReference;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The version: `org/slug@1.2.0` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: ExactReference,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let view = block_on(client.version(args.reference.patch(), &args.reference.version()))?;
    decide::report(&view, ctx)
}
