//! `status REF`: where a version stands and what one may do to it now.

use retoque_core::api::{DecisionView, VersionView};
use retoque_core::lifecycle::{Reason, State};
use serde::Serialize;

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
    let (patch, version) = (args.reference.patch(), args.reference.version());
    let (view, decisions): (VersionView, Vec<DecisionView>) = block_on(async {
        let view = client.version(patch, &version).await?;
        Ok((view, client.get(client.version_url(patch, &version, &["decisions"])).await?))
    })?;
    // A version that went back to its org says why, until it is submitted again.
    let returned = (view.summary.state == State::Candidate)
        .then(|| decisions.iter().rev().find_map(|d| decide::statement(d.envelope.as_deref()?)?.reason))
        .flatten();
    let shown = Shown { view: &view, returned: returned.as_ref() };
    ctx.report(&shown, |page| {
        decide::text(page, &view);
        if let Some(reason) = &returned {
            page.field("returned", format!("{}: {}", reason.code, reason.text));
        }
    })
}

/// A version, and why it went back.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    view: &'a VersionView,
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<&'a Reason>,
}
