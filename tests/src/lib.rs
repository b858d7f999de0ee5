//! What the test binaries share.

pub mod command;
pub mod database;
pub mod packages;
pub mod peers;
pub mod postgres;
pub mod programs;
pub mod proxy;
pub mod registry;
pub mod town;
