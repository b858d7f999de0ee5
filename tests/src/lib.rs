//! What the test binaries share.

pub mod database;
pub mod postgres;
pub mod registry;
