//! Where the two files of a project are, and where its patches go.

use std::path::{Path, PathBuf};

use retoque_core::problem::{LOCK_MISSING, WANTS_MISSING};

use super::{Lock, Locked, Want, Wants};
use crate::error::Failure;
use crate::files;

/// The name of the file that people write.
pub(super) const WANTS: &str = "patches.toml";
/// The name of the file that `retoque lock` writes.
pub(super) const LOCK: &str = "patches.lock";
/// The most bytes of each.
const MAX_BYTES: u64 = 4 << 20;

/// The folder of a project.
#[derive(Debug, Clone)]
pub struct Project(PathBuf);

impl Project {
    /// The project in this folder.
    pub fn at(folder: Option<&Path>) -> Self {
        Self(folder.map_or_else(PathBuf::new, Path::to_owned))
    }

    /// What the project wants.
    pub fn wants(&self) -> Result<Wants, Failure> {
        let Some(text) = self.text(WANTS)? else {
            let next = "write one: [patches], then lines such as \"acme/tiny-desk\" = \"^1.2\"";
            return Err(Failure::new(WANTS_MISSING, format!("{}: no such file", self.shown(WANTS)), next));
        };
        Wants::parse(&text).map_err(|f| Failure::findings(format!("{} is refused", self.shown(WANTS)), &f))
    }

    /// What is locked, if there is a lock.
    pub fn lock(&self) -> Result<Option<Lock>, Failure> {
        let Some(text) = self.text(LOCK)? else { return Ok(None) };
        let refused = |f| Failure::findings(format!("{} is refused", self.shown(LOCK)), &f);
        Lock::parse(&text).map(Some).map_err(refused)
    }

    /// What is locked.
    pub fn need_lock(&self) -> Result<Lock, Failure> {
        self.lock()?.ok_or_else(|| {
            let message = format!("{}: no such file", self.shown(LOCK));
            Failure::new(LOCK_MISSING, message, "make it with `retoque lock`, and keep it with the project")
        })
    }

    /// Writes the lock, unless the file says the same already. Answers whether it was written.
    pub fn write(&self, lock: &Lock) -> Result<bool, Failure> {
        let text = lock.to_text();
        if self.text(LOCK)?.as_deref() == Some(text.as_str()) {
            return Ok(false);
        }
        files::write(&self.0.join(LOCK), text.as_bytes(), 0o644)?;
        Ok(true)
    }

    /// Where a locked version goes: the folder that its entry names, else `SLUG-VERSION`.
    pub fn target(&self, want: Option<&Want>, locked: &Locked) -> PathBuf {
        match want.and_then(|want| want.dir.as_deref()) {
            Some(dir) => self.0.join(dir),
            None => self.0.join(format!("{}-{}", locked.patch.slug, locked.version)),
        }
    }

    /// The path of one of the two files, for messages.
    pub fn shown(&self, name: &str) -> String {
        files::shown(&self.0.join(name))
    }

    fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let path = self.0.join(name);
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            return Ok(None);
        }
        let bytes = files::read(&path, MAX_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let error = std::io::Error::new(std::io::ErrorKind::InvalidData, "not UTF-8");
            files::unreadable(&path, &error)
        })?;
        Ok(Some(text))
    }
}
