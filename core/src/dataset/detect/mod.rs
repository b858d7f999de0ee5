//! The scan for secrets, which block, and for likely personal data, which somebody has to acknowledge.

mod sightings;

pub(crate) use sightings::Sightings;
