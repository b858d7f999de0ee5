//! All routes, and the layers around them: frame, then time limit, then authentication, then the handler.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use http::Method;
use retoque_core::problem::{Finding, METHOD_NOT_ALLOWED, Place, UNKNOWN_ROUTE};
use tokio::sync::Semaphore;

use super::frame::{Frame, frame};
use super::limits::within;
use super::problem::Refusal;
use super::{Limits, Shared, auth, health, routes};

/// The whole HTTP interface.
pub fn router(service: Shared, limits: &Limits) -> Router {
    let authenticated = |routes: Router<Shared>| routes.layer(from_fn_with_state(service.clone(), auth::authenticate));
    let timed = |routes: Router<Shared>, limit: Duration| routes.layer(from_fn_with_state(limit, within));
    Router::new()
        .merge(timed(health::routes(), limits.request))
        .merge(timed(authenticated(routes::trust()), limits.request))
        .merge(timed(authenticated(routes::log()), limits.request))
        .nest(
            "/api/v1",
            timed(authenticated(routes::quick()), limits.request).merge(authenticated(routes::slow(limits))),
        )
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(
            Frame { service: service.clone(), permits: Arc::new(Semaphore::new(limits.concurrent)) },
            frame,
        ))
        .with_state(service)
}

async fn unknown_route() -> Response {
    let next = "see the routes in the manual";
    Refusal::from(Finding::new(UNKNOWN_ROUTE, Place::default(), "another path", "a route of this registry", next))
        .into_response()
}

async fn wrong_method(method: Method) -> Response {
    let found: String = method.as_str().chars().take(20).collect();
    let next = "see the `Allow` header";
    Refusal::from(Finding::new(METHOD_NOT_ALLOWED, Place::default(), found, "a method of this route", next))
        .into_response()
}
