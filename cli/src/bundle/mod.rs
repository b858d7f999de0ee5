//! Bundles: making one of what a registry serves, verifying one, and unpacking one, the last two without network.
//!
//! The rules are `core::bundle`'s. Trust comes from roots that were pinned here; a bundle only names which of them, and
//! brings along the newer ones that follow. What is remembered of the log, when it is newer than the bundle, decides
//! whether the version may still be used. Clause: specification, section 8.

mod create;
mod open;
mod unpack;

pub use create::{Made, create};
pub use open::{Opened, Opening, claimed_origin};
pub use unpack::Unpack;
