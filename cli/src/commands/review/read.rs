//! `review list` and `review show REF`.

use retoque_core::api::{ChecklistItem, ReviewItem, ReviewView};
use retoque_core::decision::{Declarations, Offer};
use retoque_core::manifest::{EvidenceSection, SuiteCount};
use serde::Serialize;

use crate::client::{Connection, MAX_MANIFEST};
use crate::context::Context;
use crate::decide;
use crate::error::Failure;
use crate::output::Page;
use crate::reference::ExactReference;
use crate::runtime::block_on;

/// Runs `review list`.
pub(super) fn list(ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let items: Vec<ReviewItem> = block_on(client.list(client.api(&["reviews"])))?;
    let row = |item: &ReviewItem| {
        vec![
            format!("{}@{}", item.patch, item.version),
            item.evidence.to_string(),
            item.pushed_by.to_string(),
            item.submitted_by.to_string(),
            item.submitted.to_string(),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    let headings = ["version", "evidence", "pushed by", "submitted by", "since"];
    ctx.report(&items, |page| page.table(&headings, &rows, "nothing waits for review"))
}

/// Runs `review show`.
pub(super) fn show(reference: &ExactReference, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let url = client.version_url(reference.patch(), &reference.version(), &["review"]);
    let view: ReviewView = block_on(client.get(url))?;
    let declarations = view.submission.as_deref().and_then(decide::statement).and_then(|d| d.declarations);
    let manifest = block_on(client.bytes(
        client.version_url(reference.patch(), &view.version.summary.digest.to_string(), &["manifest"]),
        MAX_MANIFEST,
    ))?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap_or_default();
    let dataset = manifest.get("dataset").cloned().unwrap_or_default();
    let shown = Shown { view: &view, declarations: declarations.as_ref(), dataset: &dataset };
    ctx.report(&shown, |page| {
        decide::text(page, &view.version);
        let said = |name: &str| dataset.get(name).and_then(|v| v.as_str()).unwrap_or("not said").to_owned();
        page.field("dataset", format!("source {}, licence {}", said("source"), said("licence")));
        if let Some(declared) = &declarations {
            let yes = |yes: bool| if yes { "yes" } else { "no" };
            page.field("declared rights in the dataset", yes(declared.dataset_rights));
            page.field("declared to comply with the base's licence", yes(declared.base_licence_compliance));
            page.field("validation cases may be public", yes(declared.publish_validation_cases));
            page.field("third-party attribution", &declared.third_party_attribution);
            page.field(
                "offered",
                match &declared.offer {
                    Offer::Free { licence } => format!("free of charge under {licence}"),
                    Offer::Paid { price_usd, payout_wallet } => format!("for {price_usd} USD, to {payout_wallet}"),
                },
            );
        }
        page.blank();
        page.line(if view.reproduces {
            "The registry recomputed the evidence from the private record: it equals the manifest."
        } else {
            "The registry recomputed the evidence from the private record: it DIFFERS from the manifest."
        });
        counts(page, &view.recomputed);
        page.blank();
        let rows: Vec<_> = view.checklist.iter().map(item).collect();
        page.table(&["", "item", "asks", "found"], &rows, "no checklist");
    })
}

/// What a reviewer sees, with what the submitter declared in readable form.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    view: &'a ReviewView,
    declarations: Option<&'a Declarations>,
    dataset: &'a serde_json::Value,
}

fn item(item: &ChecklistItem) -> Vec<String> {
    let mark = match item.holds {
        Some(true) => "yes",
        Some(false) if item.required => "NO",
        Some(false) => "no",
        None => "?",
    };
    vec![mark.to_owned(), item.item.clone(), item.text.clone(), item.found.clone()]
}

/// The counts of an evaluation.
pub(in crate::commands) fn counts(page: &mut Page, evidence: &EvidenceSection) {
    let row = |name: &str, count: &SuiteCount| {
        let numbers = [count.cases, count.base, count.control, count.patched, count.disabled];
        std::iter::once(name.to_owned()).chain(numbers.map(|n| n.to_string())).collect::<Vec<_>>()
    };
    let rows = [
        row("held-out", &evidence.held_out),
        row("validation", &evidence.validation),
        row("regression", &evidence.regression),
    ];
    page.table(&["suite", "cases", "base", "control", "patched", "disabled"], &rows, "");
    page.line(format!(
        "{}, {} repaired; allowance {} points; disabled {} the base; {}",
        match evidence.introduced {
            1 => "1 regression introduced".to_owned(),
            n => format!("{n} regressions introduced"),
        },
        evidence.repaired,
        evidence.allowance_points,
        if evidence.disabled_equals_base { "reproduces" } else { "does not reproduce" },
        evidence.state,
    ));
}
