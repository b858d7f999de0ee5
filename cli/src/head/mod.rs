//! The newest head of a registry's log, and what is remembered of it between commands.
//!
//! Clause: TRUST, client duties, attack by attack.

mod lock;
mod state;

pub use lock::Lock;
pub use state::{LogState, State};

/// The most bytes of a remembered head.
pub const MAX_LOG_STATE: u64 = 64 << 10;
/// The most bytes of a status list.
pub const MAX_STATUS: usize = 8 << 20;
