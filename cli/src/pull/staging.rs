//! The folder beside the target in which a pull grows.
//!
//! Its name is made from the target and the manifest digest, so the next pull of the same version finds it again. One
//! process at a time works in it. What is in it is believed only after it was hashed again.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use retoque_core::digest::Digest;
use retoque_core::problem::{FOLDER_BUSY, FOLDER_OCCUPIED};
use retoque_core::release::{NAMES, VALIDATION_CASES, VerifiedRelease};

use crate::error::Failure;
use crate::files;

/// The folder, locked for as long as this value lives.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    _lock: File,
}

impl Staging {
    /// Makes the folder, or finds what an interrupted pull left.
    pub(super) fn open(target: &Path, digest: Digest) -> Result<Self, Failure> {
        let folder = beside(target, &format!("partial-{}", &digest.hex()[..16]))?;
        let refuse = |e: &io::Error| files::unwritable(&folder, e);
        if let Some(parent) = folder.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|e| files::unwritable(parent, &e))?;
        }
        match fs::create_dir(&folder) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(refuse(&e)),
            _ => {}
        }
        if !fs::symlink_metadata(&folder).map_err(|e| refuse(&e))?.is_dir() {
            let message = format!("{}: something else is in the way", files::shown(&folder));
            return Err(Failure::new(FOLDER_OCCUPIED, message, "move it away"));
        }
        let lock = File::open(&folder).map_err(|e| refuse(&e))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("another pull works in {}", files::shown(&folder));
                Err(Failure::new(FOLDER_BUSY, message, "wait until it has ended"))
            }
            // Some file systems know no locks; checking every byte does not depend on them.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { folder, _lock: lock }),
        }
    }

    /// Where the files go.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of one file.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Removes what does not belong to the release, links above all.
    pub(super) fn tidy(&self, verified: &VerifiedRelease) -> Result<(), Failure> {
        let list = || -> io::Result<()> {
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                let kind = entry.file_type()?;
                let known = entry.file_name().to_str().is_some_and(|name| belongs(name, verified));
                if kind.is_dir() {
                    fs::remove_dir_all(entry.path())?;
                } else if !known || !kind.is_file() {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        list().map_err(|e| files::unwritable(&self.folder, &e))
    }

    /// Copies what a damaged target holds, so that only the damaged pieces are fetched.
    pub(super) fn adopt(&self, target: &Path, verified: &VerifiedRelease) -> Result<(), Failure> {
        for entry in &verified.manifest.files {
            let (from, to) = (target.join(&entry.path), self.path(&entry.path));
            let ordinary = fs::symlink_metadata(&from).is_ok_and(|m| m.is_file() && m.len() <= entry.size);
            if ordinary && !to.exists() {
                fs::copy(&from, &to).map_err(|e| files::unwritable(&to, &e))?;
            }
        }
        Ok(())
    }

    /// Makes everything durable and gives the folder its name. A damaged target is replaced.
    pub(super) fn finish(self, target: &Path, replace: bool) -> Result<(), Failure> {
        for entry in fs::read_dir(&self.folder).map_err(|e| files::unwritable(&self.folder, &e))?.flatten() {
            File::open(entry.path()).and_then(|f| f.sync_all()).map_err(|e| files::unwritable(&entry.path(), &e))?;
        }
        files::sync_folder(&self.path("."));
        let renamed = |from: &Path, to: &Path| fs::rename(from, to).map_err(|e| files::unwritable(to, &e));
        if replace {
            let damaged = beside(target, "damaged")?;
            renamed(target, &damaged)?;
            renamed(&self.folder, target)?;
            fs::remove_dir_all(&damaged).map_err(|e| files::unwritable(&damaged, &e))?;
        } else {
            renamed(&self.folder, target)?;
        }
        files::sync_folder(target);
        Ok(())
    }
}

fn belongs(name: &str, verified: &VerifiedRelease) -> bool {
    NAMES.contains(&name) && (name != VALIDATION_CASES || verified.release.files.validation_cases.is_some())
}

/// `<folder>/.<name>.retoque-<what>`.
fn beside(target: &Path, what: &str) -> Result<PathBuf, Failure> {
    let name = target.file_name().ok_or_else(|| {
        Failure::usage(format!("{}: not the name of a new folder", files::shown(target)), "name one with --dir")
    })?;
    Ok(target.with_file_name(format!(".{}.retoque-{what}", name.to_string_lossy())))
}
