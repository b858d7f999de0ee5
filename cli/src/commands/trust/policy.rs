//! `trust policy`: a tlog-policy file of this machine, which wins over the witnesses that the root names.

use std::path::PathBuf;

use retoque_core::log::policy;

use super::show::report;
use crate::client::Connection;
use crate::config::RegistryUrl;
use crate::context::Context;
use crate::error::Failure;
use crate::files;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address of the registry
    url: String,
    /// Policy file of logs, witnesses and a quorum (tlog-policy)
    #[arg(required_unless_present = "remove")]
    file: Option<PathBuf>,
    /// Go by the witnesses of the root again
    #[arg(long, conflicts_with = "file")]
    remove: bool,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let url: RegistryUrl = args.url.parse()?;
    let connection = Connection::with(ctx, url)?;
    let store = connection.trust_store();
    // A policy says nothing without a root.
    store.load()?;
    match &args.file {
        Some(file) => {
            let bytes = files::read(file, policy::MAX_BYTES as u64)?;
            store.set_policy(&bytes).map_err(|failure| failure.during(files::shown(file)))?;
        }
        None => store.remove_policy()?,
    }
    report(ctx, &connection, &store.load()?, 0)
}
