//! JSON Web Tokens: dotted base64url whose first part decodes to a JSON object that names an algorithm.
//!
//! Three parts (the last may be empty), five parts (encrypted), or two when both are JSON objects.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{Hit, Rule, before};
use crate::json::{self, Limits, Value};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) fn scan(text: &str, hits: &mut Vec<Hit>) {
    let mut from = 0;
    // An object begins with `{`, so its base64 begins with `e`, and goes on with `w` or `y`.
    while let Some(found) = text.as_bytes()[from..].windows(2).position(|pair| matches!(pair, b"ey" | b"ew")) {
        let at = from + found;
        from = at + 2;
        if before(text, at).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
            continue;
        }
        let end = text[at..].bytes().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')));
        let token = &text[at..end.map_or(text.len(), |end| at + end)];
        if is_token(token) {
            hits.push(Hit::new(Rule::Jwt, token));
        }
        from = at + token.len().max(2);
    }
}

fn is_token(token: &str) -> bool {
    let mut parts = token.split('.');
    let (Some(header), Some(second)) = (parts.next(), parts.next()) else { return false };
    let Some(Value::Object(header)) = decode(header) else { return false };
    if !header.iter().any(|(name, _)| matches!(name.as_str(), "alg" | "enc" | "typ")) {
        return false;
    }
    match parts.next() {
        Some(_) => !second.is_empty() || header.iter().any(|(name, _)| name == "enc"),
        None => matches!(decode(second), Some(Value::Object(_))),
    }
}

fn decode(part: &str) -> Option<Value> {
    json::parse(&LENIENT.decode(part).ok()?, Limits::DOCUMENT).ok()
}
