//! Decisions on a version, and the reviewer's view: `…/decisions`, `…/review`, `/reviews`.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::{AtVersion, ONE_VERSION, Paged};
use crate::http::auth::Caller;
use crate::http::extract::{Document, Name, Query};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::{decide, reviews, versions};

/// The largest envelope of a decision.
const ENVELOPE: usize = 256 << 10;
pub(super) fn quick() -> Router<Shared> {
    Router::new().route(&format!("{ONE_VERSION}/decisions"), get(list).post(create)).route("/reviews", get(queue))
}

/// A review reads the whole private record again.
pub(super) fn slow() -> Router<Shared> {
    Router::new().route(&format!("{ONE_VERSION}/review"), get(review))
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    answer::ok(&versions::decisions(&service, &actor, &patch, &at).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name((patch, at)): AtVersion,
    Document(envelope): Document<ENVELOPE>,
) -> Result<Response, Refusal> {
    let view = decide::decide(&service, &actor, &patch, &at, &envelope).await?;
    answer::json(http::StatusCode::CREATED, &view)
}

async fn review(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    answer::ok(&reviews::show(&service, &actor, &patch, &at).await?)
}

async fn queue(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(paged): Query<Paged>,
) -> Result<Response, Refusal> {
    answer::ok(&reviews::queue(&service, &actor, &paged.window()?).await?)
}
