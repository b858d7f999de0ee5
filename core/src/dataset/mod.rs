//! Datasets: one UTF-8 JSON Lines file of `user`, `assistant`, `family` and perhaps `system`.
//!
//! Refuses wrong shapes with one message, faults by physical line, secrets, and personal data that nobody
//! acknowledged. Clause: specification, section 4.

mod blank;
mod check;
pub mod detect;
pub(crate) mod lines;
mod notices;
mod row;
mod seed;
mod shape;
mod split;
mod whole;

pub use check::{Dataset, Limits, Report, check, check_operators};
pub use row::{DEFAULT_SYSTEM, Row};
pub use seed::{Seed, SeedError};
pub use split::{Part, PartName, Split, split};
