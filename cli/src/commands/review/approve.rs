//! `review approve REF`: the approval of one exact manifest, signed by the reviewer.

use retoque_core::lifecycle::Action;
use retoque_core::problem::CHECKLIST_INCOMPLETE;
use retoque_core::review::{Checklist, ChecklistItem};

use super::super::key::KeyFile;
use crate::context::Context;
use crate::decide::{self, Situation};
use crate::error::Failure;
use crate::reference::ExactReference;

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
    let checklist = checklist(args, &situation, ctx)?;
    let view = situation.decide(Action::Approve, &args.key, ctx, |decision| {
        decision.checklist = Some(checklist);
        decision.notes.clone_from(&args.notes);
    })?;
    decide::report(&view, ctx)
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
