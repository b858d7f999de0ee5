//! Speaking with a registry over HTTP.
//!
//! Every answer has a byte cap, a time limit and a minimum rate; idempotent requests are tried again when the
//! network fails or the registry is busy; refusals (`application/problem+json`) become a
//! [`Failure`](crate::error::Failure) with their code and findings. The token is sent to the registry's own host
//! alone, and over plain http only on this machine or with `--allow-http`. Clause: TRUST, client duties.

mod answer;
mod calls;
mod connection;
mod pace;
mod request;
mod retry;
mod roots;
#[cfg(test)]
pub(crate) mod scripted;
mod sources;
#[cfg(test)]
mod tests;
mod upload;

pub use connection::Connection;
pub use pace::Pace;
pub use request::{Client, Document};
pub use sources::{Fault, Sources};

/// The most bytes of a JSON answer.
pub const MAX_JSON: usize = 8 << 20;
/// The most bytes of a manifest.
pub const MAX_MANIFEST: usize = 4 << 20;
