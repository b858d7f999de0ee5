//! What the registry and its clients say to each other under `/api/v1`: plain shapes, no behaviour.
//!
//! Requests refuse unknown fields; responses may gain fields, so clients ignore what they do not know.
//! Times are RFC 3339 in UTC. Clause: specification, section 9.

mod account;
mod catalogue;
mod log;
mod problem;
mod version;

pub use account::*;
pub use catalogue::*;
pub use log::*;
pub use problem::*;
pub use version::*;

use serde::{Deserialize, Serialize};

/// One page of a list. `next` is the cursor of the following page, absent on the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// Pass it as `?cursor=` to get the following page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How many items a page holds unless `?limit=` says otherwise (at most [`PAGE_MAX`]).
pub const PAGE_DEFAULT: u32 = 50;
/// The most items of a page.
pub const PAGE_MAX: u32 = 200;
