//! Datasets: one UTF-8 JSON Lines file of `user`, `assistant`, `family` and perhaps `system`.
//!
//! Refuses wrong shapes with one message, faults by physical line, secrets, and personal data that nobody
//! acknowledged. Clause: specification, section 4.

mod seed;
mod split;

pub use seed::{Seed, SeedError};
pub use split::{Part, PartName, Split, split};
