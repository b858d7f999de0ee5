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
    /// Bytes in a second that an upload has to bring, at least.
    pub min_rate: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { concurrent: 256, request: Duration::from_secs(30), min_rate: 8 << 10 }
    }
}

/// The largest JSON body.
pub(super) const JSON_BYTES: usize = 1 << 20;

/// The longest silence within a body.
pub(super) const BODY_SILENCE: Duration = Duration::from_secs(10);

/// How long a body that is read into memory may take in all, however steadily it comes.
const BODY_WHOLE: Duration = Duration::from_secs(30);

/// A long body is handed on in parts of this size; each has to come as fast as the minimum rate says.
const PART: usize = 256 << 10;

/// How long a part of a long body may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartTime(Duration);

impl PartTime {
    /// That of `rate` bytes in a second, with a moment more for the first of them to come.
    pub(super) fn of(rate: u64) -> Self {
        Self(Duration::from_secs((PART as u64).div_ceil(rate.max(1))).max(BODY_SILENCE))
    }
}

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
    let whole = tokio::time::timeout(BODY_WHOLE, gather(body, most)).await;
    whole.map_err(|_| too_slow("a body that came too slowly"))?
}

async fn gather(body: Body, most: usize) -> Result<Bytes, service::Error> {
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

/// The bytes of a body, in parts. The stream ends with an error when they stop coming or come too slowly. The time that
/// the taker of the parts needs does not count.
pub(super) fn flowing(body: Body, PartTime(most): PartTime) -> BoxStream<'static, Result<Bytes, StoppedBody>> {
    let chunks = body.into_data_stream().map(|chunk| chunk.map_err(|_| StoppedBody));
    let step = move |mut chunks: BoxStream<'static, Result<Bytes, StoppedBody>>| async move {
        let next = tokio::time::timeout(most, part(&mut chunks)).await.unwrap_or(Some(Err(StoppedBody)))?;
        Some((next, chunks))
    };
    futures_util::stream::unfold(chunks.boxed(), step).boxed()
}

/// The next [`PART`] of a body, or what is left of it.
async fn part(chunks: &mut BoxStream<'static, Result<Bytes, StoppedBody>>) -> Option<Result<Bytes, StoppedBody>> {
    let mut part = BytesMut::new();
    while part.len() < PART {
        match tokio::time::timeout(BODY_SILENCE, chunks.next()).await {
            Ok(Some(Ok(chunk))) => part.extend_from_slice(&chunk),
            Ok(None) if part.is_empty() => return None,
            Ok(None) => break,
            Ok(Some(Err(_))) | Err(_) => return Some(Err(StoppedBody)),
        }
    }
    Some(Ok(part.freeze()))
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
        let mut flowing = flowing(silent, PartTime::of(8 << 10));
        assert!(flowing.next().await.unwrap().is_err());
        let silent = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let error = read_body(&HeaderMap::new(), silent, 10).await.unwrap_err();
        assert!(error.findings().has(REQUEST_TIMEOUT));
    }

    /// One byte every five seconds: never silent, never done.
    fn trickle() -> Body {
        let step = async |()| {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Some((Ok::<_, std::io::Error>(Bytes::from_static(b"a")), ()))
        };
        Body::from_stream(futures_util::stream::unfold((), step).boxed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_ends_with_an_error() {
        let begun = tokio::time::Instant::now();
        assert!(flowing(trickle(), PartTime::of(8 << 10)).next().await.unwrap().is_err());
        assert_eq!(begun.elapsed().as_secs(), 32);
        assert!(flowing(trickle(), PartTime::of(1 << 20)).next().await.unwrap().is_err());
        assert_eq!(begun.elapsed().as_secs(), 32 + 10);
        let error = read_body(&HeaderMap::new(), trickle(), 1000).await.unwrap_err();
        assert!(error.findings().has(REQUEST_TIMEOUT));
    }

    #[tokio::test]
    async fn a_long_body_comes_whole_and_in_order() {
        let sent: Vec<u8> = (0..600_001_u32).map(|n| (n % 251).to_le_bytes()[0]).collect();
        let chunks: Vec<_> = sent.chunks(1000).map(|c| Ok::<_, std::io::Error>(Bytes::copy_from_slice(c))).collect();
        let mut flowing = flowing(Body::from_stream(futures_util::stream::iter(chunks)), PartTime::of(8 << 10));
        let mut came = Vec::new();
        while let Some(part) = flowing.next().await {
            came.extend_from_slice(&part.unwrap());
        }
        assert!(came == sent);
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
