//! States, actions and the one table of moves between them.
//!
//! Clause: specification, section 6. Everything that says what may happen to a version (documentation,
//! permissions, `allowed_actions`, tests) is read from [`TRANSITIONS`].

mod apply;
mod reason;
mod rules;
mod table;

#[cfg(test)]
mod needs_tests;
#[cfg(test)]
mod tests;

pub use apply::{Facts, allowed, apply, check_served};
pub use reason::{Reason, TEXT as REASON_TEXT, reason_codes};
pub use rules::{Requirement, TRANSITIONS, Transition, markdown, transition};
pub use table::*;

/// Compares a committed file with what the code generates; on a difference the new text is left in the
/// temporary folder, to be looked at and copied.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
pub(crate) fn compare_generated(path: &str, text: &str) {
    let path = std::path::Path::new(path);
    if std::fs::read_to_string(path).unwrap_or_default() != text {
        let new = std::env::temp_dir().join(path.file_name().unwrap());
        std::fs::write(&new, text).unwrap();
        panic!("{} is not what the code says; the new text is in {}", path.display(), new.display());
    }
}
