//! Runs the asynchronous parts of a command, and lets ctrl-C end it in order.
//!
//! All parts of a process share one runtime: a connection that one part opened may serve the next. Once somebody
//! listens for ctrl-C the system no longer ends the process by itself, so a ctrl-C that comes between the parts (at a
//! question, while hashing) ends it here, as does a second one.

use std::future::Future;
use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use retoque_core::problem::INTERNAL;
use tokio::runtime::{Builder, Runtime};

use crate::error::Failure;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
/// How many parts run now and will end by themselves.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` to its end, or until ctrl-C. When interrupted, `work` is dropped, which removes its temporary files.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = runtime()?;
    RUNNING.fetch_add(1, Ordering::SeqCst);
    let result = runtime.block_on(async {
        tokio::select! {
            result = work => result,
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
        }
    });
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    result
}

fn runtime() -> Result<&'static Runtime, Failure> {
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let made = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::new(INTERNAL, format!("no runtime for network work: {e}"), "try again"))?;
    // When two threads make one at the same time, the second is given up.
    let mut new = false;
    let runtime = RUNTIME.get_or_init(|| {
        new = true;
        made
    });
    if new {
        runtime.spawn(listen());
    }
    Ok(runtime)
}

async fn listen() {
    let mut asked = false;
    while tokio::signal::ctrl_c().await.is_ok() {
        if asked || RUNNING.load(Ordering::SeqCst) == 0 {
            let failure = Failure::interrupted();
            let _ = writeln!(std::io::stderr(), "\nerror: {} [{}]", failure.message(), failure.code());
            std::process::exit(i32::from(failure.exit_status()));
        }
        asked = true;
    }
}
