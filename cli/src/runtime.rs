//! Runs the asynchronous part of a command, and lets ctrl-C end it in order.

use std::future::Future;

use retoque_core::problem::INTERNAL;

use crate::error::Failure;

/// Runs `work` to its end, or until ctrl-C. When interrupted, `work` is dropped, which removes its temporary files.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::new(INTERNAL, format!("no runtime for network work: {e}"), "try again"))?;
    let result = runtime.block_on(async {
        tokio::select! {
            result = work => result,
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
        }
    });
    // Blocking work that was interrupted must not keep the process.
    runtime.shutdown_background();
    result
}
