//! `/accounts`: made, listed and changed by the operator; each account may read itself.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use retoque_core::api::{AccountChange, NewAccount};
use retoque_core::id::AccountName;

use super::Paged;
use crate::http::auth::Caller;
use crate::http::extract::{Json, Name, Query};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::accounts;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/accounts", get(list).post(create)).route("/accounts/{account}", get(show).patch(change))
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(paged): Query<Paged>,
) -> Result<Response, Refusal> {
    answer::ok(&accounts::list(&service, &actor, &paged.window()?).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Json(new): Json<NewAccount>,
) -> Result<Response, Refusal> {
    let account = accounts::create(&service, &actor, new).await?;
    answer::created(&format!("/api/v1/accounts/{}", account.name), &account)
}

async fn show(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(name): Name<AccountName>,
) -> Result<Response, Refusal> {
    answer::ok(&accounts::show(&service, &actor, &name).await?)
}

async fn change(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(name): Name<AccountName>,
    Json(change): Json<AccountChange>,
) -> Result<Response, Refusal> {
    answer::ok(&accounts::change(&service, &actor, &name, change).await?)
}
