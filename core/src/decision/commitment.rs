//! What stands in the log for a decision on a private patch: a salted commitment that only its org can open.

use serde::{Deserialize, Serialize};

use super::record::broken;
use crate::canonical;
use crate::digest::{Digest, Hasher};
use crate::json::{self, Limits};
use crate::problem::Finding;

/// The only format that this version of the library writes and reads.
pub const COMMITMENT_FORMAT: &str = "retoque-commitment/1";
/// The largest commitment.
pub const MAX_COMMITMENT: usize = 256;

/// SHA-256 over 32 random bytes and the record. It tells nothing of the record and holds to nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commitment {
    format: String,
    commitment: Digest,
}

impl Commitment {
    /// The commitment to `record` under `salt`.
    pub fn to(salt: &[u8; 32], record: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(salt);
        hasher.update(record);
        Self { format: COMMITMENT_FORMAT.to_owned(), commitment: hasher.finish() }
    }

    /// The commitment itself.
    pub const fn digest(&self) -> Digest {
        self.commitment
    }

    /// Whether `salt` and `record` open it.
    pub fn opens(&self, salt: &[u8; 32], record: &[u8]) -> bool {
        *self == Self::to(salt, record)
    }

    /// The bytes of the leaf.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Finding> {
        canonical::to_vec(self).map_err(|e| broken(&e.to_string()))
    }

    /// Reads a commitment; bytes that this code would not have written are refused.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        let limits = Limits { bytes: MAX_COMMITMENT, depth: 2 };
        let commitment: Self = json::decode(bytes, limits).map_err(|e| broken(&e.to_string()))?;
        if commitment.format == COMMITMENT_FORMAT && commitment.to_bytes()? == bytes {
            Ok(commitment)
        } else {
            Err(broken("a commitment of another format"))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_salt_and_record_open_it() {
        let (salt, other) = ([1; 32], [2; 32]);
        let bytes = Commitment::to(&salt, b"record").to_bytes().unwrap();
        let read = Commitment::parse(&bytes).unwrap();
        assert!(read.opens(&salt, b"record"));
        assert!(!read.opens(&other, b"record") && !read.opens(&salt, b"recorD"));
        assert!(Commitment::parse(&[&bytes[..], b" "].concat()).is_err());
    }
}
