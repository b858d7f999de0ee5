//! Who may do what: roles, acts, and the one function that decides.

mod role;

pub use role::{OrgRole, PlatformRole, Who};
