//! The folder of the configuration and the files in it.

use std::fs;
use std::path::{Path, PathBuf};

use retoque_core::problem::{HOME_UNKNOWN, SECRET_EXPOSED, SETTINGS_INVALID};
use secrecy::SecretString;

use super::Environment;
use crate::error::Failure;
use crate::files;

/// The most bytes of a configuration file.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// The folder of the configuration.
#[derive(Debug, Clone)]
pub struct Home {
    folder: PathBuf,
    /// Opens the encrypted private keys in it.
    pub(super) passphrase: Option<SecretString>,
}

impl Home {
    /// The folder that the environment names; it need not exist yet.
    pub fn of(environment: &Environment) -> Result<Self, Failure> {
        let folder = environment.home.clone().ok_or_else(|| {
            Failure::new(HOME_UNKNOWN, "no folder for the configuration", "set RETOQUE_HOME to a folder")
        })?;
        Ok(Self { folder, passphrase: environment.passphrase.clone() })
    }

    /// A path within the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// Makes a folder within the folder, each new level with mode 0700.
    pub fn make(&self, name: impl AsRef<Path>) -> Result<PathBuf, Failure> {
        let path = self.path(name);
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(|e| files::unwritable(&path, &e))?;
        Ok(path)
    }

    /// The text of a file within the folder, or nothing when it is not there.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let path = self.path(name);
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            return Ok(None);
        }
        let bytes = files::read(&path, MAX_BYTES)?;
        String::from_utf8(bytes).map(Some).map_err(|_| invalid(name, "is not UTF-8"))
    }

    /// Writes a file within the folder, readable by its owner alone.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.make("")?;
        files::write(&self.path(name), text.as_bytes(), 0o600)
    }
}

/// Refuses a secret that others on this machine can read.
pub(super) fn check_private(path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = fs::metadata(path).map_err(|e| files::unreadable(path, &e))?;
        if metadata.permissions().mode() & 0o077 != 0 {
            let path = files::shown(path);
            return Err(Failure::new(
                SECRET_EXPOSED,
                format!("{path} can be read by others on this machine"),
                format!("chmod 600 {path}, and replace the secret if others may have read it"),
            ));
        }
    }
    Ok(())
}

pub(super) fn invalid(name: &str, what: &str) -> Failure {
    Failure::new(SETTINGS_INVALID, format!("{name} {what}"), "correct the file, or move it away and log in again")
}

/// The first line of what is wrong with a TOML file, without quoting its content (it may hold secrets).
pub(super) fn toml_fault(name: &str, error: &toml::de::Error) -> Failure {
    invalid(name, &format!("cannot be read: {}", error.message().lines().next().unwrap_or_default()))
}
