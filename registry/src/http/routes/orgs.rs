//! `/orgs`: made and verified by the operator, seen by their members.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::api::{NewOrg, OrgChange};
use retoque_core::id::Org;

use super::Paged;
use crate::http::auth::Caller;
use crate::http::extract::{Json, Name, Query};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::orgs;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/orgs", get(list).post(create)).route("/orgs/{org}", get(show).patch(change))
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(paged): Query<Paged>,
) -> Result<Response, Refusal> {
    answer::ok(&orgs::list(&service, &actor, &paged.window()?).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Json(new): Json<NewOrg>,
) -> Result<Response, Refusal> {
    let org = orgs::create(&service, &actor, new).await?;
    answer::created(&format!("/api/v1/orgs/{}", org.name), &org)
}

async fn show(State(service): State<Shared>, Caller(actor): Caller, Name(org): Name<Org>) -> Result<Response, Refusal> {
    answer::ok(&orgs::show(&service, &actor, &org).await?)
}

async fn change(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(org): Name<Org>,
    Json(change): Json<OrgChange>,
) -> Result<Response, Refusal> {
    answer::ok(&orgs::change(&service, &actor, &org, change).await?)
}
