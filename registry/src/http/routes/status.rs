//! `/head` and `/patches/{org}/{slug}/listing`: what became of versions, signed.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::id::PatchName;

use crate::http::Shared;
use crate::http::auth::Caller;
use crate::http::extract::Name;
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::service::{self, status};

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/head", get(head)).route("/patches/{org}/{slug}/listing", get(listing))
}

async fn head(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
) -> Result<Response, Refusal> {
    let head = status::head(&service, &actor).await?;
    let body = serde_json::to_vec(&head).map_err(service::Error::internal)?;
    immutable::bytes(&conditions, "application/json", Keep::Revalidate, body)
}

async fn listing(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    Name(patch): Name<PatchName>,
) -> Result<Response, Refusal> {
    let (body, private) = status::listing(&service, &actor, &patch).await?;
    immutable::bytes(&conditions, "application/json", Keep::of(private), body)
}
