//! `…/versions/{version}/proofs`: that the records of a version stand in the log.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::id::PatchName;

use super::AtVersion;
use crate::http::Shared;
use crate::http::auth::Caller;
use crate::http::extract::{Name, PathParts, PathReader};
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::service::target::VersionRef;
use crate::service::{self, transparency};

const ALL: &str = "/patches/{org}/{slug}/versions/{version}/proofs";

pub(super) fn routes() -> Router<Shared> {
    Router::new().route(ALL, get(all)).route(&format!("{ALL}/{{n}}"), get(receipt))
}

/// The number of a record in the history of its version.
struct Number(u64);

impl std::str::FromStr for Number {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().ok().filter(|n: &u64| n.to_string() == text).map(Self).ok_or("a number, as in the decisions")
    }
}

impl PathParts for Number {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("n")
    }
}

async fn all(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    let (proofs, private) = transparency::proofs(&service, &actor, &patch, &at).await?;
    let body = serde_json::to_vec(&proofs).map_err(service::Error::internal)?;
    immutable::bytes(&conditions, "application/json", Keep::of(private), body)
}

async fn receipt(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    Name((patch, (at, Number(n)))): Name<(PatchName, (VersionRef, Number))>,
) -> Result<Response, Refusal> {
    let (file, private) = transparency::receipt(&service, &actor, &patch, &at, n).await?;
    immutable::bytes(&conditions, "text/plain; charset=utf-8", Keep::of(private), file)
}
