//! Where objects lie. The only code that computes a path.
//!
//! ```text
//! blobs/sha256/ab/abcdef…   64 hex digits; the first two are repeated so that no folder grows too large
//! staging/<uuid>            bytes that are not yet what they claim to be; anything here may be thrown away
//! ```

use std::fmt;

use object_store::path::Path;
use retoque_core::digest::Digest;
use uuid::Uuid;

use crate::clock::{Chance, NoEntropy};

/// The place of one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// For good, under its digest.
    Blob(Digest),
    /// For the time being.
    Staging(Uuid),
}

impl Place {
    /// A new place in staging.
    pub fn staging(chance: &Chance) -> Result<Self, NoEntropy> {
        chance.uuid().map(Self::Staging)
    }

    /// The place in staging that a row of the database names.
    pub fn from_staging_path(text: &str) -> Option<Self> {
        Uuid::try_parse(text.strip_prefix("staging/")?).ok().map(Self::Staging)
    }

    /// The place of an object with this path; nothing for what is none of ours.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let text = path.as_ref();
        let blob = text.strip_prefix("blobs/sha256/").and_then(|rest| rest.split_once('/'));
        let place = match blob {
            Some((_, hex)) => Self::Blob(format!("sha256:{hex}").parse().ok()?),
            None => Self::from_staging_path(text)?,
        };
        (place.to_string() == text).then_some(place)
    }

    pub(super) fn path(&self) -> Path {
        Path::from(self.to_string())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(digest) => {
                let hex = digest.hex();
                write!(f, "blobs/sha256/{}/{hex}", &hex[..2])
            }
            Self::Staging(id) => write!(f, "staging/{}", id.hyphenated()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn places_are_as_drawn() {
        let blob = Place::Blob(Digest::of(b""));
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(blob.to_string(), format!("blobs/sha256/e3/{hex}"));
        let staging = Place::staging(&Chance::system()).unwrap();
        assert_eq!(Place::from_staging_path(&staging.to_string()), Some(staging));
        for place in [blob, staging] {
            assert_eq!(Place::of(&place.path()), Some(place));
        }
        assert_eq!(Place::of(&Path::from(format!("blobs/sha256/00/{hex}"))), None);
        for bad in ["staging/../blobs", "staging/", "blobs/sha256/e3", ""] {
            assert_eq!(Place::from_staging_path(bad), None);
        }
    }
}
