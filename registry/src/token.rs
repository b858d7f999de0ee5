//! The text of a token: `rtq_`, 64 hex digits of randomness, and 6 hex digits of its own SHA-256.
//!
//! The checksum lets both ends refuse a mistyped or cut-off token without a lookup, and lets scanners recognise a leaked
//! one. What is stored is the SHA-256 of the whole text: 256 random bits need no slow hash.
//! Clause: specification, section 10.

use retoque_core::digest::Digest;
use secrecy::{ExposeSecret, SecretString};

use crate::clock::{Chance, NoEntropy};

const PREFIX: &str = "rtq_";
const RANDOM: usize = 64;
const CHECK: usize = 6;

/// A well-formed token. Its text is shown only on purpose, never by formatting.
#[derive(Debug, Clone)]
pub struct TokenText(SecretString);

/// The text is not a token at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is `rtq_` and {} hex digits, the last {CHECK} of which are its checksum", RANDOM + CHECK)]
pub struct NotAToken;

impl TokenText {
    /// A new token.
    pub fn mint(chance: &Chance) -> Result<Self, NoEntropy> {
        let body = format!("{PREFIX}{}", hex::encode(chance.bytes::<32>()?));
        Ok(Self(format!("{body}{}", checksum(&body)).into()))
    }

    /// Checks the shape and the checksum.
    pub fn parse(text: &str) -> Result<Self, NotAToken> {
        let hex = text.strip_prefix(PREFIX).ok_or(NotAToken)?;
        if hex.len() != RANDOM + CHECK || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(NotAToken);
        }
        let (body, check) = text.split_at(PREFIX.len() + RANDOM);
        if check == checksum(body) { Ok(Self(text.to_owned().into())) } else { Err(NotAToken) }
    }

    /// Under which digest it is stored.
    pub fn digest(&self) -> Digest {
        Digest::of(self.0.expose_secret().as_bytes())
    }

    /// The text itself, to be handed to its owner once.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

fn checksum(body: &str) -> String {
    let mut hex = Digest::of(body.as_bytes()).hex();
    hex.truncate(CHECK);
    hex
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn only_whole_tokens_parse() {
        let token = TokenText::mint(&Chance::system()).unwrap();
        let text = token.reveal().to_owned();
        assert_eq!(TokenText::parse(&text).unwrap().digest(), token.digest());
        assert!(!format!("{token:?}").contains(&text[4..]));
        for bad in [&text[..text.len() - 1], &text[1..], &text.to_uppercase(), &format!("{text} "), "", "rtq_"] {
            assert!(TokenText::parse(bad).is_err());
        }
        // Any one changed digit is noticed.
        for at in 4..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            assert!(TokenText::parse(std::str::from_utf8(&other).unwrap()).is_err());
        }
    }
}
