//! in-toto Statement v1: a typed predicate about named digests.
//!
//! A statement is parsed once, from verified bytes, and only when those bytes are exactly what this code
//! would have written: so a signed document has one form and no member is ever ignored.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::dsse::{Envelope, IN_TOTO};
use super::excerpt;
use super::key::Signer;
use super::verified::{KeySet, Verified};
use crate::canonical;
use crate::digest::Digest;
use crate::json::{self, Limits};
use crate::problem::{Finding, Place, STATEMENT_INVALID, SUBJECT_MISMATCH};

/// `_type` of every statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The subject name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// What is said about the subjects.
pub trait Predicate: Serialize + DeserializeOwned {
    /// The `predicateType`.
    const TYPE: &'static str;
}

/// A digest as in-toto writes it: bare hex under the name of the algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    #[serde(with = "bare_hex")]
    sha256: Digest,
}

impl From<Digest> for DigestSet {
    fn from(sha256: Digest) -> Self {
        Self { sha256 }
    }
}

mod bare_hex {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::digest::Digest;

    pub(super) fn serialize<S: Serializer>(digest: &Digest, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&digest.hex())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        Digest::from_hex(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// One thing that the statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: DigestSet,
}

/// A statement with its predicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Statement<P> {
    #[serde(rename = "_type")]
    type_: String,
    subject: Vec<Subject>,
    predicate_type: String,
    predicate: P,
}

impl<P: Predicate> Statement<P> {
    /// A statement about `subjects`, which are put in the order of their names.
    pub fn new(subjects: BTreeMap<&str, Digest>, predicate: P) -> Self {
        let subject =
            subjects.into_iter().map(|(name, digest)| Subject { name: name.to_owned(), digest: digest.into() });
        Self {
            type_: STATEMENT_TYPE.to_owned(),
            subject: subject.collect(),
            predicate_type: P::TYPE.to_owned(),
            predicate,
        }
    }

    /// A statement about one version, by the digest of its manifest.
    pub fn about_manifest(manifest: Digest, predicate: P) -> Self {
        Self::new(BTreeMap::from([(MANIFEST, manifest)]), predicate)
    }

    /// What is said.
    pub const fn predicate(&self) -> &P {
        &self.predicate
    }

    /// What is said, without the subjects.
    pub fn into_predicate(self) -> P {
        self.predicate
    }

    /// The digest of the subject called `name`.
    pub fn subject(&self, name: &str) -> Option<Digest> {
        self.subject.iter().find(|s| s.name == name).map(|s| s.digest.sha256)
    }

    /// The bytes that are signed.
    pub fn to_payload(&self) -> Result<Vec<u8>, Finding> {
        canonical::to_vec(self).map_err(|e| invalid(&e.to_string()))
    }

    /// Signs the statement.
    pub fn sign(&self, signers: &[&dyn Signer]) -> Result<Envelope, Finding> {
        Envelope::sign(IN_TOTO, self.to_payload()?, signers)
    }

    /// Reads a statement from payload bytes that nobody has verified: to find out whose key is needed.
    pub fn parse_unverified(payload: &[u8]) -> Result<Self, Finding> {
        let statement: Self = json::decode(payload, Limits::DOCUMENT).map_err(|e| invalid(&e.to_string()))?;
        if statement.type_ != STATEMENT_TYPE || statement.predicate_type != P::TYPE {
            return Err(invalid(&format!("a statement of type {}", statement.predicate_type)));
        }
        let mut sorted = statement.subject.windows(2);
        if statement.subject.is_empty() || sorted.any(|pair| pair[0].name >= pair[1].name) {
            return Err(invalid("subjects that are absent, repeated or not in order"));
        }
        if statement.to_payload()? != payload {
            return Err(invalid("a statement that is not in its one canonical form"));
        }
        Ok(statement)
    }

    /// Verifies `envelope` with `keys` (see [`Envelope::verify_exact`]) and reads the statement from the verified bytes.
    pub fn verify(envelope: &Envelope, keys: &KeySet) -> Result<Verified<Self>, Finding> {
        envelope.verify_exact(IN_TOTO, keys)?.try_map(|payload| Self::parse_unverified(&payload))
    }

    /// Refuses unless the subjects are exactly these.
    pub fn check_subjects(&self, expected: &BTreeMap<&str, Digest>) -> Result<(), Finding> {
        let found: BTreeMap<&str, Digest> = self.subject.iter().map(|s| (s.name.as_str(), s.digest.sha256)).collect();
        if found == *expected {
            return Ok(());
        }
        let name =
            expected.iter().find(|(name, digest)| found.get(*name) != Some(*digest)).map_or("", |(name, _)| name);
        let text = |map: &BTreeMap<&str, Digest>| map.get(name).map_or_else(|| "nothing".to_owned(), Digest::to_string);
        Err(Finding::new(
            SUBJECT_MISMATCH,
            Place::field(format!("subject.{name}")),
            if name.is_empty() { "more subjects".to_owned() } else { text(&found) },
            if name.is_empty() { "no other subject".to_owned() } else { text(expected) },
            "do not use these files; fetch them again from the registry that you trust",
        ))
    }
}

fn invalid(found: &str) -> Finding {
    Finding::new(
        STATEMENT_INVALID,
        Place::default(),
        excerpt(found),
        "an in-toto Statement v1 of the expected predicate, in canonical form",
        "fetch the document again, or update this program when the registry is newer",
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Note {
        text: String,
    }

    impl Predicate for Note {
        const TYPE: &'static str = "https://example.com/note/v1";
    }

    #[test]
    fn one_form_only() {
        let statement = Statement::about_manifest(Digest::of(b"m"), Note { text: "é".into() });
        let payload = String::from_utf8(statement.to_payload().unwrap()).unwrap();
        assert_eq!(Statement::<Note>::parse_unverified(payload.as_bytes()).unwrap(), statement);
        let bad = [
            payload.replace("\"predicate\":{", "\"predicate\": {"),
            payload.replace("note/v1", "note/v2"),
            payload.replace("Statement/v1", "Statement/v0.1"),
            payload.replace("\"text\"", "\"more\":1,\"text\""),
            payload.replace("\"sha256\":\"", "\"sha256\":\"sha256:"),
            payload.replace("é", "\\u00e9"),
            payload.replacen("{\"_type\"", "{\"a\":1,\"_type\"", 1),
            payload.replace("\"subject\":[{", "\"subject\":[],\"x\":[{"),
        ];
        for text in bad {
            assert_eq!(Statement::<Note>::parse_unverified(text.as_bytes()).unwrap_err().code, STATEMENT_INVALID);
        }
    }

    #[test]
    fn repeated_or_missing_subjects_are_refused() {
        let mut statement = Statement::about_manifest(Digest::of(b"m"), Note { text: String::new() });
        let again = statement.subject[0].clone();
        statement.subject.push(again);
        assert!(Statement::<Note>::parse_unverified(&statement.to_payload().unwrap()).is_err());
        statement.subject.clear();
        assert!(Statement::<Note>::parse_unverified(&statement.to_payload().unwrap()).is_err());
    }

    #[test]
    fn subjects_must_be_exactly_the_expected() {
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        let two = Statement::new(BTreeMap::from([("a", a), ("b", b)]), Note { text: String::new() });
        assert!(two.check_subjects(&BTreeMap::from([("a", a), ("b", b)])).is_ok());
        for wrong in [BTreeMap::from([("a", a)]), BTreeMap::from([("a", b), ("b", b)]), BTreeMap::from([("c", a)])] {
            assert_eq!(two.check_subjects(&wrong).unwrap_err().code, SUBJECT_MISMATCH);
        }
    }
}
