//! The query string, strictly: an unknown or repeated parameter is refused, so a misspelt filter never widens a list.

use std::error::Error as _;

use axum::extract::FromRequestParts;
use http::request::Parts;
use retoque_core::problem::{Finding, Place, QUERY_INVALID};
use serde::de::DeserializeOwned;

use super::excerpt;
use crate::http::Shared;
use crate::http::problem::Refusal;

/// The query as `T`, which should carry `#[serde(deny_unknown_fields)]`.
pub(in crate::http) struct Query<T>(pub(in crate::http) T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Refusal> {
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri).map_err(|rejection| {
            let reason = rejection.source().map_or_else(|| rejection.to_string(), ToString::to_string);
            let next = "see the parameters of this route in the manual";
            Finding::new(QUERY_INVALID, Place::default(), excerpt(&reason), "the parameters of this route", next)
        })?;
        Ok(Self(query.0))
    }
}
