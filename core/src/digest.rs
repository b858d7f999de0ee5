//! SHA-256 digests, in the one spelling `sha256:<64 lower-case hex>`, and a hasher that counts.
//!
//! Refuses upper-case hex, other algorithms and any other length (specification, section 1:
//! the manifest digest identifies a version, so it has exactly one spelling).

use std::fmt;
use std::io;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest. Displayed, parsed and serialised as `sha256:<64 lower-case hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Why a text is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a digest is `sha256:` and 64 lower-case hex digits")]
pub struct DigestError;

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest from its 32 bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 hex digits without the algorithm.
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }

    /// A digest from 64 lower-case hex digits without the algorithm.
    pub fn from_hex(text: &str) -> Result<Self, DigestError> {
        if text.len() != 64 || text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(DigestError);
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| DigestError)?;
        Ok(Self(bytes))
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        Self::from_hex(text.strip_prefix("sha256:").ok_or(DigestError)?)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Hashes what passes through and counts it, so that size and digest come from the same bytes.
#[derive(Clone, Default)]
pub struct Hasher {
    state: Sha256,
    bytes: u64,
}

impl Hasher {
    /// A hasher that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in `chunk`.
    pub fn update(&mut self, chunk: &[u8]) {
        self.state.update(chunk);
        self.bytes += chunk.len() as u64;
    }

    /// How many bytes were taken in.
    pub const fn len(&self) -> u64 {
        self.bytes
    }

    /// Whether nothing was taken in.
    pub const fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The digest of everything taken in.
    pub fn finish(self) -> Digest {
        Digest(self.state.finalize().into())
    }
}

impl io::Write for Hasher {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.update(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_only() {
        let digest = Digest::of(b"");
        let text = digest.to_string();
        assert_eq!(text, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(text.parse(), Ok(digest));
        for wrong in [&text[7..], &text.to_uppercase(), &text[..70], "sha512:00", ""] {
            assert_eq!(wrong.parse::<Digest>(), Err(DigestError), "{wrong}");
        }
    }

    #[test]
    fn hasher_counts_what_it_hashes() {
        let mut hasher = Hasher::new();
        hasher.update(b"ab");
        hasher.update(b"c");
        assert_eq!(hasher.len(), 3);
        assert_eq!(hasher.finish(), Digest::of(b"abc"));
    }
}
