//! The registry service: `http → service → {store, blobs, log}`.
//!
//! A request goes down once and comes up once: `http` parses and authenticates, `service` authorises and decides with
//! the rules of `retoque-core`, `store` keeps rows, `blobs` keeps bytes by digest.

pub mod blobs;
pub mod clock;
pub mod config;
pub mod log;
pub mod store;
pub mod token;
