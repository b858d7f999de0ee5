//! From a listening socket to the last answered request.
//!
//! A connection that sends no head of a request in time is closed, and so is one that takes its answer too slowly. A
//! signal stops the taking of connections; requests under way may end within the drain time, the rest is cut off.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use retoque_core::problem::{ADDRESS_IN_USE, ADDRESS_UNUSABLE, Finding, Findings, Place};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::impatient::Impatient;

/// Most headers of a request.
const MAX_HEADERS: usize = 64;
/// How long it waits after a connection could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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

/// How long the service waits for what others do.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// For the head of a request on an open connection.
    pub head: Duration,
    /// For requests under way, after the signal to stop.
    pub drain: Duration,
    /// Bytes in a second that a client has to take of an answer, at least.
    pub min_rate: u64,
}

/// Serves `router` until `shutdown` is ready, then lets requests end for at most the drain time.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    waits: Waits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    // Clients that want HTTP/2 reach it through what ends TLS in front of this service.
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(waits.head).max_headers(MAX_HEADERS);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let stream = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors, most likely: those who have one have to end first.
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        while connections.try_join_next().is_some() {}
        drop(stream.set_nodelay(true));
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(
            builder.serve_connection(TokioIo::new(Impatient::new(stream, waits.min_rate)), service).into_owned(),
        );
        // What goes wrong on one connection is its client's doing and is seen there.
        connections.spawn(async move { drop(connection.await) });
    }
    tracing::info!("stopping: no new connections; requests under way may end");
    drop(listener);
    if tokio::time::timeout(waits.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests that did not end in time are cut off");
    }
    connections.shutdown().await;
    Ok(())
}

/// Ready at the first SIGTERM, SIGINT or SIGHUP (the terminal went away).
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
        () = wait(SignalKind::hangup()) => tracing::info!("hung up: stopping as on SIGTERM"),
    }
}
