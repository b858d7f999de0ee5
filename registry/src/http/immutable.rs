//! Things that never change under their address: strong tags, caching, conditional and partial answers (RFC 9110).
//!
//! The tag is the digest, so it holds across replicas and restarts. One byte range at a time is served; a request for
//! several gets the whole thing, as the standard allows.

use std::ops::Range;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use retoque_core::digest::Digest;
use retoque_core::problem::{Finding, Place, RANGE_UNSATISFIABLE};

use super::Shared;
use super::problem::Refusal;
use crate::service;

/// Who may keep an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Anyone, for ever, without asking again.
    Forever,
    /// Anyone, who asks each time whether it is still served (a withdrawal must be able to end it).
    Revalidate,
    /// The caller alone, who asks each time.
    Private,
}

/// A thing that never changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thing {
    pub(super) digest: Digest,
    pub(super) size: u64,
    pub(super) media_type: &'static str,
    pub(super) keep: Keep,
}

/// What part of a thing a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    /// The caller has it already.
    NotModified,
    /// All of it.
    Whole,
    /// These bytes of it.
    Part(Range<u64>),
}

/// The conditions of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    none_match: Option<String>,
    range: Option<String>,
}

impl FromRequestParts<Shared> for Conditions {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.method, &parts.headers))
    }
}

impl Conditions {
    fn of(method: &Method, headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
        // Ranges are defined for GET alone; `If-Range` keeps a range only when the tag still fits, see `plan`.
        let range = text(RANGE).filter(|_| *method == Method::GET).map(|range| match text(IF_RANGE) {
            Some(tag) => format!("{range}\n{tag}"),
            None => range,
        });
        Self { none_match: text(IF_NONE_MATCH), range }
    }

    /// Decides what to send of `thing`.
    pub(super) fn plan(&self, thing: &Thing) -> Result<Plan, Refusal> {
        let tag = tag(&thing.digest);
        let known = |text: &str| {
            text.trim() == "*" || text.split(',').any(|t| t.trim().strip_prefix("W/").unwrap_or(t.trim()) == tag)
        };
        if self.none_match.as_deref().is_some_and(known) {
            return Ok(Plan::NotModified);
        }
        let Some(range) = &self.range else { return Ok(Plan::Whole) };
        let (range, if_range) = range.split_once('\n').map_or((range.as_str(), None), |(r, t)| (r, Some(t)));
        if if_range.is_some_and(|t| t.trim() != tag) {
            return Ok(Plan::Whole);
        }
        match parse_range(range, thing.size) {
            Asked::Nothing => Ok(Plan::Whole),
            Asked::Bytes(bytes) => Ok(Plan::Part(bytes)),
            Asked::Outside => {
                let expected = format!("a range within {} bytes", thing.size);
                let next = "ask for bytes that are there";
                let finding =
                    Finding::new(RANGE_UNSATISFIABLE, Place::field("range"), "a range outside", expected, next);
                Err(Refusal::out_of_range(finding, thing.size))
            }
        }
    }
}

enum Asked {
    Nothing,
    Bytes(Range<u64>),
    Outside,
}

/// `bytes=a-b`, `bytes=a-`, `bytes=-n`. What cannot be read is ignored, as the standard says.
fn parse_range(text: &str, size: u64) -> Asked {
    let Some((first, last)) = text.trim().strip_prefix("bytes=").and_then(|spec| spec.trim().split_once('-')) else {
        return Asked::Nothing;
    };
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u64>().ok()).flatten();
    let bytes = match (first, last) {
        ("", last) => match number(last) {
            Some(n) => size.saturating_sub(n)..size,
            None => return Asked::Nothing,
        },
        (first, "") => match number(first) {
            Some(first) => first..size,
            None => return Asked::Nothing,
        },
        (first, last) => match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(size),
            _ => return Asked::Nothing,
        },
    };
    if bytes.start < bytes.end { Asked::Bytes(bytes) } else { Asked::Outside }
}

fn tag(digest: &Digest) -> String {
    format!("\"{digest}\"")
}

/// The answer to `plan` with `body`, which holds exactly the planned bytes (none when not modified).
pub(super) fn answer(thing: &Thing, plan: &Plan, body: Body) -> Result<Response, Refusal> {
    let value = |text: String| HeaderValue::from_str(&text).map_err(service::Error::internal);
    let mut response = match plan {
        Plan::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Plan::Whole => (StatusCode::OK, body).into_response(),
        Plan::Part(_) => (StatusCode::PARTIAL_CONTENT, body).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, value(tag(&thing.digest))?);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(thing.keep.cache_control()));
    let length = match plan {
        Plan::NotModified => return Ok(response),
        Plan::Whole => thing.size,
        Plan::Part(range) => {
            let text = format!("bytes {}-{}/{}", range.start, range.end.saturating_sub(1), thing.size);
            headers.insert(CONTENT_RANGE, value(text)?);
            range.end - range.start
        }
    };
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(thing.media_type));
    headers.insert(CONTENT_LENGTH, value(length.to_string())?);
    Ok(response)
}

/// The answer for a thing whose bytes are at hand.
pub(super) fn bytes(
    conditions: &Conditions,
    media_type: &'static str,
    keep: Keep,
    bytes: impl Into<Bytes>,
) -> Result<Response, Refusal> {
    let bytes = bytes.into();
    let thing = Thing { digest: Digest::of(&bytes), size: bytes.len() as u64, media_type, keep };
    let plan = conditions.plan(&thing)?;
    let part = match &plan {
        Plan::NotModified => Bytes::new(),
        Plan::Whole => bytes,
        Plan::Part(range) => {
            let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
            bytes.slice(at(range.start)..at(range.end))
        }
    };
    answer(&thing, &plan, Body::from(part))
}

impl Keep {
    /// How a thing is kept that a withdrawal can end: by its caller alone when it is private.
    pub(super) const fn of(private: bool) -> Self {
        if private { Self::Private } else { Self::Revalidate }
    }

    const fn cache_control(self) -> &'static str {
        match self {
            Self::Forever => "public, max-age=31536000, immutable",
            Self::Revalidate => "public, no-cache",
            Self::Private => "private, no-cache",
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn plan(method: &Method, pairs: &[(HeaderName, &str)]) -> Option<Plan> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(name, HeaderValue::from_str(value).unwrap());
        }
        let thing = Thing { digest: Digest::of(b"x"), size: 10, media_type: "a/b", keep: Keep::Forever };
        Conditions::of(method, &headers).plan(&thing).ok()
    }

    #[test]
    fn one_range_within_the_thing() {
        let part = |text| plan(&Method::GET, &[(RANGE, text)]);
        assert_eq!(part("bytes=0-0"), Some(Plan::Part(0..1)));
        assert_eq!(part("bytes=2-"), Some(Plan::Part(2..10)));
        assert_eq!(part("bytes=-3"), Some(Plan::Part(7..10)));
        assert_eq!(part("bytes=-30"), Some(Plan::Part(0..10)));
        assert_eq!(part("bytes=5-99999999999999999999"), Some(Plan::Whole));
        assert_eq!(part("bytes=5-99"), Some(Plan::Part(5..10)));
        for outside in ["bytes=10-", "bytes=10-12", "bytes=-0"] {
            assert_eq!(part(outside), None, "{outside}");
        }
        for ignored in ["bytes=3-2", "bytes=0-1,4-5", "lines=0-1", "bytes=", "bytes=-", "bytes=+1-2", "bytes=a-b"] {
            assert_eq!(part(ignored), Some(Plan::Whole), "{ignored}");
        }
        assert_eq!(plan(&Method::HEAD, &[(RANGE, "bytes=0-0")]), Some(Plan::Whole));
    }

    #[test]
    fn conditions_compare_the_digest() {
        let tag = tag(&Digest::of(b"x"));
        let weak = format!("W/{tag}");
        let list = format!("\"a\", {tag}");
        for known in [tag.as_str(), &weak, &list, "*"] {
            assert_eq!(plan(&Method::GET, &[(IF_NONE_MATCH, known)]), Some(Plan::NotModified), "{known}");
        }
        assert_eq!(plan(&Method::GET, &[(IF_NONE_MATCH, "\"a\"")]), Some(Plan::Whole));
        assert_eq!(plan(&Method::GET, &[(RANGE, "bytes=1-2"), (IF_RANGE, &tag)]), Some(Plan::Part(1..3)));
        // A weak tag never allows a range.
        for other in ["\"a\"", weak.as_str()] {
            assert_eq!(plan(&Method::GET, &[(RANGE, "bytes=1-2"), (IF_RANGE, other)]), Some(Plan::Whole));
        }
    }
}
