//! The only place of the command line that reads the clock or draws random bytes.
//!
//! A command takes one start time and uses it throughout, so that nothing expires halfway.

use jiff::Timestamp;

use crate::error::Failure;
use retoque_core::problem::INTERNAL;

/// The time now.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// 32 fresh random bytes of the operating system.
pub fn random() -> Result<[u8; 32], Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|e| Failure::new(INTERNAL, format!("the system gives no random bytes: {e}"), "try again"))?;
    Ok(bytes)
}
