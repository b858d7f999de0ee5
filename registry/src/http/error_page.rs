//! `docs/format/errors.md` as the code says it: every code of the catalogue, by kind, with HTTP and exit status.
//!
//! It lives here because this is where kinds meet HTTP statuses. Compiled for tests alone.

use std::fmt::Write as _;

use retoque_core::problem::{Kind, catalogue};

use super::problem::status;

const HEAD: &str = "\
<!-- Generated from core/src/problem/codes and registry/src/http/problem.rs; a test compares. -->

# Codes of refusals

Every refusal carries one of these codes: in the `code` of a problem document ([http](http.md)), and in each finding of the
command line with `--json`. The list is closed. A code is never renamed or used again for something else.

The kind of the code decides the HTTP status of an answer and the exit status of a command. When an input has several findings,
the first error decides. Warnings refuse nothing; they are shown beside a success.
";

/// The kinds in the order of their HTTP status, with what each means.
const KINDS: &[(Kind, &str)] = &[
    (Kind::Usage, "The request or the command line is not well-formed"),
    (Kind::Unauthenticated, "No valid credential"),
    (Kind::NotAllowed, "A valid credential without the right"),
    (Kind::NotFound, "Not there, or not for the caller to know"),
    (Kind::Method, "The route exists, but not for this method"),
    (Kind::Timeout, "The request came too slowly"),
    (Kind::Conflict, "Contradicts what is already stored"),
    (Kind::State, "The state of the version forbids it"),
    (Kind::Gone, "Bytes that are no longer served"),
    (Kind::TooLarge, "Larger than a limit"),
    (Kind::MediaType, "The body is of a kind that the route does not read"),
    (Kind::Range, "A byte range outside of the thing"),
    (Kind::Invalid, "Well-formed, but a rule refuses what it holds"),
    (Kind::Verification, "A signature, digest or file does not verify"),
    (Kind::Stale, "Older than what is known, or expired"),
    (Kind::Busy, "Too many requests; `Retry-After` says when to try again"),
    (Kind::Internal, "A fault of this installation"),
    (Kind::Network, "The network or the other end failed; made by clients alone"),
    (Kind::Unavailable, "Not available now; `Retry-After` says when to try again"),
    (Kind::Warning, "Reported, but refuses nothing"),
];

fn page() -> String {
    let mut text = HEAD.to_owned();
    for (kind, meaning) in KINDS {
        let statuses = match kind {
            Kind::Warning => "exit status 0".to_owned(),
            kind => format!("HTTP {}, exit status {}", status(*kind).as_u16(), kind.exit_status()),
        };
        let _ = writeln!(text, "\n## {kind:?}: {statuses}\n\n{meaning}.\n\n| code | meaning |\n|---|---|");
        for code in catalogue().filter(|code| code.kind() == *kind) {
            let _ = writeln!(text, "| `{code}` | {} |", code.meaning().trim_end_matches('.'));
        }
    }
    text
}

#[test]
fn the_committed_page_is_the_catalogue_in_force() {
    let text = page();
    for code in catalogue() {
        assert!(text.contains(&format!("| `{code}` | ")), "{code}: its kind {:?} has no heading", code.kind());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/format/errors.md");
    if std::fs::read_to_string(path).unwrap_or_default() != text {
        let new = std::env::temp_dir().join("errors.md");
        let written = std::fs::write(&new, &text);
        panic!("{path} is not what the code says; the new text is in {} ({written:?})", new.display());
    }
}
