//! A new folder that appears whole or not at all: everything is written beside its place and then moved there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use retoque_core::problem::{FOLDER_NOT_EMPTY, FOLDER_UNWRITABLE, Finding, Findings, Place};

/// The folder while it is not finished. Dropping it removes what was written.
pub(crate) struct Folder {
    partial: PathBuf,
    place: PathBuf,
    finished: bool,
}

impl Folder {
    /// Begins a folder that will be `place`. Refuses a place that holds something.
    pub(crate) fn begin(place: &Path, suffix: &str) -> Result<Self, Findings> {
        let place = std::path::absolute(place).map_err(|e| unwritable(place, &e))?;
        match fs::read_dir(&place) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    let next = "choose a folder that does not exist yet, or an empty one";
                    let found = "a folder that holds something";
                    let at = Place::file(shown(&place));
                    return Err(Finding::new(FOLDER_NOT_EMPTY, at, found, "a new or empty folder", next).into());
                }
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(unwritable(&place, &e)),
        }
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let partial = place.with_file_name(format!(".{name}.init-{suffix}"));
        DirBuilder::new().mode(0o700).create(&partial).map_err(|e| unwritable(&place, &e))?;
        Ok(Self { partial, place, finished: false })
    }

    /// The path of `name` while the folder is not finished.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// Makes a folder within, for this user alone.
    pub(crate) fn folder(&self, name: &str) -> Result<(), Findings> {
        DirBuilder::new().mode(0o700).create(self.path(name)).map_err(|e| unwritable(&self.place, &e))
    }

    /// Writes a file that this user alone can read.
    pub(crate) fn private(&self, name: &str, content: &[u8]) -> Result<(), Findings> {
        self.write(name, content, 0o600)
    }

    /// Writes a file that anybody may read who can reach it.
    pub(crate) fn public(&self, name: &str, content: &[u8]) -> Result<(), Findings> {
        self.write(name, content, 0o644)
    }

    fn write(&self, name: &str, content: &[u8], mode: u32) -> Result<(), Findings> {
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(self.path(name))?;
            file.write_all(content)?;
            file.sync_all()
        };
        write().map_err(|e| unwritable(&self.place, &e))
    }

    /// Moves everything to its place.
    pub(crate) fn finish(mut self) -> Result<(), Findings> {
        let done = match fs::rename(&self.partial, &self.place) {
            // The place is a mount point, which cannot be replaced: move what is in it. Settings last, since without
            // them nothing starts.
            Err(e) if matches!(e.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices) => {
                self.move_into()
            }
            other => other,
        };
        done.and_then(|()| File::open(&self.place)?.sync_all()).map_err(|e| unwritable(&self.place, &e))?;
        self.finished = true;
        Ok(())
    }

    fn move_into(&self) -> io::Result<()> {
        let mut names =
            fs::read_dir(&self.partial)?.map(|e| e.map(|e| e.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort_by_key(|name| name == crate::config::FILE);
        for name in names {
            fs::rename(self.partial.join(&name), self.place.join(&name))?;
        }
        fs::remove_dir(&self.partial)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing more can be done about a folder that cannot be removed; its name says what it is.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn unwritable(place: &Path, error: &io::Error) -> Findings {
    let next = "choose a folder in which this user may write";
    let found = error.kind().to_string();
    Finding::new(FOLDER_UNWRITABLE, Place::file(shown(place)), found, "a folder that can be made and written", next)
        .into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_appears_whole_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let place = parent.path().join("new");
        let names = || fs::read_dir(parent.path()).unwrap().count();
        let begun = Folder::begin(&place, "a").unwrap();
        begun.folder("keys").unwrap();
        begun.private("keys/one.pem", b"secret").unwrap();
        assert!(!place.exists());
        drop(begun);
        assert_eq!(names(), 0);
        // An empty folder is taken over, with the rights that a new one would have.
        fs::create_dir(&place).unwrap();
        let begun = Folder::begin(&place, "b").unwrap();
        begun.private("one.pem", b"secret").unwrap();
        begun.finish().unwrap();
        assert_eq!(names(), 1);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&place), mode(&place.join("one.pem"))), (0o700, 0o600));
        assert!(Folder::begin(&place, "c").err().unwrap().has(FOLDER_NOT_EMPTY));
        assert!(Folder::begin(&place.join("one.pem"), "d").err().unwrap().has(FOLDER_UNWRITABLE));
        assert!(Folder::begin(&parent.path().join("no/such"), "e").err().unwrap().has(FOLDER_UNWRITABLE));
        assert_eq!(names(), 1);
    }
}
