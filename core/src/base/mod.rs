//! The base record: what an exact base revision holds (files, tensors) and proof that a folder is that base.
//!
//! Clause: specification, sections 2, 3 and 8. Names alone never count as proof.

mod record;

pub use record::*;
