//! The query string, strictly: an unknown or repeated parameter is refused, so a misspelt filter never widens a list.

use std::error::Error as _;

use axum::extract::FromRequestParts;
use http::request::Parts;
use retoque_core::problem::{Finding, Findings, Place, QUERY_INVALID};
use serde::de::DeserializeOwned;

use super::excerpt;
use crate::http::Shared;
use crate::http::problem::Refusal;
use crate::service;

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
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let pairs = pairs.map_err(service::Error::internal)?.0;
        let odd = pairs.iter().filter(|(_, value)| value.chars().any(char::is_control));
        let finding = |(key, _): &(String, String)| {
            let next = "leave the character out";
            Finding::new(QUERY_INVALID, Place::field(excerpt(key)), "a control character", "text without any", next)
        };
        let mut findings = Findings::new();
        odd.for_each(|pair| findings.push(finding(pair)));
        if findings.refused() { Err(findings.into()) } else { Ok(Self(query.0)) }
    }
}
