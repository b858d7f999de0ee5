//! What surrounds every request: its id, the limit of requests at once, a panic that becomes a refusal, the line in the
//! log, and the headers that every answer carries.
//!
//! The log names method, route, status and account. It holds no header, no query and nothing of the path that a caller
//! chose, so it can hold no token.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use retoque_core::problem::{Place, SERVICE_BUSY};
use tokio::sync::Semaphore;

use super::Shared;
use super::auth::Identified;
use super::problem::{self, Refusal, Refused};
use crate::service;

/// The response header that names the request in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The state of the frame.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) service: Shared,
    pub(super) permits: Arc<Semaphore>,
}

/// Runs one request.
pub(super) async fn frame(State(frame): State<Frame>, request: Request, next: Next) -> Response {
    let id = frame.service.request_id();
    let started = frame.service.now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|p| p.as_str().to_owned()).unwrap_or_default();

    // Whoever watches over the service gets an answer also when it takes no more requests.
    let watched = matches!(route.as_str(), "/healthz" | "/readyz");
    let permit = frame.permits.clone().try_acquire_owned();
    let mut response = if permit.is_ok() || watched {
        guarded(next.run(request)).await
    } else {
        Refusal::from(busy()).into_response()
    };
    drop(permit);

    let refused = response.extensions_mut().remove::<Refused>();
    let account = response.extensions_mut().remove::<Identified>();
    if let Some(Refused(error)) = &refused {
        response = problem::render(error, &id, std::mem::take(response.headers_mut()));
    }
    finish(&method, &id, response.headers_mut());

    let micros = frame.service.now().as_microsecond() - started.as_microsecond();
    let status = response.status().as_u16();
    let account = account.map(|a| a.0.to_string()).unwrap_or_default();
    if let Some(detail) = refused.as_ref().and_then(|refused| refused.0.detail()) {
        tracing::error!(%id, %method, route, status, account, micros, detail, "request failed");
    } else {
        tracing::info!(%id, %method, route, status, account, micros, "request");
    }
    response
}

/// A handler that panics is a fault of this service like any other, and ends nothing but its own request.
async fn guarded(run: impl Future<Output = Response>) -> Response {
    AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Refusal::from(service::Error::internal(format!("panic: {text}"))).into_response()
    })
}

fn busy() -> service::Error {
    service::Error::refuse(
        SERVICE_BUSY,
        Place::default(),
        "more requests at once than this service takes",
        "fewer",
        "try again in a moment",
    )
}

/// Puts in what every answer carries. An answer that says nothing about caching is kept nowhere but with its caller.
fn finish(method: &Method, id: &str, headers: &mut HeaderMap) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let cache = if reads { "private, no-cache" } else { "no-store" };
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static(cache));
    // What is answered depends on who asks, save where a handler says that it does not.
    headers.entry(VARY).or_insert(HeaderValue::from_static("authorization"));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_refusal_that_tells_the_caller_nothing() {
        let mut response = guarded(async { panic!("the key is {}", 42) }).await;
        let Refused(error) = response.extensions_mut().remove::<Refused>().unwrap();
        assert_eq!(error.detail(), Some("panic: the key is 42"));
        let response = problem::render(&error, "id", HeaderMap::new());
        assert_eq!(response.status(), 500);
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains("\"code\":\"internal\"") && !text.contains("42"), "{text}");
    }
}
