//! tmp
mod lock;
mod state;
pub use lock::Lock;
pub use state::{LogState, State};
pub const MAX_LOG_STATE: u64 = 64 << 10;
pub const MAX_STATUS: usize = 8 << 20;
