//! The scan for secrets, which block, and for likely personal data, which somebody has to acknowledge.

mod sightings;

pub(crate) use sightings::Sightings;

/// Whether a text holds what looks like a secret.
pub fn has_secret(_text: &str) -> bool {
    false
}
