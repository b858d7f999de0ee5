//! `adapter_config.json`: read strictly, compared with the declared base, and rewritten for the package.
//!
//! Refuses what is not the configuration of a plain LoRA adapter: other methods and schemas, options that
//! change what is computed (by name), unknown options with a value, and any statement about the base that
//! differs from the declared pin. What is not stated is filled in with the pin, saying so. All findings of
//! one file are made together. Clause: specification, sections 2 and 3.

mod document;
mod fields;
pub mod local_path;
mod options;
mod packaged;
mod pin;
mod write;

pub use fields::{Config, Draft, Targets};
pub use packaged::check_packaged;
pub use pin::{PinnedConfig, pin};

use crate::json::Value;
use crate::problem::{Findings, Place};

/// The name of the configuration in a folder and in a package.
pub const FILE: &str = "adapter_config.json";

/// Most bytes of a configuration.
pub const MAX_BYTES: usize = 64 << 10;

/// Reads a configuration. The draft holds what could be understood, also beside findings; it becomes a
/// [`Config`] only when nothing was refused.
pub fn parse(bytes: &[u8]) -> (Option<Draft>, Findings) {
    let place = Place::file(FILE);
    let members = match document::members(bytes, &place) {
        Ok(members) => members,
        Err(findings) => return (None, findings),
    };
    let mut findings = Findings::new();
    let object = Value::Object(members);
    options::check(&object, &place, &mut findings);
    let draft = fields::read(object, &place, &mut findings);
    (Some(draft), findings)
}

#[cfg(test)]
mod tests;
