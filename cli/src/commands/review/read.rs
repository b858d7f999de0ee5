//! `review list` and `review show REF`.

use retoque_core::api::{ChecklistItem, ReviewItem, ReviewView};
use retoque_core::manifest::{EvidenceSection, SuiteCount};

use crate::client::Connection;
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
    ctx.report(&view, |page| {
        decide::text(page, &view.version);
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
