//! What an adapter patch is and when it may be trusted: package format, domain rules and signatures.
//!
//! The same code runs where the registry accepts a version and where a client verifies it, so this
//! crate does no I/O of its own, reads no clock and draws no random numbers: readers, writers, times
//! and salts come in as parameters. Every refusal is a [`problem::Finding`] from one closed catalogue.

pub mod adapter;
pub mod api;
pub mod archive;
pub mod base;
pub mod bundle;
pub mod canonical;
pub mod dataset;
pub mod decision;
pub mod digest;
pub mod evaluation;
pub mod id;
pub mod json;
pub mod licence;
pub mod lifecycle;
pub mod log;
pub mod manifest;
pub mod patch;
pub mod permission;
pub mod problem;
pub mod release;
pub mod review;
pub mod safetensors;
pub mod sign;
pub mod status;
pub mod text;
