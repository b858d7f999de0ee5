//! Reading an answer within its limits, and turning refusals into failures.

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use retoque_core::api::Problem;
use retoque_core::problem::{NOT_ALLOWED, RESPONSE_INVALID, RESPONSE_TOO_LARGE, TOO_SLOW, UNREACHABLE};

use super::Pace;
use crate::clock;
use crate::error::Failure;

/// The most bytes of a refusal.
const MAX_PROBLEM: usize = 1 << 20;

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
    pub(super) content_type: String,
    pub(super) retry_after: Option<u64>,
}

impl Answer {
    /// Reads a response of at most `cap` bytes (a refusal has a cap of its own).
    pub(super) async fn read(response: Response, cap: usize, pace: &Pace) -> Result<Self, Failure> {
        let status = response.status();
        let text = |name| response.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let (content_type, retry_after) = (text(CONTENT_TYPE), text(RETRY_AFTER).parse().ok());
        let cap = if status.is_success() { cap } else { MAX_PROBLEM };
        let body = body(response, cap, pace).await?;
        Ok(Self { status, body, content_type, retry_after })
    }

    /// The refusal that this answer is.
    pub(super) fn failure(&self) -> Failure {
        if self.content_type.starts_with("application/problem+json")
            && let Ok(problem) = serde_json::from_slice::<Problem>(&self.body)
        {
            return Failure::problem(problem);
        }
        let message = format!("the registry answered {} without an explanation", self.status);
        match self.status.as_u16() {
            401 | 403 => Failure::new(NOT_ALLOWED, message, "log in with `retoque login URL`"),
            _ => Failure::new(RESPONSE_INVALID, message, "check that the address is that of a registry"),
        }
    }
}

async fn body(mut response: Response, cap: usize, pace: &Pace) -> Result<Bytes, Failure> {
    let too_large = || {
        let next = "do not use this registry before its operator has explained it";
        Failure::new(RESPONSE_TOO_LARGE, format!("the answer is larger than {cap} bytes"), next)
    };
    if response.content_length().is_some_and(|n| n > cap as u64) {
        return Err(too_large());
    }
    let (start, mut body) = (clock::tick(), BytesMut::new());
    loop {
        let chunk = tokio::time::timeout(pace.gap, response.chunk()).await.map_err(|_| too_slow())?;
        let Some(chunk) = chunk.map_err(unreachable)? else { break };
        if body.len() + chunk.len() > cap {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
        if pace.is_too_slow(body.len() as u64, start.elapsed()) {
            return Err(too_slow());
        }
    }
    Ok(body.freeze())
}

pub(super) fn too_slow() -> Failure {
    Failure::new(TOO_SLOW, "the registry sends too slowly or not at all", "try again later")
}

/// A failure below HTTP, by its innermost cause and with the host alone of the address.
pub(super) fn unreachable(error: reqwest::Error) -> Failure {
    let at = error.url().map_or_else(String::new, |url| format!(" at {}", url.origin().ascii_serialization()));
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let cause = cause.to_string();
    let cause = cause.split(" (os error").next().unwrap_or_default();
    Failure::new(
        UNREACHABLE,
        format!("the registry{at} cannot be reached: {cause}"),
        "check that it runs, the address and the network",
    )
}
