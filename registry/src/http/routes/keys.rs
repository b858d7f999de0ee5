//! `/keys`: one's own signing keys; an operator may see and revoke those of others.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get};
use http::StatusCode;
use retoque_core::api::NewKey;

use super::OfAccount;
use crate::http::auth::Caller;
use crate::http::extract::{Json, Name, PathParts, PathReader, Query};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::keys::{self, KeyRef};

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/keys", get(list).post(register)).route("/keys/{keyid}", delete(revoke))
}

impl PathParts for KeyRef {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("keyid")
    }
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(of): Query<OfAccount>,
) -> Result<Response, Refusal> {
    answer::ok(&keys::list(&service, &actor, of.account.as_deref()).await?)
}

async fn register(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Json(new): Json<NewKey>,
) -> Result<Response, Refusal> {
    match keys::register(&service, &actor, new).await? {
        (key, true) => answer::json(StatusCode::CREATED, &key),
        (key, false) => answer::ok(&key),
    }
}

async fn revoke(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(key): Name<KeyRef>,
) -> Result<Response, Refusal> {
    keys::revoke(&service, &actor, key).await?;
    Ok(answer::nothing())
}
