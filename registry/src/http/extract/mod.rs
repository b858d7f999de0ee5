//! What a request holds, parsed once and strictly: path parts, query, bodies. Refusals are findings of the catalogue.

mod body;
mod path;
mod query;

pub(super) use body::{Document, Json, Lines};
pub(super) use path::{Name, PathParts, PathReader};
pub(super) use query::Query;

/// The beginning of a caller's text, for messages. A text that may hold a token is not shown.
fn excerpt(text: &str) -> String {
    if text.to_ascii_lowercase().contains("rtq_") {
        return "a text that may hold a token (not shown)".to_owned();
    }
    let mut short: String = text.chars().take(120).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
