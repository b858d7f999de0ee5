//! `manifest.json`: the canonical statement of everything in a package. Its digest identifies a version.
//!
//! Canonical JSON, no floats (decimals are strings), unknown fields refused; the bytes as stored are what
//! is signed and digested. Clause: specification, section 2.

mod types;

pub use types::*;
