//! States, actions and the one table of moves between them.
//!
//! Clause: specification, section 6. Everything that says what may happen to a version (documentation,
//! permissions, `allowed_actions`, tests) is read from [`TRANSITIONS`].

mod table;

pub use table::*;
