//! `/log/…`: the transparency log as C2SP tlog-tiles, for anyone.
//!
//! A tile never changes under its path, full or partial, so it is kept for ever. The path is read as it was sent: a
//! percent-encoded spelling of a tile is no tile.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::Uri;

use crate::http::Shared;
use crate::http::auth::Caller;
use crate::http::immutable::{self, Conditions, Keep};
use crate::http::problem::Refusal;
use crate::service::transparency;

/// What stands before the path of a tile.
const TILE: &str = "/log/tile/";

/// At the top, where readers of logs look.
pub(in crate::http) fn log() -> Router<Shared> {
    Router::new().route("/log/checkpoint", get(checkpoint)).route("/log/tile/{*path}", get(tile))
}

async fn checkpoint(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
) -> Result<Response, Refusal> {
    let note = transparency::checkpoint(&service, &actor).await?;
    immutable::bytes(&conditions, "text/plain; charset=utf-8", Keep::Revalidate, note)
}

async fn tile(
    State(service): State<Shared>,
    Caller(actor): Caller,
    conditions: Conditions,
    uri: Uri,
) -> Result<Response, Refusal> {
    let path = uri.path().strip_prefix(TILE).unwrap_or_default();
    let bytes = transparency::resource(&service, &actor, path).await?;
    immutable::bytes(&conditions, "application/octet-stream", Keep::Forever, bytes)
}
