//! `/suites`: the regression suites that evidence is measured on.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::digest::Digest;
use serde::Deserialize;

use super::Paged;
use crate::http::auth::Caller;
use crate::http::extract::{Lines, Name, Query};
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::suites::{self, MAX_BYTES, NewSuite};

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/suites", get(list).post(create)).route("/suites/{sha256}", get(cases).delete(retire))
}

/// What is said of a new suite beside its cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    name: String,
    allowance_points: Option<String>,
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(paged): Query<Paged>,
) -> Result<Response, Refusal> {
    answer::ok(&suites::list(&service, &actor, &paged.window()?).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(said): Query<Said>,
    Lines(cases): Lines<MAX_BYTES>,
) -> Result<Response, Refusal> {
    let new = NewSuite::parse(said.name, said.allowance_points.as_deref())?;
    match suites::create(&service, &actor, new, cases).await? {
        (suite, true) => answer::created(&format!("/api/v1/suites/{}", suite.sha256), &suite),
        (suite, false) => answer::ok(&suite),
    }
}

async fn retire(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(sha256): Name<Digest>,
) -> Result<Response, Refusal> {
    answer::ok(&suites::retire(&service, &actor, &sha256).await?)
}

async fn cases(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    Name(sha256): Name<Digest>,
) -> Result<Response, Refusal> {
    let cases = suites::cases(&service, &actor, &sha256).await?;
    immutable::bytes(&conditions, "application/jsonl", Keep::Private, cases)
}
