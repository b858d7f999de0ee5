//! `/tokens`: one's own tokens; an operator may make one for another account and revoke any.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get};
use retoque_core::api::NewToken;

use super::OfAccount;
use crate::http::auth::Caller;
use crate::http::extract::{Json, Name, PathParts, PathReader, Query};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::tokens::{self, TokenRef};

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/tokens", get(list).post(create)).route("/tokens/{token}", delete(revoke))
}

impl PathParts for TokenRef {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("token")
    }
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Query(of): Query<OfAccount>,
) -> Result<Response, Refusal> {
    answer::ok(&tokens::list(&service, &actor, of.account.as_deref()).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Json(new): Json<NewToken>,
) -> Result<Response, Refusal> {
    let made = tokens::create(&service, &actor, new).await?;
    answer::created(&format!("/api/v1/tokens/{}", made.token.id), &made)
}

async fn revoke(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(token): Name<TokenRef>,
) -> Result<Response, Refusal> {
    tokens::revoke(&service, &actor, token).await?;
    Ok(answer::nothing())
}
