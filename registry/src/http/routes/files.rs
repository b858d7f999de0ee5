//! Package bytes: the archive, each of its files, and byte ranges of both.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::Method;
use retoque_core::id::PatchName;

use super::{AtVersion, ONE_VERSION};
use crate::http::Shared;
use crate::http::auth::Caller;
use crate::http::extract::{Name, PathParts, PathReader};
use crate::http::immutable::{Conditions, Keep, Plan, Thing, answer};
use crate::http::problem::Refusal;
use crate::service::files::{self, Content};
use crate::service::target::VersionRef;

pub(super) fn slow() -> Router<Shared> {
    Router::new()
        .route(&format!("{ONE_VERSION}/package"), get(package))
        .route(&format!("{ONE_VERSION}/evidence"), get(evidence))
        .route(&format!("{ONE_VERSION}/files/{{file}}"), get(file))
}

/// The file of a route. Any text will do: an unknown one is refused by the service.
struct FileName(String);

impl PathParts for FileName {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("file").map(Self)
    }
}

async fn package(
    State(service): State<Shared>,
    Caller(actor): Caller,
    method: Method,
    conditions: Conditions,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    let content = files::package(&service, &actor, &patch, &at).await?;
    send(&service, &method, &conditions, "application/zstd", &content).await
}

async fn evidence(
    State(service): State<Shared>,
    Caller(actor): Caller,
    method: Method,
    conditions: Conditions,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    let content = files::evidence(&service, &actor, &patch, &at).await?;
    send(&service, &method, &conditions, "application/json", &content).await
}

async fn file(
    State(service): State<Shared>,
    Caller(actor): Caller,
    method: Method,
    conditions: Conditions,
    Name((patch, (at, FileName(name)))): Name<(PatchName, (VersionRef, FileName))>,
) -> Result<Response, Refusal> {
    let content = files::file(&service, &actor, &patch, &at, &name).await?;
    let media_type = match name.rsplit_once('.') {
        Some((_, "json")) => "application/json",
        Some((_, "md")) => "text/markdown; charset=utf-8",
        _ => "application/octet-stream",
    };
    send(&service, &method, &conditions, media_type, &content).await
}

/// Sends what the request asks for. Nothing is read from storage for `HEAD` or for what the caller has already.
async fn send(
    service: &Shared,
    method: &Method,
    conditions: &Conditions,
    media_type: &'static str,
    content: &Content,
) -> Result<Response, Refusal> {
    // A withdrawal ends what is served, so a cache has to ask each time.
    let thing = Thing { digest: content.sha256, size: content.size, media_type, keep: Keep::of(content.private) };
    let plan = conditions.plan(&thing)?;
    let range = match &plan {
        Plan::NotModified => None,
        Plan::Whole => Some(0..content.size),
        Plan::Part(range) => Some(range.clone()),
    };
    let body = match range {
        Some(range) if *method != Method::HEAD => Body::from_stream(files::read(service, content, range).await?),
        _ => Body::empty(),
    };
    answer(&thing, &plan, body)
}
