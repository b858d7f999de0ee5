//! The HTTP door: parses, authenticates, calls one service function, renders.
//!
//! Handlers hold no rule of the service and cannot reach the store. Every refusal is `application/problem+json` with a
//! code of the catalogue; [`problem`] is the only place where a refusal meets a status. Clause: specification, section 9.

mod answer;
mod auth;
#[cfg(test)]
mod error_page;
mod extract;
mod frame;
mod health;
mod immutable;
mod limits;
mod problem;
mod router;
mod routes;

pub use limits::Limits;
pub use router::router;

/// What every handler can ask for: the use cases.
type Shared = std::sync::Arc<crate::service::Service>;
