//! Adapters: the folder that a trainer leaves, its configuration, its weights, and whether they fit the base.
//!
//! The packer runs [`folder::classify`] and [`examine`] over a trainer's folder; the registry and every
//! verifier run [`examine_packaged`] over the files of a package. Both are the same rules, made in one pass
//! over the weights; all findings of one adapter come together. Clause: specification, sections 2 and 3.

pub mod config;
pub mod coverage;
mod examine;
pub mod folder;
pub mod policy;
mod scale;
mod section;
pub mod weights;

pub use examine::{Examined, Input, examine, examine_packaged};
pub use policy::Policy;
pub use scale::scale;
pub use section::section;
