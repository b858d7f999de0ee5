//! `review approve REF`: the approval of one exact manifest, signed by the reviewer.

use std::collections::BTreeMap;

use retoque_core::digest::Digest;
use retoque_core::lifecycle::Action;
use retoque_core::manifest::Manifest;
use retoque_core::problem::{CHECKLIST_INCOMPLETE, DIGEST_MISMATCH, NAME_MISMATCH};
use retoque_core::review::{Checklist, ChecklistItem};
use retoque_core::sign::provenance::Provenance;
use retoque_core::sign::statement::{MANIFEST, Statement};
use retoque_core::sign::{Envelope, Role, dsse};

use super::super::key::KeyFile;
use crate::client::MAX_MANIFEST;
use crate::context::Context;
use crate::decide::{self, Situation};
use crate::error::Failure;
use crate::reference::ExactReference;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The version: `org/slug@1.2.0` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: ExactReference,
    /// An item of the checklist that you have verified; repeat it for each, or use --all
    #[arg(long = "confirm", value_name = "ITEM", value_parser = item)]
    confirmed: Vec<ChecklistItem>,
    /// You have verified every item of the checklist
    #[arg(long)]
    all: bool,
    /// Anything that should be read with the approval
    #[arg(long)]
    notes: Option<String>,
    #[command(flatten)]
    key: KeyFile,
}

fn item(text: &str) -> Result<ChecklistItem, String> {
    let names = ChecklistItem::ALL.map(ChecklistItem::name);
    let found = ChecklistItem::ALL.into_iter().find(|item| item.name() == text);
    found.ok_or_else(|| format!("one of {}", names.join(", ")))
}

/// Runs the command.
pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let situation = Situation::of(&args.reference, ctx)?;
    verify_attestation(&situation, ctx)?;
    let checklist = checklist(args, &situation, ctx)?;
    let view = situation.decide(Action::Approve, &args.key, ctx, |decision| {
        decision.checklist = Some(checklist);
        decision.notes.clone_from(&args.notes);
    })?;
    decide::report(&view, ctx)
}

/// The digest that gets the approval is computed here, and is the one that the platform's build key signed.
fn verify_attestation(situation: &Situation, ctx: &Context) -> Result<(), Failure> {
    let (connection, version) = (&situation.connection, &situation.version);
    let client = &connection.client;
    let at = version.summary.digest.to_string();
    let store = connection.trust_store();
    let (trust, manifest, attestation) = block_on(async {
        let mut trust = store.load()?;
        client.update_roots(&store, &mut trust).await?;
        let manifest = client.bytes(client.version_url(&version.patch, &at, &["manifest"]), MAX_MANIFEST).await?;
        let attestation = client.version_url(&version.patch, &at, &["attestation"]);
        Ok((trust, manifest, client.bytes(attestation, dsse::MAX_BYTES).await?))
    })?;
    trust.root.check_expiry(ctx.start)?;
    let digest = Digest::of(&manifest);
    if digest != version.summary.digest {
        let message = format!("the registry served the manifest {digest} as {}", version.summary.digest);
        return Err(Failure::new(DIGEST_MISMATCH, message, "do not approve it; report it to the operator"));
    }
    let envelope = Envelope::parse(&attestation)?;
    let statement = Statement::<Provenance>::verify(&envelope, &trust.root.keys(Role::PlatformBuild))?;
    if statement.subject(MANIFEST) != Some(digest) {
        statement.check_subjects(&BTreeMap::from([(MANIFEST, digest)]))?;
    }
    let manifest = Manifest::from_bytes(&manifest).map_err(|f| Failure::findings("the manifest is refused", &f))?;
    if (&manifest.patch, &manifest.version) != (&version.patch, &version.summary.version) {
        let message = format!("the manifest is of {}@{}", manifest.patch, manifest.version);
        return Err(Failure::new(NAME_MISMATCH, message, "do not approve it; report it to the operator"));
    }
    Ok(())
}

fn checklist(args: &Args, situation: &Situation, ctx: &mut Context) -> Result<Checklist, Failure> {
    if args.all {
        return Ok(Checklist::COMPLETE);
    }
    ctx.note(format!("approving {}", situation.name()));
    let open = |ctx: &mut Context, item: ChecklistItem| -> Result<bool, Failure> {
        if args.confirmed.contains(&item) {
            return Ok(false);
        }
        let answer = ctx.ask(&format!("Have you verified: {}? [y/N] ", item.text()))?;
        Ok(!matches!(answer.as_deref(), Some("y" | "Y" | "yes")))
    };
    let mut missing = Vec::new();
    for item in ChecklistItem::ALL {
        if open(ctx, item)? {
            missing.push(item.name());
        }
    }
    if missing.is_empty() {
        return Ok(Checklist::COMPLETE);
    }
    Err(Failure::new(
        CHECKLIST_INCOMPLETE,
        format!("approval needs every item of the checklist; not confirmed: {}", missing.join(", ")),
        "verify them with `retoque review show REF`, then confirm each with --confirm ITEM, or all with --all",
    ))
}
