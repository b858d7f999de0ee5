//! Who this registry is (`GET /api/v1`), its roots of trust (`/trust/…`), and the next one (`POST /api/v1/root`).

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use retoque_core::sign::root::MAX_BYTES;
use serde::Deserialize;

use crate::http::auth::Caller;
use crate::http::extract::{Document, Name, PathParts, PathReader, Query};
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::root;

const JSON: &str = "application/json";

/// Under `/api/v1`.
pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/", get(registry)).route("/root", post(advance))
}

/// At the top: clients look there before they know anything else of the registry.
pub(in crate::http) fn trust() -> Router<Shared> {
    Router::new().route("/trust/root.json", get(newest)).route("/trust/{file}", get(version))
}

/// `7.root.json`, in its one spelling.
struct RootFile(u64);

impl std::str::FromStr for RootFile {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_suffix(".root.json").and_then(|n| n.parse::<u64>().ok());
        number.filter(|n| format!("{n}.root.json") == text).map(Self).ok_or("`root.json` or `<version>.root.json`")
    }
}

impl PathParts for RootFile {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("file")
    }
}

/// How many documents of the log the next root may make worthless; absent: none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Confirmed {
    #[serde(default)]
    orphans: u64,
}

async fn registry(State(service): State<Shared>, Caller(actor): Caller) -> Result<Response, Refusal> {
    answer::ok(&root::registry(&service, &actor).await?)
}

async fn advance(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(confirmed): Query<Confirmed>,
    Document(envelope): Document<MAX_BYTES>,
) -> Result<Response, Refusal> {
    let registry = root::advance(&service, &actor, &envelope, confirmed.orphans).await?;
    answer::created(&format!("/trust/{}.root.json", registry.root_version), &registry)
}

async fn newest(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
) -> Result<Response, Refusal> {
    immutable::bytes(&conditions, JSON, Keep::Revalidate, root::envelope(&service, &actor, None).await?)
}

async fn version(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    Name(RootFile(version)): Name<RootFile>,
) -> Result<Response, Refusal> {
    immutable::bytes(&conditions, JSON, Keep::Forever, root::envelope(&service, &actor, Some(version)).await?)
}
