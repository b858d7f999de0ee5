//! From a listening socket to the last answered request.
//!
//! A signal stops the taking of connections; requests under way may end within the drain time, the rest is cut off.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use retoque_core::problem::{ADDRESS_IN_USE, ADDRESS_UNUSABLE, Finding, Findings, Place};
use tokio::net::TcpListener;

/// Listens on `address`.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, Findings> {
    TcpListener::bind(address).await.map_err(|e| {
        let place = Place::field("server.listen");
        let expected = "an address that is free and this machine's own";
        let (code, next) = match e.kind() {
            io::ErrorKind::AddrInUse => (ADDRESS_IN_USE, "end the other program, or choose another port with --listen"),
            io::ErrorKind::PermissionDenied => (ADDRESS_UNUSABLE, "choose a port above 1023"),
            _ => (ADDRESS_UNUSABLE, "choose another address with --listen"),
        };
        Finding::new(code, place, format!("{address}: {}", e.kind()), expected, next).into()
    })
}

/// Serves `router` until `shutdown` is ready, then lets requests end for at most `drain`.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    drain: Duration,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let server = axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>());
    let server = server.with_graceful_shutdown(async move {
        shutdown.await;
        tracing::info!("stopping: no new connections; requests under way may end");
        let _ = stopping.send(());
    });
    let overdue = async move {
        // When the sender is gone the server has ended by itself.
        if stopped.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(drain).await;
    };
    tokio::select! {
        result = async { server.await } => result,
        () = overdue => {
            tracing::warn!("requests that did not end in time are cut off");
            Ok(())
        }
    }
}

/// Ready at the first SIGTERM or SIGINT.
pub async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind| async move {
        match signal(kind) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                tracing::error!(%error, "signals cannot be received");
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::interrupt()) => {}
    }
}
