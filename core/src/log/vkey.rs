//! Verifier keys of C2SP signed notes, `name+hash+base64(algorithm key)`, and what a key name may be.
//!
//! Refuses names with spaces, control characters or `+`, a hash that is not the key's own, second spellings, and every
//! algorithm but Ed25519 (1) and timestamped cosignatures (4).

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::digest::Hasher;
use crate::problem::{Finding, Place, VERIFIER_KEY_INVALID, quote};
use crate::sign::PublicKey;

/// How the lines of a key are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Algorithm {
    /// Ed25519 over the text of the note: how a log signs.
    Ed25519 = 1,
    /// Ed25519 with a timestamp over a checkpoint, `cosignature/v1`: how a witness signs.
    Cosignature = 4,
}

/// A public key with the name and the algorithm of its lines. Name and key id together say who a line claims to be of.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    algorithm: Algorithm,
    key: PublicKey,
    id: u32,
}

impl VerifierKey {
    /// The key under this name.
    pub fn new(name: &str, algorithm: Algorithm, key: PublicKey) -> Result<Self, Finding> {
        if !is_name(name) {
            return Err(refuse(
                format!("the name {}", quote(name)),
                "a name without spaces, control characters and `+`",
            ));
        }
        let id = key_id(name, algorithm, &key);
        Ok(Self { name: name.to_owned(), algorithm, key, id })
    }

    /// How a log of this origin signs with `key`.
    pub fn log(origin: &str, key: PublicKey) -> Result<Self, Finding> {
        Self::new(origin, Algorithm::Ed25519, key)
    }

    /// How a cosigner of this name signs with `key`.
    pub fn cosigner(name: &str, key: PublicKey) -> Result<Self, Finding> {
        Self::new(name, Algorithm::Cosignature, key)
    }

    /// The key name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The public key.
    pub const fn key(&self) -> &PublicKey {
        &self.key
    }

    /// The short id that lines of this key start with. A hint, never a reason to trust.
    pub const fn id(&self) -> u32 {
        self.id
    }
}

/// Whether `name` may name a key (and so be the origin of a log here).
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && !name.contains('+')
        && !name.chars().any(|c| c.is_whitespace() || c.is_control())
}

fn key_id(name: &str, algorithm: Algorithm, key: &PublicKey) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(name.as_bytes());
    hasher.update(&[b'\n', algorithm as u8]);
    hasher.update(key.as_bytes());
    let [a, b, c, d, ..] = *hasher.finish().as_bytes();
    u32::from_be_bytes([a, b, c, d])
}

impl FromStr for VerifierKey {
    type Err = Finding;

    fn from_str(text: &str) -> Result<Self, Finding> {
        const FORM: &str = "`name+hash+key`: eight hex digits of hash, the key in base64";
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(_), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(refuse(quote(text), FORM));
        };
        let bytes = STANDARD.decode(key).map_err(|_| refuse(format!("the key {}", quote(key)), FORM))?;
        let Some((algorithm, key)) = bytes.split_first() else { return Err(refuse(quote(text), FORM)) };
        let algorithm = match algorithm {
            1 => Algorithm::Ed25519,
            4 => Algorithm::Cosignature,
            other => {
                let known = "algorithm 1 (Ed25519) or 4 (Ed25519 cosignature)";
                return Err(refuse(format!("signature algorithm {other}"), known));
            }
        };
        let key = <&[u8; 32]>::try_from(key)
            .map_err(|_| refuse(format!("a key of {} bytes", key.len()), "32 bytes of an Ed25519 key"))?;
        let key = Self::new(name, algorithm, PublicKey::from_bytes(key)?)?;
        // Printing it again finds a foreign hash and every second spelling at once.
        if key.to_string() == text { Ok(key) } else { Err(refuse(quote(text), key.to_string())) }
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![self.algorithm as u8];
        bytes.extend_from_slice(self.key.as_bytes());
        write!(f, "{}+{:08x}+{}", self.name, self.id, STANDARD.encode(bytes))
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "copy the verifier key again from who runs the log or the witness";
    Finding::new(VERIFIER_KEY_INVALID, Place::default(), found, expected, next)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::sign::{SecretKey, Signer as _};

    #[test]
    fn printed_and_read_again() {
        let public = SecretKey::from_seed(&[3; 32]).unwrap().public().clone();
        for algorithm in [Algorithm::Ed25519, Algorithm::Cosignature] {
            let key = VerifierKey::new("log.example/a", algorithm, public.clone()).unwrap();
            assert_eq!(key.to_string().parse::<VerifierKey>().unwrap(), key);
        }
        // The example key of the Go documentation of signed notes.
        let go = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        assert_eq!(go.parse::<VerifierKey>().unwrap().id(), 0xc74f_20a3);
        for bad in [
            "PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumanm+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumann+c74f20a3+AhpcAQcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10T",
            "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumann+c74f20a3",
            "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "",
        ] {
            assert_eq!(bad.parse::<VerifierKey>().unwrap_err().code, VERIFIER_KEY_INVALID, "{bad}");
        }
    }
}
