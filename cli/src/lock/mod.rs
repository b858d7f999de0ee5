//! `patches.toml` and `patches.lock`: which patches a project uses, and exactly which versions those are.
//!
//! People write `patches.toml` ([`Wants`]); `retoque lock` writes `patches.lock` ([`Lock`]), one proven version for each
//! entry, with the position of the log at which it was chosen. A locked version that still satisfies its entry stays;
//! nothing moves to another one unless somebody asks. Refused, each with its line: entries that cannot be read, entries
//! that share a folder, folders outside of the project, and a lock that disagrees with the entries or that belongs to
//! another registry. Clause: specification, section 7.

mod agree;
mod entry;
mod file;
mod install;
mod members;
mod place;
mod position;
mod renew;
mod wants;

pub use agree::{disagreements, stays};
pub use file::{FORMAT, Lock, Locked, Position};
pub use install::{Done, Prepared, Site, There, check_facts, judge};
pub use place::Project;
pub use position::check_positions;
pub use renew::{Renewal, Renewed, Step, Upgrade};
pub use wants::{Want, Wants};
