//! `key root publish`: the signed root goes to the registry, after the checks that every client will make.

use std::path::PathBuf;

use reqwest::Method;
use retoque_core::sign::root::{Proposal, Root};
use serde_json::Value;

use super::proposal;
use super::show::Shown;
use crate::client::{Connection, Document};
use crate::context::Context;
use crate::error::Failure;
use crate::runtime::block_on;
use crate::trust_store::Trust;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The root file
    file: PathBuf,
    /// Confirm that so many signed documents of the log become worthless
    #[arg(long, value_name = "N", default_value_t = 0)]
    orphans: u64,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let proposal = proposal(&args.file)?;
    let connection = Connection::open(ctx)?;
    let previous = block_on(async {
        let store = connection.trust_store();
        let mut trust = store.load()?;
        connection.client.update_roots(&store, &mut trust).await?;
        let previous = trust.root().clone();
        send(&connection, &mut trust, &proposal, args.orphans).await?;
        Ok(previous)
    })?;
    Shown::of(&proposal, Some(&previous), ctx.start).at(&args.file).published().report(ctx)
}

/// Sends a root that the newest known one leads to, and keeps it.
pub(in super::super) async fn send(
    connection: &Connection,
    trust: &mut Trust,
    proposal: &Proposal,
    orphans: u64,
) -> Result<Root, Failure> {
    let next = trust.root().update_exact(proposal.root().envelope())?;
    let mut url = connection.client.api(&["root"]);
    if orphans > 0 {
        url.query_pairs_mut().append_pair("orphans", &orphans.to_string());
    }
    let body = Document { media_type: "application/json", bytes: next.to_bytes().into() };
    let _: Value = connection.client.call(Method::POST, url, Some(body)).await?;
    connection.trust_store().advance(trust, &next.to_bytes())?;
    Ok(next)
}
