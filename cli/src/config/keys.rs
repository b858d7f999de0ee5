//! `keys/<account>.pem`: the signing keys of the people who use this machine.

use std::path::{Path, PathBuf};

use retoque_core::id::AccountName;
use retoque_core::problem::{KEY_EXISTS, KEY_MISSING};
use retoque_core::sign::SecretKey;

use super::Home;
use super::home::check_private;
use crate::error::Failure;
use crate::{clock, files};

/// The most bytes of a key file.
const MAX_BYTES: u64 = 16 << 10;

impl Home {
    /// Where the key of an account is kept.
    pub fn key_path(&self, account: &AccountName) -> PathBuf {
        self.path("keys").join(format!("{account}.pem"))
    }

    /// Makes a key and writes it to `path`, which must not exist yet. Returns the key.
    pub fn generate_key(path: &Path) -> Result<SecretKey, Failure> {
        if path.try_exists().map_err(|e| files::unreadable(path, &e))? {
            let message = format!("{}: there is a key already", files::shown(path));
            return Err(Failure::new(KEY_EXISTS, message, "keep it, or name another file with --out"));
        }
        let key = SecretKey::from_seed(&clock::random()?)?;
        files::write_new(path, key.to_pem()?.as_bytes(), 0o600)?;
        Ok(key)
    }

    /// Reads the key of an account.
    pub fn key(&self, account: &AccountName) -> Result<SecretKey, Failure> {
        let path = self.key_path(account);
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            let next = "make one with `retoque key generate` and register it with `retoque key register`, or name a \
                        file with --key";
            return Err(Failure::new(KEY_MISSING, format!("there is no key for {account} here"), next));
        }
        read_key(&path)
    }
}

/// Reads a private key from a file that only its owner can read.
pub fn read_key(path: &Path) -> Result<SecretKey, Failure> {
    let pem = secrecy::SecretString::from(String::from_utf8_lossy(&files::read(path, MAX_BYTES)?).into_owned());
    check_private(path)?;
    SecretKey::from_pem(secrecy::ExposeSecret::expose_secret(&pem))
        .map_err(|finding| Failure::from(finding).during(files::shown(path)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::sign::Signer as _;

    #[test]
    fn a_key_is_made_once_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pem");
        let key = Home::generate_key(&path).unwrap();
        assert_eq!(read_key(&path).unwrap().public(), key.public());
        assert!(Home::generate_key(&path).unwrap_err().is(KEY_EXISTS));
    }
}
