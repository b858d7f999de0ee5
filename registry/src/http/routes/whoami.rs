//! `GET /whoami`: the account behind the token, its orgs, and the token.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::http::auth::Caller;
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::accounts;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/whoami", get(show))
}

async fn show(State(service): State<Shared>, Caller(actor): Caller) -> Result<Response, Refusal> {
    answer::ok(&accounts::whoami(&service, &actor).await?)
}
