//! How much a request may bring, and how long it may take.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use retoque_core::problem::{BODY_LENGTH, BODY_TOO_LARGE, Finding, Place, REQUEST_TIMEOUT};

use super::problem::Refusal;
use crate::service;

/// Limits that the operator can set.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests at once; more are answered 503.
    pub concurrent: usize,
    /// How long a request may take that neither uploads nor checks a package.
    pub request: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { concurrent: 256, request: Duration::from_secs(30) }
    }
}

/// The largest JSON body.
pub(super) const JSON_BYTES: usize = 1 << 20;

/// The longest silence within a body.
pub(super) const BODY_SILENCE: Duration = Duration::from_secs(10);

/// Ends a request that takes longer than `limit`.
pub(super) async fn within(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            Refusal::from(too_slow(format!("a request that took longer than {} s", limit.as_secs()))).into_response()
        }
    }
}

/// Reads a body of at most `most` bytes into memory.
pub(super) async fn read_body(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, service::Error> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(too_large(most));
    }
    let mut stream = body.into_data_stream();
    let mut bytes = BytesMut::new();
    loop {
        let next = tokio::time::timeout(BODY_SILENCE, stream.next()).await;
        match next.map_err(|_| too_slow("a body that stopped coming"))? {
            None => return Ok(bytes.freeze()),
            Some(Ok(chunk)) if bytes.len() + chunk.len() > most => return Err(too_large(most)),
            Some(Ok(chunk)) => bytes.extend_from_slice(&chunk),
            Some(Err(_)) => return Err(broken_off()),
        }
    }
}

/// The bytes of a body as they come. The stream ends with an error when they stop coming.
pub(super) fn flowing(body: Body) -> BoxStream<'static, Result<Bytes, StoppedBody>> {
    let chunks = body.into_data_stream().map(|chunk| chunk.map_err(|_| StoppedBody));
    let step = async |mut chunks: BoxStream<'static, Result<Bytes, StoppedBody>>| {
        let next = tokio::time::timeout(BODY_SILENCE, chunks.next()).await.unwrap_or(Some(Err(StoppedBody)))?;
        Some((next, chunks))
    };
    futures_util::stream::unfold(chunks.boxed(), step).boxed()
}

/// A body that broke off, or of which nothing came for too long.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the body stopped half-way")]
pub(super) struct StoppedBody;

/// The refusal of a body that is too large for its route.
pub(super) fn too_large(most: usize) -> service::Error {
    let next = "send less, or ask the operator about the limits";
    Finding::new(BODY_TOO_LARGE, Place::default(), "a larger body", format!("at most {most} bytes"), next).into()
}

/// The refusal of a body that ended before its end.
pub(super) fn broken_off() -> service::Error {
    Finding::new(BODY_LENGTH, Place::default(), "a body that broke off", "the whole body", "send it again").into()
}

fn too_slow(found: impl Into<String>) -> service::Error {
    Finding::new(REQUEST_TIMEOUT, Place::default(), found, "a request within the time limit", "send it again").into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_ends_with_an_error() {
        let first = futures_util::stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"a"))]);
        let silent = Body::from_stream(first.chain(futures_util::stream::pending()));
        let mut flowing = flowing(silent);
        assert_eq!(flowing.next().await.unwrap().unwrap(), "a");
        assert!(flowing.next().await.unwrap().is_err());
        let silent = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let error = read_body(&HeaderMap::new(), silent, 10).await.unwrap_err();
        assert!(error.findings().has(REQUEST_TIMEOUT));
    }

    #[tokio::test]
    async fn a_body_is_cut_at_its_limit() {
        let body = || Body::from("0123456789");
        assert_eq!(read_body(&HeaderMap::new(), body(), 10).await.unwrap(), "0123456789");
        assert!(read_body(&HeaderMap::new(), body(), 9).await.unwrap_err().findings().has(BODY_TOO_LARGE));
        let broken = futures_util::stream::iter([Err::<Bytes, _>(std::io::Error::other("gone"))]);
        let error = read_body(&HeaderMap::new(), Body::from_stream(broken), 10).await.unwrap_err();
        assert!(error.findings().has(BODY_LENGTH));
    }
}
