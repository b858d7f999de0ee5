//! `decisions REF`: everything that was ever decided about a version, oldest first.
//!
//! The records are checked here: each follows from the one before, and each names the signed document that is shown
//! with it. That the registry shows all of them is not proven by this.

use retoque_core::api::DecisionView;
use retoque_core::decision::{History, Record};
use retoque_core::digest::Digest;
use retoque_core::problem::DIGEST_MISMATCH;
use retoque_core::sign::Envelope;

use crate::client::Connection;
use crate::context::Context;
use crate::error::Failure;
use crate::reference::Reference;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The version
    #[arg(value_name = "REF")]
    reference: Reference,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let patch = &args.reference.patch;
    let decisions: Vec<DecisionView> = block_on(async {
        let version = client.locate(&args.reference).await?;
        client.get(client.version_url(patch, &version, &["decisions"])).await
    })?;
    check(&decisions)?;
    let row =
        |d: &DecisionView| vec![d.n.to_string(), d.time.to_string(), d.kind.name().to_owned(), d.actor.to_string()];
    let rows: Vec<_> = decisions.iter().map(row).collect();
    ctx.report(&decisions, |page| {
        page.table(&["n", "time", "decision", "by"], &rows, "no decisions");
        page.line("Each record follows from the one before and names its signed document.");
    })
}

fn check(decisions: &[DecisionView]) -> Result<(), Failure> {
    let mut records = Vec::new();
    for decision in decisions {
        let Record::Version(record) = Record::parse(decision.record.as_bytes())? else { continue };
        if let Some(envelope) = &decision.envelope {
            let found = Digest::of(&Envelope::parse(envelope.as_bytes())?.to_bytes());
            if found != record.envelope {
                let message = format!("decision {}: the document {found} is shown for {}", decision.n, record.envelope);
                return Err(Failure::new(DIGEST_MISMATCH, message, "report it to the operator of the registry"));
            }
        }
        records.push(record);
    }
    if !records.is_empty() {
        History::of(&records)?;
    }
    Ok(())
}
