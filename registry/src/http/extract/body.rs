//! Bodies that fit into memory: strict JSON requests, signed or canonical documents as raw bytes, JSON Lines.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use retoque_core::json::{self, JsonError, JsonErrorKind, Limits};
use retoque_core::problem::{FIELD_INVALID, FIELD_MISSING, FIELD_UNKNOWN, Finding, JSON_INVALID, MEDIA_TYPE, Place};
use serde::de::DeserializeOwned;

use super::excerpt;
use crate::http::Shared;
use crate::http::limits::{JSON_BYTES, read_body};
use crate::http::problem::Refusal;

const JSON: &[&str] = &["application/json"];
const LINES: &[&str] = &["application/jsonl", "application/x-ndjson", "application/jsonlines"];

/// A JSON request, read strictly (no duplicate keys, no unknown fields) as `T`.
pub(in crate::http) struct Json<T>(pub(in crate::http) T);

/// A JSON document of at most `MOST` bytes, as the bytes that it came in: what was signed is what is kept.
pub(in crate::http) struct Document<const MOST: usize>(pub(in crate::http) Bytes);

/// A JSON Lines file of at most `MOST` bytes.
pub(in crate::http) struct Lines<const MOST: usize>(pub(in crate::http) Bytes);

impl<T: DeserializeOwned> FromRequest<Shared> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, _: &Shared) -> Result<Self, Refusal> {
        let bytes = read(request, JSON, JSON_BYTES).await?;
        let limits = Limits { bytes: JSON_BYTES, depth: 32 };
        Ok(Self(json::decode(&bytes, limits).map_err(|e| refused(&e))?))
    }
}

impl<const MOST: usize> FromRequest<Shared> for Document<MOST> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, _: &Shared) -> Result<Self, Refusal> {
        read(request, JSON, MOST).await.map(Self)
    }
}

impl<const MOST: usize> FromRequest<Shared> for Lines<MOST> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, _: &Shared) -> Result<Self, Refusal> {
        read(request, LINES, MOST).await.map(Self)
    }
}

async fn read(request: Request<Body>, media_types: &[&str], most: usize) -> Result<Bytes, Refusal> {
    let (parts, body) = request.into_parts();
    check_type(&parts.headers, media_types)?;
    Ok(read_body(&parts.headers, body, most).await?)
}

/// The type must be said: a form that a browser sends across origins is never a request of ours.
fn check_type(headers: &HeaderMap, media_types: &[&str]) -> Result<(), Finding> {
    let found = headers.get(CONTENT_TYPE).map_or("", |v| v.to_str().unwrap_or("?"));
    let essence = found.split(';').next().unwrap_or_default().trim();
    let encoded = headers.get(CONTENT_ENCODING).is_some_and(|v| v != "identity");
    if !encoded && media_types.iter().any(|known| essence.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let found = if encoded { "an encoded body".to_owned() } else { format!("{:?}", excerpt(found)) };
    let next = "set the content-type header and send the body as it is";
    Err(Finding::new(MEDIA_TYPE, Place::field("content-type"), found, media_types.join(" or "), next))
}

/// Grammar is the client's fault (400); a field that is wrong is named (422).
fn refused(error: &JsonError) -> Finding {
    let place = Place::default().at_byte(error.at as u64);
    let JsonErrorKind::Shape(message) = &error.kind else {
        return Finding::new(JSON_INVALID, place, excerpt(&error.kind.to_string()), "strict JSON", "correct the body");
    };
    let code = if message.starts_with("unknown field") {
        FIELD_UNKNOWN
    } else if message.starts_with("missing field") {
        FIELD_MISSING
    } else {
        FIELD_INVALID
    };
    // The parser names the field between back quotes, where it knows it.
    let field = message.split('`').nth(1).filter(|_| code != FIELD_INVALID).map(excerpt);
    let place = match field {
        Some(field) => place.at_field(field),
        None => place,
    };
    Finding::new(code, place, excerpt(message), "the fields of this request", "correct the body")
}
