//! Work that no request waits for: finishing releases that a crash left without their proofs, erasing what was taken
//! down, forgetting uploads that no push has used, and signing the newest head of the log.
//!
//! Every job can be run again at any time, by any number of replicas: what is done already is done once more without
//! harm. A failure is logged and left to the next round. Only the service decides what may go; nothing here names a row.

use std::time::Duration;

use crate::service::{Service, erasure, publish, root, status, transparency, uploads};

/// Time between two rounds.
const EVERY: Duration = Duration::from_mins(5);
/// Time between two looks for releases that wait: somebody may be waiting for one.
const OFTEN: Duration = Duration::from_secs(15);
/// Rounds between two warnings of the same thing: a day.
const WARN_ROUNDS: u32 = 288;

/// Runs a round now, and then one after another until it is dropped.
pub async fn run(service: Service) {
    let mut warned = 0;
    loop {
        round(&service).await;
        warned += 1;
        if warned == WARN_ROUNDS {
            warned = 0;
            warn(&service).await;
        }
        let mut slept = Duration::ZERO;
        while slept < EVERY {
            tokio::time::sleep(OFTEN).await;
            slept += OFTEN;
            releases(&service).await;
        }
    }
}

/// Says what an operator has to do before a date: when the service starts, and then every day.
pub async fn warn(service: &Service) {
    match root::ending(service).await {
        Ok(None) => {}
        Ok(Some(ending)) => tracing::warn!(
            expires = %ending.expires,
            days = ending.days,
            "the root of trust expires soon, and clients then refuse everything: publish the next one \
             (`retoque key root next`)"
        ),
        Err(error) => tracing::error!(detail = error.detail(), "the root of trust cannot be read"),
    }
}

/// Finishes releases that wait.
async fn releases(service: &Service) {
    match publish::finish_all(service).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "finished releases that waited for their proofs"),
        Err(error) => tracing::error!(detail = error.detail(), "finishing a release failed; it is tried again"),
    }
}

/// Runs every job once.
pub async fn round(service: &Service) {
    releases(service).await;
    match erasure::run(service).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "erased objects of versions that were taken down"),
        Err(error) => tracing::error!(detail = error.detail(), "erasing objects failed; it is tried again"),
    }
    match uploads::expire(service).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed uploads that no push has used"),
        Err(error) => tracing::error!(detail = error.detail(), "removing old uploads failed; it is tried again"),
    }
    if let Err(error) = transparency::refresh(service).await {
        tracing::error!(detail = error.detail(), "signing the newest head of the log failed; it is tried again");
    }
    if let Err(error) = status::refresh(service).await {
        tracing::error!(detail = error.detail(), "signing the status of all versions failed; it is tried again");
    }
}
