//! Ed25519 keys: the TUF key object and its id, PKCS#8 v1 PEM files, and the interface [`Signer`].
//!
//! Refuses public keys of small order and second spellings of the same point, and private keys in any
//! other form than PKCS#8. Debug output of a private key shows its id alone.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, EncodePublicKey as _, KeypairBytes};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use crate::digest::Digest;
use crate::problem::{Finding, KEY_ENCRYPTED, KEY_INVALID, KEY_WEAK, Place};

/// The TUF key id: SHA-256 of the canonical key object. A hint of who signed, never a reason to trust.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 32]);

impl KeyId {
    /// The id as the digest that it is.
    pub const fn digest(&self) -> Digest {
        Digest::from_bytes(self.0)
    }
}

/// Why a text is not a key id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a key id is 64 lower-case hex digits")]
pub struct KeyIdError;

impl FromStr for KeyId {
    type Err = KeyIdError;
    fn from_str(text: &str) -> Result<Self, KeyIdError> {
        Digest::from_hex(text).map(|d| Self(*d.as_bytes())).map_err(|_| KeyIdError)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for KeyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KeyId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A public key that is fit to be trusted. Serialised as the TUF key object.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    key: VerifyingKey,
    id: KeyId,
}

impl PublicKey {
    /// The key of these 32 bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Finding> {
        let refuse = |code, found: &str| {
            Finding::new(
                code,
                Place::default(),
                found,
                "the canonical encoding of an Ed25519 public key of full order",
                "make a new key with `retoque key generate`",
            )
        };
        let key = VerifyingKey::from_bytes(bytes)
            .map_err(|_| refuse(KEY_INVALID, "32 bytes that are no point of the curve"))?;
        if key.is_weak() {
            return Err(refuse(KEY_WEAK, "a key of small order"));
        }
        if key.to_edwards().compress().as_bytes() != bytes {
            return Err(refuse(KEY_WEAK, "a second spelling of a key"));
        }
        Ok(Self { key, id: key_id(bytes) })
    }

    /// The key of 64 lower-case hex digits.
    pub fn from_hex(text: &str) -> Result<Self, Finding> {
        let digits = Digest::from_hex(text).map_err(|_| {
            Finding::new(
                KEY_INVALID,
                Place::default(),
                super::excerpt(text),
                "64 lower-case hex digits",
                "copy the public key again",
            )
        })?;
        Self::from_bytes(digits.as_bytes())
    }

    /// The 64 hex digits.
    pub fn hex(&self) -> String {
        hex::encode(self.key.as_bytes())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// The key id.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// The key as `SubjectPublicKeyInfo` PEM, for other tools.
    pub fn to_pem(&self) -> Result<String, Finding> {
        self.key.to_public_key_pem(LineEnding::LF).map_err(|_| unwritable())
    }

    /// Whether `signature` over `message` was made with this key. Strict: no malleable or small-order forms.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|s| self.key.verify_strict(message, &s).is_ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.hex())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyObject {
    keytype: String,
    keyval: KeyValue,
    scheme: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyValue {
    public: String,
}

/// The key object is its own canonical form: members in order, ASCII, no spaces.
fn key_id(bytes: &[u8; 32]) -> KeyId {
    let object =
        format!(r#"{{"keytype":"ed25519","keyval":{{"public":"{}"}},"scheme":"ed25519"}}"#, hex::encode(bytes));
    KeyId(*Digest::of(object.as_bytes()).as_bytes())
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ed25519 = || "ed25519".to_owned();
        KeyObject { keytype: ed25519(), keyval: KeyValue { public: self.hex() }, scheme: ed25519() }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = KeyObject::deserialize(deserializer)?;
        if object.keytype != "ed25519" || object.scheme != "ed25519" {
            return Err(serde::de::Error::custom("only ed25519 keys are known"));
        }
        Self::from_hex(&object.keyval.public).map_err(serde::de::Error::custom)
    }
}

/// Something that signs. The key behind it may live in a file, a token or a service.
pub trait Signer {
    /// The public half.
    fn public(&self) -> &PublicKey;
    /// The 64-byte Ed25519 signature over `message`.
    fn sign(&self, message: &[u8]) -> Result<[u8; 64], Finding>;
}

/// A private key in memory, wiped when dropped.
pub struct SecretKey {
    key: SigningKey,
    public: PublicKey,
}

impl SecretKey {
    /// The key of this seed: 32 bytes from a source of randomness that the caller has.
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, Finding> {
        let key = SigningKey::from_bytes(seed);
        let public = PublicKey::from_bytes(key.verifying_key().as_bytes())?;
        Ok(Self { key, public })
    }

    /// Reads a PKCS#8 PEM file. A public half in it (v2) must fit.
    pub fn from_pem(pem: &str) -> Result<Self, Finding> {
        let refuse = |found: &str| {
            Finding::new(
                KEY_INVALID,
                Place::default(),
                found,
                "an unencrypted Ed25519 private key in PKCS#8 PEM",
                "give the file that `retoque key generate` wrote",
            )
        };
        if super::is_encrypted(pem) {
            let next = "give its passphrase: with --passphrase-file, in RETOQUE_PASSPHRASE or at the prompt";
            return Err(Finding { code: KEY_ENCRYPTED, next: next.to_owned(), ..refuse("an encrypted key") });
        }
        let pair =
            KeypairBytes::from_pkcs8_pem(pem).map_err(|_| refuse("a file that is no such key (content not shown)"))?;
        Self::from_pair(&pair)
    }

    /// The key of a PKCS#8 document; a public half in it must fit.
    pub(super) fn from_pair(pair: &KeypairBytes) -> Result<Self, Finding> {
        let key = Self::from_seed(&pair.secret_key)?;
        match &pair.public_key {
            Some(public) if public.0 != *key.key.verifying_key().as_bytes() => Err(Finding::new(
                KEY_INVALID,
                Place::default(),
                "a key file whose public half belongs to another key",
                "an Ed25519 private key",
                "give the file that `retoque key generate` wrote",
            )),
            _ => Ok(key),
        }
    }

    /// The key as a PKCS#8 document, version 1.
    pub(super) fn pair(&self) -> KeypairBytes {
        KeypairBytes { secret_key: self.key.to_bytes(), public_key: None }
    }

    /// Writes PKCS#8 version 1 PEM, which every OpenSSL reads.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, Finding> {
        self.pair().to_pkcs8_pem(LineEnding::LF).map_err(|_| unwritable())
    }
}

fn unwritable() -> Finding {
    Finding::new(KEY_INVALID, Place::default(), "a key that cannot be written", "a PEM file", "make a new key")
}

impl Signer for SecretKey {
    fn public(&self) -> &PublicKey {
        &self.public
    }

    fn sign(&self, message: &[u8]) -> Result<[u8; 64], Finding> {
        Ok(self.key.sign(message).to_bytes())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(id {})", self.public.id())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn pem_round_trip_is_version_one_and_debug_is_silent() {
        let key = SecretKey::from_seed(&[7; 32]).unwrap();
        let pem = key.to_pem().unwrap();
        // 48 bytes of DER: version 1 has no public half.
        assert_eq!(pem.lines().nth(1).unwrap().len(), 64);
        assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI"));
        let again = SecretKey::from_pem(&pem).unwrap();
        assert_eq!(again.public(), key.public());
        assert_eq!(format!("{key:?}"), format!("SecretKey(id {})", key.public().id()));
        for bad in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", &pem[..60]] {
            assert_eq!(SecretKey::from_pem(bad).unwrap_err().code, KEY_INVALID);
        }
    }

    #[test]
    fn weak_and_second_spellings_are_refused() {
        let mut one = [0; 32];
        one[0] = 1; // the neutral element
        let mut off_curve = [0; 32];
        off_curve[0] = 2;
        let mut p_plus_one = [0xff; 32]; // y = p + 1, a second spelling of y = 1
        (p_plus_one[0], p_plus_one[31]) = (0xee, 0x7f);
        assert_eq!(PublicKey::from_bytes(&one).unwrap_err().code, KEY_WEAK);
        assert_eq!(PublicKey::from_bytes(&[0; 32]).unwrap_err().code, KEY_WEAK);
        assert_eq!(PublicKey::from_bytes(&p_plus_one).unwrap_err().code, KEY_WEAK);
        assert_eq!(PublicKey::from_bytes(&off_curve).unwrap_err().code, KEY_INVALID);
        // y = p + 3 is a point of full order, spelt as no signer writes it.
        let mut p_plus_three = [0xff; 32];
        (p_plus_three[0], p_plus_three[31]) = (0xf0, 0x7f);
        assert!(PublicKey::from_bytes(&p_plus_three).is_err());
        assert!(PublicKey::from_hex(&"AB".repeat(32)).is_err());
    }

    #[test]
    fn the_id_is_the_digest_of_the_key_object() {
        let key = SecretKey::from_seed(&[1; 32]).unwrap();
        let object = crate::canonical::to_vec(key.public()).unwrap();
        assert_eq!(key.public().id().to_string(), Digest::of(&object).hex());
        assert_eq!(serde_json::from_slice::<PublicKey>(&object).unwrap(), *key.public());
    }
}
