//! The transparency log of a registry as a client reads it: tiles and entries over HTTP, each proven by the tree.
//!
//! The rules are `core::log`'s; here are the fetching, the cache on the disk, and what is done when something does not
//! fit. Size and root always come from a checkpoint that was verified before. Clause: TRUST, log and client duties.

mod cache;
mod fork;
mod tiles;
#[cfg(test)]
mod tiles_tests;

pub use cache::Cache;
pub use fork::Fork;
pub use tiles::Tiles;
