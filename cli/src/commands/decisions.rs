//! `decisions REF`: everything that was ever decided about a version, oldest first.
//!
//! The records are checked here: each follows from the one before, and each names the signed document that is shown
//! with it. That they stand in the log is proven with `--receipts`; that the registry shows all of them by `log verify`.

use retoque_core::api::DecisionView;
use retoque_core::decision::{History, Record};
use retoque_core::digest::Digest;
use retoque_core::lifecycle::Reason;
use retoque_core::problem::DIGEST_MISMATCH;
use retoque_core::sign::Envelope;
use serde::Serialize;

use crate::client::Connection;
use crate::context::Context;
use crate::decide;
use crate::error::Failure;
use crate::files;
use crate::receipt::Receipts;
use crate::reference::Reference;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The version
    #[arg(value_name = "REF")]
    reference: Reference,
    /// Also fetch the proofs that they stand in the log, and keep them under the folder of the configuration
    #[arg(long)]
    receipts: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let client = &connection.client;
    let patch = &args.reference.patch;
    let decisions: Vec<DecisionView> = block_on(async {
        let version = client.locate(&args.reference).await?;
        client.get(client.version_url(patch, &version, &["decisions"])).await
    })?;
    check(&decisions)?;
    if args.receipts {
        let now = ctx.start;
        let (kept, folder) = block_on(async {
            let version = client.version(patch, &client.locate(&args.reference).await?).await?;
            let (version, manifest) = (&version.summary.version, version.summary.digest);
            let receipts = Receipts { connection: &connection, patch, version, manifest, now };
            Ok((receipts.all().await?, receipts.folder()?))
        })?;
        ctx.note(format!("{kept} proofs, each verified and kept in {}", files::shown(&folder)));
    }
    let shown: Vec<_> = decisions.iter().map(Shown::of).collect();
    let row = |shown: &Shown<'_>| {
        let d = shown.view;
        let why = shown.reason.as_ref().map_or_else(String::new, |r| format!("{}: {}", r.code, r.text));
        vec![d.n.to_string(), d.time.to_string(), d.kind.name().to_owned(), d.actor.to_string(), why]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    ctx.report(&shown, |page| {
        page.table(&["n", "time", "decision", "by", "reason"], &rows, "no decisions");
        page.line("Each record follows from the one before and names its signed document.");
    })
}

/// A decision, and the reason that its signed document gives.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    view: &'a DecisionView,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
}

impl<'a> Shown<'a> {
    fn of(view: &'a DecisionView) -> Self {
        Self { view, reason: view.envelope.as_deref().and_then(decide::statement).and_then(|d| d.reason) }
    }
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
