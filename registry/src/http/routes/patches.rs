//! `/patches`: made by an org's publishers, searched by anyone, each seen by those who may.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::id::PatchName;
use retoque_core::patch::{Draft, MAX_BYTES};

use crate::http::auth::Caller;
use crate::http::extract::{Document, Name, Query};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::patches;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/patches", get(search).post(create)).route("/patches/{org}/{slug}", get(show))
}

async fn search(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(query): Query<patches::Query>,
) -> Result<Response, Refusal> {
    answer::ok(&patches::search(&service, &actor, &query).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Document(body): Document<MAX_BYTES>,
) -> Result<Response, Refusal> {
    let made = patches::create(&service, &actor, Draft::read(&body)?).await?;
    answer::created(&format!("/api/v1/patches/{}", made.patch.name), &made)
}

async fn show(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(name): Name<PatchName>,
) -> Result<Response, Refusal> {
    answer::ok(&patches::show(&service, &actor, &name).await?)
}
