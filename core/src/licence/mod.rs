//! Licences: the state of a version, the signed records of its changes, and `LICENSE.txt`.
//!
//! `none` until publication, then `granted-free` or `granted-paid`, and `ended` for new pulls after a
//! withdrawal. Records are appended and never changed. Clause: specification, section 6 (licence state).

mod record;
mod text;

pub use record::{Licence, LicenceState};
pub use text::{Terms, license_text};
