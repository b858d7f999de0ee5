//! The only place where a refusal meets an HTTP status: RFC 9457 problem documents.
//!
//! A handler's refusal travels as a value in the response until the frame, which knows the request's id, writes it
//! out. What is for the log alone never enters the document.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use retoque_core::api::Problem;
use retoque_core::problem::{Code, Finding, Findings, INTERNAL, Kind, TOKEN_MISSING, TOKEN_SCOPE};

use crate::service;

/// The media type of every refusal.
pub(super) const MEDIA_TYPE: &str = "application/problem+json";

/// How long a caller is asked to wait before it tries again, in seconds.
const RETRY_AFTER_SECONDS: &str = "5";

/// A refusal on its way out.
#[derive(Debug)]
pub(super) struct Refusal {
    error: service::Error,
    /// The size of the thing, where a range lies outside of it.
    size: Option<u64>,
}

impl<E: Into<service::Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self { error: error.into(), size: None }
    }
}

impl Refusal {
    /// The refusal of a range outside of a thing of `size` bytes.
    pub(super) fn out_of_range(error: impl Into<service::Error>, size: u64) -> Self {
        Self { error: error.into(), size: Some(size) }
    }
}

/// The refusal as the frame finds it in a response.
#[derive(Debug, Clone)]
pub(super) struct Refused(pub(super) Arc<service::Error>);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let code = leading_code(&self.error.findings());
        let mut response = status(code.kind()).into_response();
        if let Some(range) = self.size.and_then(|size| HeaderValue::from_str(&format!("bytes */{size}")).ok()) {
            response.headers_mut().insert(CONTENT_RANGE, range);
        }
        response.extensions_mut().insert(Refused(Arc::new(self.error)));
        response
    }
}

/// The status of each kind of refusal. Exhaustive: a new kind must say its status here.
pub(super) const fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::Usage => StatusCode::BAD_REQUEST,
        Kind::Unauthenticated => StatusCode::UNAUTHORIZED,
        Kind::NotAllowed => StatusCode::FORBIDDEN,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Method => StatusCode::METHOD_NOT_ALLOWED,
        Kind::Timeout => StatusCode::REQUEST_TIMEOUT,
        Kind::Conflict | Kind::State => StatusCode::CONFLICT,
        Kind::Gone => StatusCode::GONE,
        Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Kind::Range => StatusCode::RANGE_NOT_SATISFIABLE,
        Kind::Invalid | Kind::Verification | Kind::Stale => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::Busy => StatusCode::TOO_MANY_REQUESTS,
        Kind::Network => StatusCode::BAD_GATEWAY,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        // A warning refuses nothing; one that arrives here is a fault of the service.
        Kind::Internal | Kind::Warning => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn leading_code(findings: &Findings) -> Code {
    findings.first_error().map_or(INTERNAL, |finding| finding.code)
}

/// Writes the refusal out for the request `id`, keeping the headers that the route set (`Allow`, `Content-Range`).
pub(super) fn render(error: &service::Error, id: &str, headers: HeaderMap) -> Response {
    let findings = error.findings();
    let code = leading_code(&findings);
    let status = status(code.kind());
    let problem = document(&findings, code, status, id);
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
    }
    if let Some(challenge) = challenge(code) {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if status != StatusCode::METHOD_NOT_ALLOWED {
        headers.remove(ALLOW);
    }
    response
}

/// RFC 6750: no error word when no credential was shown.
fn challenge(code: Code) -> Option<&'static str> {
    if code == TOKEN_MISSING {
        Some(r#"Bearer realm="retoque""#)
    } else if code == TOKEN_SCOPE {
        Some(r#"Bearer realm="retoque", error="insufficient_scope""#)
    } else if code.kind() == Kind::Unauthenticated {
        Some(r#"Bearer realm="retoque", error="invalid_token""#)
    } else {
        None
    }
}

fn document(findings: &Findings, code: Code, status: StatusCode, id: &str) -> Problem {
    let first = findings.first_error();
    Problem {
        kind: "about:blank".to_owned(),
        title: code.meaning().to_owned(),
        status: status.as_u16(),
        code: code.name().to_owned(),
        detail: first.map(Finding::to_string).unwrap_or_default(),
        next: first.map(|f| f.next.clone()).unwrap_or_default(),
        request_id: id.to_owned(),
        findings: findings.list().iter().map(Into::into).collect(),
        total: (findings.errors() > Findings::KEPT as u64).then(|| findings.errors()),
    }
}
