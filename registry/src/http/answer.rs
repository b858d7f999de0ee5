//! Answers that are not refusals.

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use super::problem::Refusal;
use crate::service;

/// 200 with `value` as JSON.
pub(super) fn ok<T: Serialize>(value: &T) -> Result<Response, Refusal> {
    json(StatusCode::OK, value)
}

/// 201 with `value` as JSON, which from now on is found at `location`.
pub(super) fn created<T: Serialize>(location: &str, value: &T) -> Result<Response, Refusal> {
    let mut response = json(StatusCode::CREATED, value)?;
    response.headers_mut().insert(LOCATION, HeaderValue::from_str(location).map_err(service::Error::internal)?);
    Ok(response)
}

/// 204.
pub(super) fn nothing() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// `value` as JSON.
pub(super) fn json<T: Serialize>(status: StatusCode, value: &T) -> Result<Response, Refusal> {
    let body = serde_json::to_vec(value).map_err(service::Error::internal)?;
    Ok((status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response())
}
