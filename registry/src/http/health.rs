//! `GET /healthz`: the process answers. `GET /readyz`: everything behind it answers too.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;

use super::problem::Refusal;
use super::{Shared, answer};

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/healthz", get(healthy)).route("/readyz", get(ready))
}

async fn healthy() -> Result<Response, Refusal> {
    answer::ok(&Health { status: "ok" })
}

async fn ready(State(service): State<Shared>) -> Result<Response, Refusal> {
    service.ready().await?;
    answer::ok(&Health { status: "ready" })
}
