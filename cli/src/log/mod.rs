//! The transparency log of a registry as a client reads it: tiles and entries over HTTP, each proven by the tree.
//!
//! The rules are `core::log`'s; here are the fetching, the cache on the disk, and what is done when something does not
//! fit. Size and root always come from a checkpoint that was verified before. Clause: TRUST, log and client duties.

mod cache;
mod entries;
mod fork;
mod other;
#[cfg(test)]
pub(crate) mod scripted;
mod tiles;
#[cfg(test)]
mod tiles_tests;
mod verify;

pub use cache::Cache;
pub use entries::Entries;
pub use fork::Fork;
pub use other::Other;
pub use tiles::Tiles;
pub use verify::{Counts, Verification};
