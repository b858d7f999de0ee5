//! `/orgs/{org}/members/{account}`: who belongs to an org, and as what.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::put;
use retoque_core::api::NewMember;
use retoque_core::id::{AccountName, Org};

use crate::http::auth::Caller;
use crate::http::extract::{Json, Name};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::orgs;

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/orgs/{org}/members/{account}", put(set).delete(remove))
}

type At = Name<(Org, AccountName)>;

async fn set(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(at): At,
    Json(new): Json<NewMember>,
) -> Result<Response, Refusal> {
    answer::ok(&orgs::put_member(&service, &actor, &at, new).await?)
}

async fn remove(State(service): State<Shared>, Caller(actor): Caller, Name(at): At) -> Result<Response, Refusal> {
    orgs::drop_member(&service, &actor, &at).await?;
    Ok(answer::nothing())
}
