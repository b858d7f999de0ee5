//! The client: one method per kind of request.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RANGE};
use reqwest::{Method, Url, redirect};
use retoque_core::api::Page;
use retoque_core::problem::{INTERNAL, PLAIN_HTTP, REDIRECT_LOOP, REDIRECTED, RESPONSE_INVALID, RESPONSE_TOO_LARGE};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer::{Answer, too_slow, unreachable};
use super::retry::{Idempotent, wait};
use super::{MAX_JSON, Pace};
use crate::config::RegistryUrl;
use crate::error::Failure;

/// The most items of a list that are fetched.
const MAX_ITEMS: usize = 20_000;

/// The most redirects that one request follows.
const MAX_REDIRECTS: usize = 5;

/// A body with its type.
#[derive(Debug, Clone)]
pub struct Document {
    /// Media type.
    pub media_type: &'static str,
    /// Content.
    pub bytes: Bytes,
}

/// Speaks with one registry.
#[derive(Debug, Clone)]
pub struct Client {
    pub(super) http: reqwest::Client,
    pub(super) url: RegistryUrl,
    pub(super) pace: Pace,
    token: Option<SecretString>,
}

/// One request, as often as it is sent.
#[derive(Debug, Clone)]
struct Outgoing {
    method: Method,
    url: Url,
    body: Option<Document>,
    range: Option<(u64, u64)>,
    cap: usize,
    idempotent: Idempotent,
}

impl Client {
    /// A client of `url`. The token is refused over plain http to another machine, unless `allow_http`.
    pub fn new(url: RegistryUrl, token: Option<SecretString>, allow_http: bool, pace: Pace) -> Result<Self, Failure> {
        if token.is_some() && url.is_plain() && !url.is_loopback() && !allow_http {
            let message = format!("the token would travel unencrypted to {url}");
            return Err(Failure::new(PLAIN_HTTP, message, "use https, or add --allow-http if the network is yours"));
        }
        let mut http = reqwest::Client::builder();
        if url.is_loopback() {
            // What stays on this machine, token included, is not handed to a proxy.
            http = http.no_proxy();
        }
        let http = http
            .user_agent(concat!("retoque/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(pace.connect)
            .redirect(same_host())
            .build()
            .map_err(|e| Failure::new(INTERNAL, format!("no HTTP client: {e}"), "check the proxy settings"))?;
        Ok(Self { http, url, pace, token })
    }

    /// The same client, with the patience that a whole check of a package needs.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self { pace: Pace { answer: Duration::from_mins(15), ..self.pace }, ..self.clone() }
    }

    /// The registry's address, for messages.
    pub fn address(&self) -> &RegistryUrl {
        &self.url
    }

    /// Whether requests carry a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The address of an `/api/v1` resource.
    pub fn api(&self, segments: &[&str]) -> Url {
        let path: Vec<_> = ["api", "v1"].into_iter().chain(segments.iter().copied()).collect();
        self.url.join(&path)
    }

    /// `GET` of a JSON resource.
    pub async fn get<T: DeserializeOwned>(&self, url: Url) -> Result<T, Failure> {
        decode(&self.send(&Self::outgoing(Method::GET, url)).await?)
    }

    /// `GET` of all pages of a list.
    pub async fn list<T: DeserializeOwned>(&self, url: Url) -> Result<Vec<T>, Failure> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut page_url = url.clone();
            if let Some(cursor) = &cursor {
                page_url.query_pairs_mut().append_pair("cursor", cursor);
            }
            let page: Page<T> = self.get(page_url).await?;
            let empty = page.items.is_empty();
            items.extend(page.items);
            let Some(next) = page.next else { return Ok(items) };
            // A list that is cut quietly would be taken for the whole one.
            if empty || cursor.as_ref() == Some(&next) {
                return Err(invalid("a list that goes on without an item"));
            }
            if items.len() >= MAX_ITEMS {
                let message = format!("a list of more than {MAX_ITEMS} items");
                return Err(Failure::new(RESPONSE_TOO_LARGE, message, "ask for less"));
            }
            cursor = Some(next);
        }
    }

    /// `GET` of bytes, at most `cap` of them.
    pub async fn bytes(&self, url: Url, cap: usize) -> Result<Bytes, Failure> {
        let outgoing = Outgoing { cap, ..Self::outgoing(Method::GET, url) };
        self.send(&outgoing).await.map(|answer| answer.body)
    }

    /// `GET` of bytes that may be absent, whoever answers 404 and in which words.
    pub async fn optional_bytes(&self, url: Url, cap: usize) -> Result<Option<Bytes>, Failure> {
        let outgoing = Outgoing { cap, ..Self::outgoing(Method::GET, url) };
        match self.answer(&outgoing).await? {
            answer if answer.status.as_u16() == 404 => Ok(None),
            answer if answer.status.is_success() => Ok(Some(answer.body)),
            answer => Err(answer.failure()),
        }
    }

    /// `GET` of exactly the bytes `from .. from + length`.
    pub async fn range(&self, url: Url, from: u64, length: u64) -> Result<Bytes, Failure> {
        let cap = usize::try_from(length).unwrap_or(usize::MAX);
        let outgoing = Outgoing { cap, range: Some((from, length)), ..Self::outgoing(Method::GET, url) };
        let answer = self.send(&outgoing).await?;
        if answer.status.as_u16() != 206 && from != 0 || answer.body.len() as u64 != length {
            return Err(invalid("the registry did not send the part that was asked for"));
        }
        Ok(answer.body)
    }

    /// A request with a body (or none), answered with JSON. `PUT`, `PATCH` and `DELETE` may be repeated, `POST` not.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        url: Url,
        body: Option<Document>,
    ) -> Result<T, Failure> {
        let outgoing = Outgoing { body, ..Self::outgoing(method, url) };
        decode(&self.send(&outgoing).await?)
    }

    /// A request whose answer has no content that matters.
    pub async fn tell(&self, method: Method, url: Url) -> Result<(), Failure> {
        self.send(&Self::outgoing(method, url)).await.map(drop)
    }

    fn outgoing(method: Method, url: Url) -> Outgoing {
        let idempotent = if method == Method::POST { Idempotent::No } else { Idempotent::Yes };
        Outgoing { method, url, body: None, range: None, cap: MAX_JSON, idempotent }
    }

    async fn send(&self, outgoing: &Outgoing) -> Result<Answer, Failure> {
        let answer = self.answer(outgoing).await?;
        if answer.status.is_success() { Ok(answer) } else { Err(answer.failure()) }
    }

    async fn answer(&self, outgoing: &Outgoing) -> Result<Answer, Failure> {
        let mut tries = 0;
        loop {
            let outcome = self.attempt(outgoing).await;
            tries += 1;
            match wait(&outcome, outgoing.idempotent, tries, &self.pace) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return outcome,
            }
        }
    }

    async fn attempt(&self, outgoing: &Outgoing) -> Result<Answer, Failure> {
        let mut request = self.http.request(outgoing.method.clone(), outgoing.url.clone()).headers(self.headers());
        if let Some(body) = &outgoing.body {
            request = request.header(CONTENT_TYPE, body.media_type).body(body.bytes.clone());
        }
        if let Some((from, length)) = outgoing.range {
            request = request.header(RANGE, format!("bytes={from}-{}", from + length.max(1) - 1));
        }
        let response = tokio::time::timeout(self.pace.answer, request.send()).await.map_err(|_| too_slow())?;
        Answer::read(response.map_err(failed)?, outgoing.cap, &self.pace).await
    }

    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, application/problem+json, */*"));
        let token = self.token.as_ref().map(|t| format!("Bearer {}", t.expose_secret()));
        if let Some(mut value) = token.and_then(|t| HeaderValue::from_str(&t).ok()) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        headers
    }
}

impl Document {
    /// A JSON body.
    pub fn json<T: Serialize>(value: &T) -> Result<Self, Failure> {
        let bytes = serde_json::to_vec(value).map_err(|e| Failure::new(INTERNAL, e.to_string(), ""))?;
        Ok(Self { media_type: "application/json", bytes: bytes.into() })
    }
}

/// Redirects are followed on the same host alone; elsewhere the token and the request have no business.
fn same_host() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let first = attempt.previous().first();
        let same = first.is_some_and(|url| url.origin() == attempt.url().origin());
        if !same {
            attempt.error(Astray::Elsewhere)
        } else if attempt.previous().len() > MAX_REDIRECTS {
            attempt.error(Astray::InCircles)
        } else {
            attempt.follow()
        }
    })
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Astray {
    #[error("another host")]
    Elsewhere,
    #[error("too many redirects")]
    InCircles,
}

impl Astray {
    fn of(error: &reqwest::Error) -> Option<Self> {
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            if let Some(astray) = error.downcast_ref::<Self>() {
                return Some(*astray);
            }
            cause = error.source();
        }
        None
    }
}

pub(super) fn failed(error: reqwest::Error) -> Failure {
    match Astray::of(&error) {
        Some(Astray::InCircles) => {
            let message = format!("the registry redirects the request more than {MAX_REDIRECTS} times");
            Failure::new(REDIRECT_LOOP, message, "tell its operator; something before the registry is set up wrong")
        }
        Some(Astray::Elsewhere) => {
            let next = "use the address that the registry moved to, if its operator announced it";
            Failure::new(REDIRECTED, "the registry points to another host", next)
        }
        None => unreachable(error),
    }
}

fn decode<T: DeserializeOwned>(answer: &Answer) -> Result<T, Failure> {
    serde_json::from_slice(&answer.body).map_err(|e| invalid(&format!("the answer cannot be read: {e}")))
}

fn invalid(message: &str) -> Failure {
    Failure::new(RESPONSE_INVALID, message, "check that the address is that of a registry, and update this program")
}
