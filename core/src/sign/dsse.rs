//! DSSE v1.0.2 envelopes: reading, signing, verifying. Pure Ed25519 over the pre-authentication encoding.
//!
//! Refuses envelopes over 1 MiB, unknown or repeated members, any other base64 than the standard one,
//! and more than 16 signatures. A `keyid` is a hint for messages; every signature is tried with every trusted
//! key, and the threshold counts different trusted keys. Clause: specification, section 8.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::excerpt;
use super::key::{KeyId, PublicKey, Signer};
use super::verified::{KeySet, Verified};
use crate::canonical;
use crate::digest::Digest;
use crate::json::{self, Limits};
use crate::problem::{
    Code, ENVELOPE_INVALID, Finding, KEY_REVOKED, PAYLOAD_TYPE, Place, SIGNATURE_INVALID, SIGNER_UNKNOWN, THRESHOLD,
    UNSIGNED, WRONG_ROLE,
};

/// The largest envelope that is read.
pub const MAX_BYTES: usize = 1 << 20;
/// The most signatures that are looked at.
pub const MAX_SIGNATURES: usize = 16;
/// The payload type of in-toto statements.
pub const IN_TOTO: &str = "application/vnd.in-toto+json";
/// The payload type of root metadata.
pub const TUF: &str = "application/vnd.tuf+json";

const LIMITS: Limits = Limits { bytes: MAX_BYTES, depth: 8 };

/// A well-formed envelope. What it holds is believed only after [`Envelope::verify`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Envelope {
    payload: Vec<u8>,
    payload_type: String,
    signatures: Vec<(String, Vec<u8>)>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Raw {
    payload: String,
    payload_type: String,
    signatures: Vec<RawSignature>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSignature {
    #[serde(default)]
    keyid: String,
    sig: String,
}

impl TryFrom<Raw> for Envelope {
    type Error = String;
    fn try_from(raw: Raw) -> Result<Self, String> {
        if raw.signatures.len() > MAX_SIGNATURES {
            return Err(format!("{} signatures, more than {MAX_SIGNATURES}", raw.signatures.len()));
        }
        let decode = |what: &str, text: &str| {
            STANDARD.decode(text).map_err(|_| format!("{what} is not standard base64 with padding"))
        };
        let signatures = raw.signatures.into_iter().map(|s| {
            if s.keyid.len() > 128 {
                Err("a keyid over 128 bytes".into())
            } else {
                Ok((s.keyid, decode("sig", &s.sig)?))
            }
        });
        Ok(Self {
            signatures: signatures.collect::<Result<_, String>>()?,
            payload: decode("payload", &raw.payload)?,
            payload_type: raw.payload_type,
        })
    }
}

impl From<Envelope> for Raw {
    fn from(envelope: Envelope) -> Self {
        Self {
            payload: STANDARD.encode(&envelope.payload),
            payload_type: envelope.payload_type,
            signatures: (envelope.signatures.into_iter())
                .map(|(keyid, sig)| RawSignature { keyid, sig: STANDARD.encode(sig) })
                .collect(),
        }
    }
}

/// The bytes that are signed: type and payload, each with its length before it.
pub fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

impl Envelope {
    /// Reads an envelope, strictly and within [`MAX_BYTES`]. Nothing is verified yet.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        json::decode(bytes, LIMITS).map_err(|e| {
            Finding::new(
                ENVELOPE_INVALID,
                Place::default().at_byte(e.at as u64),
                excerpt(&e.kind.to_string()),
                "a DSSE envelope: payload, payloadType, signatures",
                "fetch the document again from the registry",
            )
        })
    }

    /// Signs `payload` with every signer, in the order given.
    pub fn sign(payload_type: &str, payload: Vec<u8>, signers: &[&dyn Signer]) -> Result<Self, Finding> {
        let message = pre_authentication_encoding(payload_type, &payload);
        let signatures = (signers.iter())
            .map(|signer| Ok((signer.public().id().to_string(), signer.sign(&message)?.to_vec())))
            .collect::<Result<_, Finding>>()?;
        Ok(Self { payload, payload_type: payload_type.to_owned(), signatures })
    }

    /// Adds one more signature over the same payload.
    pub fn add_signature(&mut self, signer: &dyn Signer) -> Result<(), Finding> {
        let message = pre_authentication_encoding(&self.payload_type, &self.payload);
        self.signatures.push((signer.public().id().to_string(), signer.sign(&message)?.to_vec()));
        Ok(())
    }

    /// The envelope as canonical JSON: its one stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A struct of strings always has a canonical form.
        canonical::to_vec(self).unwrap_or_default()
    }

    /// Digest of the stored form.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }

    /// Digest of the payload bytes.
    pub fn payload_digest(&self) -> Digest {
        Digest::of(&self.payload)
    }

    /// The payload before anything was verified: to find out whose keys are needed, never to act on.
    pub fn payload_unverified(&self) -> &[u8] {
        &self.payload
    }

    /// The payload type that the envelope claims.
    pub fn payload_type(&self) -> &str {
        &self.payload_type
    }

    /// The key ids that the signatures claim, as far as they are key ids.
    pub fn keyids(&self) -> Vec<KeyId> {
        self.signatures.iter().filter_map(|(keyid, _)| keyid.parse().ok()).collect()
    }

    /// The raw signatures with the key ids they claim.
    pub fn signatures(&self) -> &[(String, Vec<u8>)] {
        &self.signatures
    }

    /// Gives the payload when enough different keys of `keys` signed it as `payload_type`.
    pub fn verify(&self, payload_type: &str, keys: &KeySet) -> Result<Verified<Vec<u8>>, Finding> {
        if self.payload_type != payload_type {
            return Err(refuse(PAYLOAD_TYPE, excerpt(&self.payload_type), payload_type));
        }
        let message = pre_authentication_encoding(payload_type, &self.payload);
        let mut signers: Vec<KeyId> = Vec::new();
        for (_, signature) in &self.signatures {
            let signer = keys.keys().iter().find(|k| !signers.contains(&k.id()) && k.verifies(&message, signature));
            signers.extend(signer.map(PublicKey::id));
        }
        if keys.is_met_by(&signers) {
            return Ok(Verified::new(self.payload.clone(), signers, self.payload_digest(), self.digest()));
        }
        Err(self.diagnose(&message, keys, signers.len()))
    }

    /// As [`Envelope::verify`], and refuses anything beside the signatures that count: every signature must be of a
    /// different key of `keys`, under that key's id. So no byte of the envelope can change unnoticed.
    pub fn verify_exact(&self, payload_type: &str, keys: &KeySet) -> Result<Verified<Vec<u8>>, Finding> {
        let verified = self.verify(payload_type, keys)?;
        let named: Vec<_> = self.signatures.iter().map(|(keyid, _)| keyid.clone()).collect();
        let signers: Vec<_> = verified.signers().iter().map(KeyId::to_string).collect();
        if named == signers {
            return Ok(verified);
        }
        let expected = "signatures of different trusted keys alone, each under its key id";
        Err(refuse(SIGNATURE_INVALID, "a signature that does not count, or under another key id", expected))
    }

    fn diagnose(&self, message: &[u8], keys: &KeySet, good: usize) -> Finding {
        let purpose = keys.purpose();
        let wanted = format!("{} different signature(s) of `{purpose}`", keys.threshold());
        if self.signatures.is_empty() {
            return refuse(UNSIGNED, "no signature", wanted);
        }
        if good > 0 {
            return refuse(THRESHOLD, format!("{good} of them"), wanted);
        }
        let made_one = |key: &PublicKey| self.signatures.iter().any(|(_, s)| key.verifies(message, s));
        if let Some(key) = keys.revoked().iter().find(|key| made_one(key)) {
            return refuse(KEY_REVOKED, format!("a signature of the revoked key {}", key.id()), wanted);
        }
        let other = keys.elsewhere().iter().find(|(_, key)| made_one(key));
        if let Some((role, key)) = other {
            return refuse(WRONG_ROLE, format!("a signature of `{role}` (key {})", key.id()), wanted);
        }
        if let Some(id) = self.keyids().into_iter().find(|id| keys.get(*id).is_some()) {
            return refuse(SIGNATURE_INVALID, format!("a signature that key {id} did not make"), wanted);
        }
        let claimed = self.signatures.first().map_or("", |(keyid, _)| keyid);
        refuse(SIGNER_UNKNOWN, format!("a signature of key {}", excerpt(claimed)), wanted)
    }
}

fn refuse(code: Code, found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "do not use these files; fetch them again from the registry that you trust";
    Finding::new(code, Place::default(), found, expected, next)
}

/// Reads an envelope from `bytes` and verifies it at once.
pub fn verify(bytes: &[u8], payload_type: &str, keys: &KeySet) -> Result<Verified<Vec<u8>>, Finding> {
    Envelope::parse(bytes)?.verify(payload_type, keys)
}

#[cfg(test)]
#[path = "dsse_tests.rs"]
mod tests;
