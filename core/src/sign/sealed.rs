//! Private keys encrypted at rest: PKCS#8 `EncryptedPrivateKeyInfo` (PBES2) in PEM, which every OpenSSL opens.
//!
//! Written with scrypt (N = 16,384, r = 8, p = 5: as much memory as OpenSSL allows by default, and as much work as is
//! advised) and AES-256-CBC, version 1 inside. Read with scrypt or PBKDF2 and AES. Refuses passphrases under
//! 8 characters when writing. A wrong passphrase and a damaged file cannot be told apart.

use pkcs8::der::pem::{LineEnding, PemLabel as _};
use pkcs8::der::{Document, SecretDocument, asn1::OctetString};
use pkcs8::pkcs5::pbes2::Parameters;
use pkcs8::pkcs5::scrypt;
use pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, EncryptedPrivateKeyInfoOwned};
use zeroize::Zeroizing;

use super::key::SecretKey;
use crate::problem::{Finding, KEY_INVALID, PASSPHRASE_SHORT, PASSPHRASE_WRONG, Place};

/// The shortest passphrase with which a key is encrypted, in characters.
pub const MIN_PASSPHRASE: usize = 8;

/// scrypt: log2 N, r, p.
const COST: (u8, u32, u32) = (14, 8, 5);

/// Whether the text is an encrypted private key, so that a passphrase is needed to read it.
pub fn is_encrypted(pem: &str) -> bool {
    pem.trim_start().starts_with(&format!("-----BEGIN {}-----", EncryptedPrivateKeyInfoOwned::PEM_LABEL))
}

impl SecretKey {
    /// Reads an encrypted PKCS#8 PEM file.
    pub fn from_encrypted_pem(pem: &str, passphrase: &[u8]) -> Result<Self, Finding> {
        let sealed = open_pem(pem).ok_or_else(|| invalid("a file that is no encrypted key (content not shown)"))?;
        let wrong = || {
            Finding::new(
                PASSPHRASE_WRONG,
                Place::default(),
                "a passphrase that does not open the key, or a damaged file",
                "the passphrase with which the key was encrypted",
                "try again; a lost passphrase means a new key and the next root",
            )
        };
        let plain = sealed.decrypt(passphrase).map_err(|_| wrong())?;
        // A wrong passphrase sometimes gives well-padded noise.
        let pair = ed25519_dalek::pkcs8::KeypairBytes::from_pkcs8_der(plain.as_bytes()).map_err(|_| wrong())?;
        Self::from_pair(&pair)
    }

    /// Writes encrypted PKCS#8 PEM. `random` is 32 fresh bytes of the caller's source of randomness: salt and
    /// initialisation vector.
    pub fn to_encrypted_pem(&self, passphrase: &str, random: &[u8; 32]) -> Result<Zeroizing<String>, Finding> {
        if passphrase.chars().count() < MIN_PASSPHRASE {
            return Err(Finding::new(
                PASSPHRASE_SHORT,
                Place::default(),
                format!("{} characters", passphrase.chars().count()),
                format!("at least {MIN_PASSPHRASE}"),
                "choose a longer passphrase, such as five random words",
            ));
        }
        let (salt, iv) = random.split_at(16);
        let iv: [u8; 16] = iv.try_into().map_err(|_| unwritable())?;
        let (log_n, r, p) = COST;
        let cost = scrypt::Params::new(log_n, r, p).map_err(|_| unwritable())?;
        let scheme = Parameters::generate_scrypt_aes256cbc(cost, salt, iv).map_err(|_| unwritable())?;
        let plain: SecretDocument = self.pair().to_pkcs8_der().map_err(|_| unwritable())?;
        let data = scheme.encrypt(passphrase, plain.as_bytes()).map_err(|_| unwritable())?;
        let encrypted_data = OctetString::new(data).map_err(|_| unwritable())?;
        let sealed = EncryptedPrivateKeyInfoOwned { encryption_algorithm: scheme.into(), encrypted_data };
        let document = SecretDocument::try_from(sealed).map_err(|_| unwritable())?;
        document.to_pem(EncryptedPrivateKeyInfoOwned::PEM_LABEL, LineEnding::LF).map_err(|_| unwritable())
    }
}

fn open_pem(pem: &str) -> Option<EncryptedPrivateKeyInfoOwned> {
    let (label, document) = Document::from_pem(pem).ok()?;
    if label != EncryptedPrivateKeyInfoOwned::PEM_LABEL {
        return None;
    }
    document.decode_msg().ok()
}

fn unwritable() -> Finding {
    invalid("a key that cannot be encrypted")
}

fn invalid(found: &str) -> Finding {
    let expected = "an Ed25519 private key in PKCS#8 PEM, encrypted with PBES2";
    Finding::new(KEY_INVALID, Place::default(), found, expected, "give the file that `retoque key generate` wrote")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::problem::KEY_ENCRYPTED;
    use crate::sign::Signer as _;

    #[test]
    fn a_sealed_key_opens_with_its_passphrase_alone() {
        let key = SecretKey::from_seed(&[7; 32]).unwrap();
        let pem = key.to_encrypted_pem("correct horse battery", &[9; 32]).unwrap();
        assert!(is_encrypted(&pem) && !is_encrypted(&key.to_pem().unwrap()));
        assert_eq!(SecretKey::from_encrypted_pem(&pem, b"correct horse battery").unwrap().public(), key.public());
        let code = |pem: &str, words: &[u8]| SecretKey::from_encrypted_pem(pem, words).unwrap_err().code;
        assert_eq!(code(&pem, b"correct horse"), PASSPHRASE_WRONG);
        assert_eq!(code(&pem, b""), PASSPHRASE_WRONG);
        assert_eq!(code(&key.to_pem().unwrap(), b"correct horse battery"), KEY_INVALID);
        assert_eq!(code(&pem[..100], b"correct horse battery"), KEY_INVALID);
        assert_eq!(SecretKey::from_pem(&pem).unwrap_err().code, KEY_ENCRYPTED);
        assert_ne!(*pem, *key.to_encrypted_pem("correct horse battery", &[8; 32]).unwrap());
        assert_eq!(key.to_encrypted_pem("1234567", &[9; 32]).unwrap_err().code, PASSPHRASE_SHORT);
    }
}
