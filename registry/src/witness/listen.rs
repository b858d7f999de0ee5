//! `POST /add-checkpoint` over HTTP: the statuses and bodies of C2SP tlog-witness. There is nothing else to ask.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use retoque_core::log::witness::{AddCheckpoint, MAX_BYTES, Refusal, SIZE_MEDIA_TYPE};
use retoque_core::problem::Finding;
use tokio::sync::Semaphore;

use super::keep::{Keep, Refused};
use crate::clock::{Chance, time};

/// The longest time in which a request must have come.
const BODY: Duration = Duration::from_secs(30);
/// Requests that are worked on at the same time.
const CONCURRENT: usize = 64;

struct Witness {
    keep: Keep,
    chance: Chance,
    free: Semaphore,
}

/// The interface of the witness.
pub fn router(keep: Keep, chance: Chance) -> Router {
    let witness = Arc::new(Witness { keep, chance, free: Semaphore::new(CONCURRENT) });
    Router::new().route("/add-checkpoint", post(add_checkpoint)).with_state(witness)
}

async fn add_checkpoint(State(witness): State<Arc<Witness>>, body: Body) -> Response {
    let Ok(_working) = witness.free.try_acquire() else {
        return text(StatusCode::SERVICE_UNAVAILABLE, "busy; try again\n".to_owned());
    };
    let body = match tokio::time::timeout(BODY, to_bytes(body, MAX_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return text(StatusCode::BAD_REQUEST, format!("a body that ends, of at most {MAX_BYTES} bytes\n"));
        }
        Err(_) => return text(StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n".to_owned()),
    };
    let request = match AddCheckpoint::parse(&body) {
        Ok(request) => request,
        Err(finding) => return text(StatusCode::BAD_REQUEST, say(&finding)),
    };
    let Ok(now) = time(witness.chance.now()) else {
        return text(StatusCode::INTERNAL_SERVER_ERROR, "the clock is out of the calendar\n".to_owned());
    };
    // Judging waits for the disk, and must end even when the client goes away.
    let (asked, shared) = (request.clone(), Arc::clone(&witness));
    let judged = tokio::task::spawn_blocking(move || shared.keep.add(&asked, now)).await;
    let Ok(judged) = judged else {
        return text(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed\n".to_owned());
    };
    let checkpoint = request.checkpoint.claimed();
    match judged {
        Ok(line) => {
            tracing::info!(origin = checkpoint.origin(), size = checkpoint.size(), "cosigned");
            text(StatusCode::OK, format!("{line}\n"))
        }
        Err(refused) => refuse(refused, checkpoint.origin()),
    }
}

fn refuse(refused: Refused, origin: &str) -> Response {
    match refused {
        Refused::UnknownLog => text(StatusCode::NOT_FOUND, "a log that this witness does not watch\n".to_owned()),
        Refused::Refusal(Refusal::Unsigned(finding)) => text(StatusCode::FORBIDDEN, say(&finding)),
        Refused::Refusal(Refusal::OldIsLarger(finding)) => text(StatusCode::BAD_REQUEST, say(&finding)),
        Refused::Refusal(Refusal::Elsewhere(size) | Refusal::Forked(size, _)) => {
            answer(StatusCode::CONFLICT, SIZE_MEDIA_TYPE, format!("{size}\n"))
        }
        Refused::Refusal(Refusal::Unproven(finding)) => {
            tracing::warn!(origin, "a checkpoint that the log signed does not continue the cosigned one");
            text(StatusCode::UNPROCESSABLE_ENTITY, say(&finding))
        }
        Refused::Failed(finding) => {
            tracing::error!(origin, %finding, "a checkpoint could not be kept and was not cosigned");
            text(StatusCode::INTERNAL_SERVER_ERROR, "the checkpoint could not be kept\n".to_owned())
        }
    }
}

fn say(finding: &Finding) -> String {
    format!("{finding}\n")
}

fn text(status: StatusCode, body: String) -> Response {
    answer(status, "text/plain; charset=utf-8", body)
}

fn answer(status: StatusCode, media_type: &'static str, body: String) -> Response {
    const NOSNIFF: (HeaderName, &str) = (HeaderName::from_static("x-content-type-options"), "nosniff");
    (status, [(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-store"), NOSNIFF], body).into_response()
}
