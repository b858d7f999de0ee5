//! `POST /uploads`: bytes for a push, announced by length and digest before they come.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use retoque_core::digest::Digest;
use retoque_core::problem::{BODY_DIGEST, BODY_LENGTH, Finding, Findings, Place};

use crate::http::auth::Caller;
use crate::http::limits::{Limits, PartTime, flowing};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::uploads::{self, Announced};

/// RFC 9530: `sha-256=:<base64>:`.
const CONTENT_DIGEST: &str = "content-digest";

pub(super) fn slow(limits: &Limits) -> Router<Shared> {
    Router::new().route("/uploads", post(create)).layer(Extension(PartTime::of(limits.min_rate)))
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Extension(part): Extension<PartTime>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let announced = announced(&headers)?;
    let upload = uploads::upload(&service, &actor, announced, flowing(body, part)).await?;
    answer::created(&format!("/api/v1/uploads/{}", upload.upload), &upload)
}

/// What the headers announce; both are needed, and both faults are reported.
fn announced(headers: &HeaderMap) -> Result<Announced, Findings> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let mut findings = Findings::new();
    let size = text(CONTENT_LENGTH.as_str()).and_then(|text| text.parse().ok());
    if size.is_none() {
        let next = "send the length of the body";
        findings.push(Finding::new(BODY_LENGTH, Place::field("content-length"), "none", "a number of bytes", next));
    }
    let sha256 = text(CONTENT_DIGEST).and_then(sha256);
    if sha256.is_none() {
        let expected = "`sha-256=:<base64 of 32 bytes>:` (RFC 9530)";
        let next = "send the SHA-256 of the body";
        findings.push(Finding::new(BODY_DIGEST, Place::field(CONTENT_DIGEST), "none, or another form", expected, next));
    }
    match (size, sha256) {
        (Some(size), Some(sha256)) => Ok(Announced { size, sha256 }),
        _ => Err(findings),
    }
}

fn sha256(text: &str) -> Option<Digest> {
    let base64 = text.trim().strip_prefix("sha-256=:")?.strip_suffix(':')?;
    STANDARD.decode(base64).ok()?.try_into().ok().map(Digest::from_bytes)
}
