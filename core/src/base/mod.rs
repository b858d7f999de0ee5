//! The base record: what an exact base revision holds (files, tensors) and proof that a folder is that base.
//!
//! A record is built from the files of a snapshot, each read once ([`measure()`], [`Builder`]), and kept as
//! canonical JSON. Refuses snapshots without weights, configuration or tokenizer, tensors that two shards
//! hold, an index that does not match its shards. Clause: specification, sections 2, 3 and 8. Names alone
//! never count as proof.

mod architecture;
mod builder;
mod loaded;
mod measure;
mod path;
mod record;
mod stored;
mod tokenizer;
mod weights;

pub use builder::Builder;
pub use loaded::is_loaded;
pub use measure::{Measured, measure};
pub use path::is_plain;
pub use record::*;
pub use tokenizer::tokenizer_digest;

#[cfg(test)]
mod tests;
