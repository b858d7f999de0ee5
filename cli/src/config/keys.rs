//! `keys/<account>.pem`: the signing keys of the people who use this machine.
//!
//! A key may be encrypted. Its passphrase comes from `--passphrase-file`, from `RETOQUE_PASSPHRASE` or from a prompt that
//! does not show it; never from the command line, where other users could read it.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use retoque_core::id::AccountName;
use retoque_core::problem::{INPUT_UNREADABLE, KEY_ENCRYPTED, KEY_EXISTS, KEY_MISSING};
use retoque_core::sign::{SecretKey, is_encrypted};
use secrecy::{ExposeSecret as _, SecretString};

use super::home::check_private;
use super::{Environment, Home};
use crate::args::Global;
use crate::error::Failure;
use crate::{clock, files};

/// The most bytes of a key file.
const MAX_BYTES: u64 = 16 << 10;
/// The most bytes of a file with a passphrase.
const MAX_PASSPHRASE: u64 = 1 << 10;

/// The environment with the passphrase of `--passphrase-file`, if one is named: the first line of the file.
pub fn with_passphrase(mut environment: Environment, global: &Global) -> Result<Environment, Failure> {
    if let Some(path) = &global.passphrase_file {
        let text = SecretString::from(String::from_utf8_lossy(&files::read(path, MAX_PASSPHRASE)?).into_owned());
        check_private(path)?;
        environment.passphrase = Some(text.expose_secret().lines().next().unwrap_or_default().to_owned().into());
    }
    Ok(environment)
}

impl Home {
    /// Where the key of an account is kept.
    pub fn key_path(&self, account: &AccountName) -> PathBuf {
        self.path("keys").join(format!("{account}.pem"))
    }

    /// Makes a key and writes it to `path`, which must not exist yet; encrypted when there is a passphrase. Returns the
    /// key.
    pub fn generate_key(path: &Path, passphrase: Option<&SecretString>) -> Result<SecretKey, Failure> {
        if path.try_exists().map_err(|e| files::unreadable(path, &e))? {
            let message = format!("{}: there is a key already", files::shown(path));
            return Err(Failure::new(KEY_EXISTS, message, "keep it, or name another file with --out"));
        }
        let key = SecretKey::from_seed(&clock::random()?)?;
        let pem = match passphrase {
            Some(passphrase) => key.to_encrypted_pem(passphrase.expose_secret(), &clock::random()?)?,
            None => key.to_pem()?,
        };
        files::write_new(path, pem.as_bytes(), 0o600)?;
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
        self.read_key(&path)
    }

    /// Reads a key from a file.
    pub fn read_key(&self, path: &Path) -> Result<SecretKey, Failure> {
        read_key(path, self.passphrase.as_ref())
    }
}

/// Reads a private key from a file that only its owner can read. An encrypted one needs the passphrase; when none is
/// given and somebody is there to answer, it is asked for.
pub fn read_key(path: &Path, passphrase: Option<&SecretString>) -> Result<SecretKey, Failure> {
    let pem = SecretString::from(String::from_utf8_lossy(&files::read(path, MAX_BYTES)?).into_owned());
    check_private(path)?;
    let pem = pem.expose_secret();
    let key = if is_encrypted(pem) {
        let asked = match passphrase {
            Some(_) => None,
            None => ask(&format!("Passphrase of {}: ", files::shown(path)))?,
        };
        match passphrase.or(asked.as_ref()) {
            Some(passphrase) => SecretKey::from_encrypted_pem(pem, passphrase.expose_secret().as_bytes()),
            None => SecretKey::from_pem(pem),
        }
    } else {
        SecretKey::from_pem(pem)
    };
    key.map_err(|finding| Failure::from(finding).during(files::shown(path)))
}

/// The passphrase for a new key: the given one, else one that is typed twice.
pub fn new_passphrase(given: Option<&SecretString>) -> Result<SecretString, Failure> {
    if let Some(passphrase) = given {
        return Ok(passphrase.clone());
    }
    let none = || {
        let next = "give one with --passphrase-file or in RETOQUE_PASSPHRASE";
        Failure::new(KEY_ENCRYPTED, "there is no passphrase to encrypt the key with", next)
    };
    let first = ask("Passphrase of the new key: ")?.ok_or_else(none)?;
    let again = ask("The same again: ")?.ok_or_else(none)?;
    if first.expose_secret() == again.expose_secret() {
        return Ok(first);
    }
    Err(Failure::usage("the two passphrases differ", "try again"))
}

/// Asks without showing the answer; nothing when nobody is there.
fn ask(prompt: &str) -> Result<Option<SecretString>, Failure> {
    let terminal = console::Term::stderr();
    if !terminal.is_term() || !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let failed = |e| Failure::new(INPUT_UNREADABLE, format!("the terminal: {e}"), "use --passphrase-file");
    terminal.write_str(prompt).map_err(failed)?;
    terminal.read_secure_line().map(|line| Some(line.into())).map_err(failed)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::problem::PASSPHRASE_WRONG;
    use retoque_core::sign::Signer as _;

    #[test]
    fn a_key_is_made_once_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pem");
        let key = Home::generate_key(&path, None).unwrap();
        assert_eq!(read_key(&path, None).unwrap().public(), key.public());
        assert!(Home::generate_key(&path, None).unwrap_err().is(KEY_EXISTS));
    }

    #[test]
    fn an_encrypted_key_opens_with_its_passphrase() {
        let dir = tempfile::tempdir().unwrap();
        let (path, words) = (dir.path().join("a.pem"), SecretString::from("correct horse battery"));
        let key = Home::generate_key(&path, Some(&words)).unwrap();
        assert_eq!(read_key(&path, Some(&words)).unwrap().public(), key.public());
        assert!(read_key(&path, Some(&"another one".into())).unwrap_err().is(PASSPHRASE_WRONG));
        let file = dir.path().join("words");
        files::write(&file, b"correct horse battery\nand more\n", 0o600).unwrap();
        let global = Global { passphrase_file: Some(file), ..Global::default() };
        let environment = with_passphrase(Environment::default(), &global).unwrap();
        assert!(read_key(&path, environment.passphrase.as_ref()).is_ok());
    }
}
