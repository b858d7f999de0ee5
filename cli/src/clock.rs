//! The only place of the command line that reads the clock or draws random bytes.
//!
//! A command takes one start time and uses it throughout, so that nothing expires halfway.

use std::time::Instant;

use jiff::Timestamp;
use retoque_core::problem::INTERNAL;
use retoque_core::sign::Time;

use crate::error::Failure;

/// A point of the monotonic clock, to measure how long something takes.
#[expect(clippy::disallowed_methods, reason = "this module is the clock")]
pub fn tick() -> Instant {
    Instant::now()
}

/// The time now, to the second: nothing that a person signs needs it finer.
#[expect(clippy::disallowed_methods, reason = "this module is the clock")]
pub fn now() -> Result<Time, Failure> {
    Time::from_micros(Timestamp::now().as_microsecond())
        .map(Time::whole_second)
        .map_err(|_| Failure::new(INTERNAL, "the clock of this machine is out of range", "set the clock"))
}

/// 32 fresh random bytes of the operating system.
#[expect(clippy::disallowed_methods, reason = "this module is the source of randomness")]
pub fn random() -> Result<[u8; 32], Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|e| Failure::new(INTERNAL, format!("the system gives no random bytes: {e}"), "try again"))?;
    Ok(bytes)
}
