//! `/bases`: the supported base revisions and their records.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::id::BasePin;

use super::Paged;
use crate::http::auth::Caller;
use crate::http::extract::{Document, Name, Query};
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::bases;

/// The largest base record: the most that canonical documents may have.
const RECORD: usize = 4 << 20;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/bases", get(list).post(create)).route("/bases/{owner}/{name}/{commit}", get(record))
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(paged): Query<Paged>,
) -> Result<Response, Refusal> {
    answer::ok(&bases::list(&service, &actor, &paged.window()?).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Document(record): Document<RECORD>,
) -> Result<Response, Refusal> {
    match bases::create(&service, &actor, &record).await? {
        (base, true) => answer::created(&format!("/api/v1/bases/{}/{}", base.base.repo, base.base.commit), &base),
        (base, false) => answer::ok(&base),
    }
}

async fn record(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    Name(pin): Name<BasePin>,
) -> Result<Response, Refusal> {
    let record = bases::record(&service, &actor, &pin).await?;
    immutable::bytes(&conditions, "application/json", Keep::Forever, record)
}
