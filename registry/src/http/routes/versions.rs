//! `/patches/{org}/{slug}/versions`: the listing, a push, one version, and its documents.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, put};
use http::StatusCode;
use retoque_core::api::Push;
use retoque_core::id::{PatchName, Version};

use super::{AtVersion, ONE_VERSION, Paged};
use crate::http::auth::Caller;
use crate::http::extract::{Json, Name, PathParts, PathReader, Query};
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::http::{Shared, answer};
use crate::service::push;
use crate::service::target::VersionRef;
use crate::service::versions::{self, Document};

pub(super) fn quick() -> Router<Shared> {
    Router::new()
        .route("/patches/{org}/{slug}/versions", get(list))
        .route(ONE_VERSION, get(show))
        .route(&format!("{ONE_VERSION}/manifest"), get(manifest))
        .route(&format!("{ONE_VERSION}/attestation"), get(attestation))
        .route(&format!("{ONE_VERSION}/release"), get(release))
        .route(&format!("{ONE_VERSION}/licence-text"), get(licence_text))
        .route(&format!("{ONE_VERSION}/validation-cases"), get(validation_cases))
        .route(&format!("{ONE_VERSION}/licence"), get(licence))
}

/// A push checks a whole package; it has no time limit of a plain request.
pub(super) fn slow() -> Router<Shared> {
    Router::new().route(ONE_VERSION, put(create))
}

/// A version of a route: its name, or `sha256:…`.
impl PathParts for VersionRef {
    fn read(parts: &mut PathReader) -> Option<Self> {
        parts.part("version")
    }
}

async fn list(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name(patch): Name<PatchName>,
    Query(paged): Query<Paged>,
) -> Result<Response, Refusal> {
    answer::ok(&versions::versions(&service, &actor, &patch, &paged.window()?).await?)
}

async fn show(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    answer::ok(&versions::version(&service, &actor, &patch, &at).await?)
}

async fn create(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name((patch, version)): Name<(PatchName, Version)>,
    Json(request): Json<Push>,
) -> Result<Response, Refusal> {
    let (view, new) = push::push(&service, &actor, &patch, &version, request).await?;
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    answer::json(status, &view)
}

async fn licence(
    State(service): State<Shared>,
    Caller(actor): Caller,
    Name((patch, at)): AtVersion,
) -> Result<Response, Refusal> {
    answer::ok(&versions::licence(&service, &actor, &patch, &at).await?)
}

/// Handlers of the documents, which differ in nothing but the document.
macro_rules! documents {
    ($($name:ident => $document:ident, $media_type:literal;)*) => {$(
        async fn $name(
            State(service): State<Shared>,
            Caller(actor): Caller,
            conditions: Conditions,
            Name((patch, at)): AtVersion,
        ) -> Result<Response, Refusal> {
            let (bytes, private) = versions::document(&service, &actor, &patch, &at, Document::$document).await?;
            immutable::bytes(&conditions, $media_type, Keep::of(private), bytes)
        }
    )*};
}
documents! {
    manifest => Manifest, "application/json";
    attestation => Attestation, "application/json";
    release => Release, "application/json";
    licence_text => LicenceText, "text/plain; charset=utf-8";
    validation_cases => ValidationCases, "application/json";
}
