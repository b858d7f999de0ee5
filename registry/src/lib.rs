//! The registry service: `http → service → {store, blobs, log}`.
//!
//! A request goes down once and comes up once: `http` parses and authenticates, `service` authorises and decides with
//! the rules of `retoque-core`, `store` keeps rows, `blobs` keeps bytes by digest. [`app::App`] holds the opened parts,
//! [`serve::serve`] runs the interface over them.

pub mod adopt;
pub mod app;
pub mod args;
pub mod blobs;
pub mod clock;
mod commands;
pub mod config;
pub mod http;
mod impatient;
pub mod install;
pub mod jobs;
pub mod keys;
pub mod log;
pub mod logging;
pub mod root;
pub mod serve;
pub mod service;
pub mod store;
pub mod token;
pub mod witness;

use std::process::ExitCode;

use axum::Router;

/// Runs one invocation of the program and answers its exit status.
pub async fn run(cli: args::Cli) -> ExitCode {
    commands::run(cli.command, router).await
}

/// The whole interface over the opened parts.
pub fn router(app: &app::App) -> Router {
    let limits = &app.config.limits;
    let concurrent = usize::try_from(limits.concurrency).unwrap_or(usize::MAX);
    http::router(
        app.service().into(),
        &http::Limits { concurrent, request: limits.request_timeout, min_rate: limits.min_rate.0 },
    )
}
