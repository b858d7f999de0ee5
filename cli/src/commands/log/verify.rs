//! `log verify`. What was proven is kept, so that an interrupted run goes on where it was.

use serde::Serialize;

use super::Verify;
use crate::client::{Connection, Sources};
use crate::context::Context;
use crate::error::Failure;
use crate::head::{Asking, Authority, Protections, tiles};
use crate::log::{Counts, Verification};
use crate::runtime::block_on;

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    counts: Counts,
    protections: Protections,
}

pub(super) fn run(args: &Verify, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let sources = Sources::only(connection.client.clone());
    let current = block_on(Asking::new(&connection, &sources, ctx.start, args.allow_stale).ask())?;
    for text in &current.stale {
        ctx.warn(text);
    }
    let tiles = tiles(&connection, sources);
    let authority = Authority::new(&current.trust, connection.origin()?);
    let verification = Verification { tiles: &tiles, authority, head: &current.head, only: None };
    let bar = ctx.count("verifying", current.head.checkpoint.size());
    let counts = block_on(verification.run(&bar));
    bar.done();
    let shown = Shown { counts: counts?, protections: current.protections(ctx.start) };
    ctx.report(&shown, |page| {
        let Counts { entries, private_entries, versions, published, documents, signatures, .. } = shown.counts;
        let Counts { keys, keys_not_shown, roots, .. } = shown.counts;
        page.heading(format!("the log verifies: {entries} entries give the signed root"));
        page.line(format!("{versions} versions, {published} ever published, their entries follow from one another"));
        page.line(format!(
            "{documents} signed documents are those of their entries, {signatures} by keys that could sign"
        ));
        if keys_not_shown > 0 {
            page.line(format!("{keys_not_shown} by members whose key registration no release shows"));
        }
        page.line(format!("{keys} key registrations, {roots} root changes as the trusted roots say"));
        page.line(format!("{private_entries} entries of private patches are in the tree; what they say is not shown"));
        page.line("the signed status is the one that the entries give");
        shown.protections.lines().into_iter().for_each(|line| page.line(line));
    })
}
