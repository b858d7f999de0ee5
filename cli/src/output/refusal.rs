//! A failure as text: the message, then each finding with place, found and expected, then the hint.

use retoque_core::api::{FindingView, PlaceView};

use super::clean;
use crate::error::Failure;

/// The text, with the (perhaps coloured) words for `error` and `hint`.
pub(super) fn text(failure: &Failure, error: &str, hint: &str) -> String {
    let code = format!(" [{}]", failure.code());
    // A registry says its one finding in the message too; once is enough.
    let message = failure.message().trim_end_matches(code.as_str());
    let said =
        |f: &FindingView| failure.list().len() == 1 && message.contains(&f.found) && message.contains(&f.expected);
    let mut lines = vec![format!("{error}: {}{}", clean(message), clean(&code))];
    for finding in failure.list().iter().filter(|f| !said(f)) {
        lines.push(format!("  - {}", clean(&found(finding))));
        if !finding.expected.is_empty() {
            lines.push(format!("    expected {}", clean(&finding.expected)));
        }
        if !finding.next.is_empty() && finding.next != failure.next() {
            lines.push(format!("    next: {}", clean(&finding.next)));
        }
    }
    lines.extend(failure.total().map(|total| format!("  {total} findings in all; the first are listed")));
    if !failure.request_id().is_empty() {
        lines.push(format!("  request {}", clean(failure.request_id())));
    }
    if !failure.next().is_empty() {
        lines.push(format!("{hint}: {}", clean(failure.next())));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn found(finding: &FindingView) -> String {
    let label = if finding.severity == "warning" { "warning: " } else { "" };
    let place = place(&finding.place);
    let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
    format!("{label}{at}found {} [{}]", finding.found, finding.code)
}

/// A place in words, as `core::problem::Place` puts it.
fn place(place: &PlaceView) -> String {
    let mut parts = Vec::new();
    parts.extend(place.file.clone());
    parts.extend(place.line.map(|n| format!("line {n}")));
    parts.extend(place.field.clone());
    parts.extend(place.tensor.as_ref().map(|t| format!("tensor {t}")));
    parts.extend(place.piece.map(|n| format!("piece {n}")));
    parts.extend(place.byte.map(|n| format!("byte {n}")));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use retoque_core::problem::{Finding, Findings, NOT_FOUND, Place};

    #[test]
    fn what_the_message_says_is_not_said_again() {
        let finding = Finding::new(NOT_FOUND, Place::file("a"), "x1", "y1", "do z");
        let findings = Findings::from(finding.clone());
        let failure = Failure::findings(finding.to_string(), &findings);
        assert_eq!(text(&failure, "error", "hint"), "error: a: found x1; expected y1 [not_found]\nhint: do z\n");
    }

    #[test]
    fn message_findings_hint() {
        let mut findings = Findings::new();
        findings.push(Finding::new(NOT_FOUND, Place::file("a").at_line(3), "\u{1b}[31mx", "y", "do z"));
        findings.push(Finding::new(NOT_FOUND, Place::default(), "p", "q", "do r"));
        let failure = Failure::findings("data.jsonl is refused", &findings);
        assert_eq!(
            text(&failure, "error", "hint"),
            "error: data.jsonl is refused [not_found]\n  - a, line 3: found \\u{1b}[31mx [not_found]\n    expected y\n  \
             - found p [not_found]\n    expected q\n    next: do r\nhint: do z\n"
        );
    }
}
