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
pub struct Staging {
    folder: PathBuf,
    _lock: File,
}

impl Staging {
    /// Makes the folder, or finds what an interrupted pull left.
    pub fn open(target: &Path, digest: Digest) -> Result<Self, Failure> {
        let folder = beside(target, &format!("partial-{}", &digest.hex()[..16]))?;
        let refuse = |e: &io::Error| files::unwritable(&folder, e);
        if let Some(parent) = folder.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|e| files::unwritable(parent, &e))?;
        }
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&folder) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(refuse(&e)),
            _ => {}
        }
        let metadata = fs::symlink_metadata(&folder).map_err(|e| refuse(&e))?;
        if !metadata.is_dir() || !is_private(&metadata).map_err(|e| refuse(&e))? {
            let message = format!("{}: something that this user did not make is in the way", files::shown(&folder));
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
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of one file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Removes what does not belong to the release, links above all.
    pub fn tidy(&self, verified: &VerifiedRelease) -> Result<(), Failure> {
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
    pub fn adopt(&self, target: &Path, verified: &VerifiedRelease) -> Result<(), Failure> {
        for entry in &verified.manifest.files {
            let (from, to) = (target.join(&entry.path), self.path(&entry.path));
            let ordinary = fs::symlink_metadata(&from).is_ok_and(|m| m.is_file() && m.len() <= entry.size);
            if ordinary && !to.exists() {
                fs::copy(&from, &to).map_err(|e| files::unwritable(&to, &e))?;
            }
        }
        Ok(())
    }

    /// Removes the folder with all that has come.
    pub fn discard(self) -> Result<(), Failure> {
        discard(&self.folder)
    }

    /// Makes everything durable and gives the folder its name. A damaged target is replaced.
    pub fn finish(self, target: &Path, replace: bool) -> Result<(), Failure> {
        for entry in fs::read_dir(&self.folder).map_err(|e| files::unwritable(&self.folder, &e))?.flatten() {
            File::open(entry.path()).and_then(|f| f.sync_all()).map_err(|e| files::unwritable(&entry.path(), &e))?;
        }
        open_up(&self.folder).map_err(|e| files::unwritable(&self.folder, &e))?;
        files::sync_folder(&self.path("."));
        let renamed = |from: &Path, to: &Path| fs::rename(from, to).map_err(|e| files::unwritable(to, &e));
        let damaged = beside(target, "damaged")?;
        // One that an interrupted repair left behind; what replaces it is proven and complete.
        discard(&damaged)?;
        if replace {
            renamed(target, &damaged)?;
        }
        renamed(&self.folder, target)?;
        files::sync_folder(target);
        discard(&damaged)
    }
}

/// Removes a folder of ours; a link is removed, never followed.
fn discard(damaged: &Path) -> Result<(), Failure> {
    let removed = match fs::symlink_metadata(damaged) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => Err(e),
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(damaged),
        Ok(_) => fs::remove_file(damaged),
    };
    removed.map_err(|e| files::unwritable(damaged, &e))
}

/// Whether the folder is this user's own and nobody else can write into it.
#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = tempfile::tempfile()?.metadata()?.uid();
    Ok(metadata.uid() == own && metadata.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> io::Result<bool> {
    Ok(true)
}

/// Gives the folder the mode that a new folder has: others may read what was pulled if the user lets them.
#[cfg(unix)]
fn open_up(folder: &Path) -> io::Result<()> {
    let probe = folder.join(".mode");
    fs::create_dir(&probe)?;
    let mode = fs::metadata(&probe).map(|m| m.permissions());
    fs::remove_dir(&probe)?;
    fs::set_permissions(folder, mode?)
}

#[cfg(not(unix))]
fn open_up(_: &Path) -> io::Result<()> {
    Ok(())
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_left_over_of_an_interrupted_repair_is_no_obstacle() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("x");
        for left in ["", ".x.retoque-damaged"] {
            fs::create_dir_all(&target).unwrap();
            if !left.is_empty() {
                fs::create_dir(dir.path().join(left)).unwrap();
                fs::write(dir.path().join(left).join("old"), b"1").unwrap();
            }
            let staging = Staging::open(&target, Digest::of(b"m")).unwrap();
            fs::write(staging.path("new"), b"2").unwrap();
            staging.finish(&target, true).unwrap();
            assert!(target.join("new").exists());
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_private_while_it_grows_and_ordinary_afterwards() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("x");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let staging = Staging::open(&target, Digest::of(b"m")).unwrap();
        let folder = staging.folder().to_owned();
        assert_eq!(mode(&folder), 0o700);
        assert!(Staging::open(&target, Digest::of(b"m")).unwrap_err().is(FOLDER_BUSY));
        staging.finish(&target, false).unwrap();
        fs::create_dir(dir.path().join("ordinary")).unwrap();
        assert_eq!(mode(&target), mode(&dir.path().join("ordinary")));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Staging::open(&target, Digest::of(b"m")).unwrap_err().is(FOLDER_OCCUPIED), "others can write there");
        fs::remove_dir(&folder).unwrap();
        symlink(dir.path(), &folder).unwrap();
        assert!(Staging::open(&target, Digest::of(b"m")).unwrap_err().is(FOLDER_OCCUPIED), "a link");
    }
}
