//! Who asks: `Authorization: Bearer rtq_…`, or nobody.
//!
//! The token is looked at before the route's handler runs, so a bad one is refused on public routes too and no body
//! is read for it.

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, Method};
use retoque_core::id::AccountName;
use retoque_core::problem::{Place, TOKEN_MALFORMED};

use super::Shared;
use super::problem::Refusal;
use crate::service::{self, Actor};

/// The account behind the request, for the log.
#[derive(Debug, Clone)]
pub(super) struct Identified(pub(super) AccountName);

/// Finds out who asks and lets the request go on.
pub(super) async fn authenticate(State(service): State<Shared>, mut request: Request, next: Next) -> Response {
    let actor = match bearer(request.headers()) {
        Ok(token) => service::tokens::authenticate(&service, token.as_deref()).await,
        Err(error) => Err(error),
    };
    match actor {
        // Nothing can be changed without a token, so nobody without one makes the service read a body.
        Ok(actor) if actor.name().is_none() && !matches!(*request.method(), Method::GET | Method::HEAD) => {
            Refusal::from(service::policy::token_missing()).into_response()
        }
        Ok(actor) => {
            let name = actor.name().cloned();
            request.extensions_mut().insert(actor);
            let mut response = next.run(request).await;
            if let Some(name) = name {
                response.extensions_mut().insert(Identified(name));
            }
            response
        }
        Err(error) => Refusal::from(error).into_response(),
    }
}

/// The token's text. Two credentials, another scheme or unreadable characters are no token at all.
fn bearer(headers: &HeaderMap) -> Result<Option<String>, service::Error> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(first) = values.next() else { return Ok(None) };
    let text = first.to_str().ok().filter(|_| values.next().is_none());
    let token = text.and_then(|text| text.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token.map(|(_, token)| Some(token.to_owned())).ok_or_else(|| {
        service::Error::refuse(
            TOKEN_MALFORMED,
            Place::field("authorization"),
            "another credential (not shown)",
            "one `Authorization: Bearer rtq_…`",
            "send the token that the registry gave out, as it is",
        )
    })
}

/// Who asks, for handlers.
pub(super) struct Caller(pub(super) Actor);

impl FromRequestParts<Shared> for Caller {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Refusal> {
        let actor = parts.extensions.get::<Actor>().cloned();
        actor.map(Self).ok_or_else(|| service::Error::internal("a route outside of authentication").into())
    }
}
