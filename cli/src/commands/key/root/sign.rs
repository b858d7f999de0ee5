//! `key root sign`: one more signature on a root file. Refuses keys that have no say in it.

use std::path::PathBuf;

use super::show::Shown;
use super::{proposal, trusted};
use crate::config::keys::read_key;
use crate::context::Context;
use crate::error::Failure;
use crate::files;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The root file
    file: PathBuf,
    /// Private root key file; repeat it for more signatures
    #[arg(long = "key", value_name = "PEM", required = true)]
    keys: Vec<PathBuf>,
    /// The root file before it; needed from version 2 on
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let previous = args.previous.as_ref().map(|path| trusted(path)).transpose()?;
    let mut proposal = proposal(&args.file)?;
    for path in &args.keys {
        let key = read_key(path, ctx.environment.passphrase.as_ref())?;
        proposal.sign(&key, previous.as_ref()).map_err(|finding| Failure::from(finding).during(files::shown(path)))?;
    }
    files::write(&args.file, &proposal.to_bytes(), 0o644)?;
    Shown::of(&proposal, previous.as_ref(), ctx.start).at(&args.file).report(ctx)
}
