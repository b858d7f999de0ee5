//! A folder on the disk as the verification sees it: ordinary files directly in it, and nothing that leads elsewhere.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use retoque_core::release::FolderView;

use crate::files;

/// A folder on the disk.
#[derive(Debug, Clone)]
pub struct DiskFolder(PathBuf);

impl DiskFolder {
    /// The folder at `path`.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Opens an ordinary file.
    pub fn file(&self, name: &str) -> io::Result<(File, u64)> {
        files::open_ordinary(&self.0.join(name))
    }
}

impl FolderView for DiskFolder {
    fn list(&self) -> io::Result<Vec<String>> {
        // A name that is not UTF-8 is shown as such and belongs to no release.
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn open(&self, name: &str) -> io::Result<(Box<dyn Read + '_>, u64)> {
        let (file, size) = self.file(name)?;
        Ok((Box::new(file), size))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn only_ordinary_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let folder = DiskFolder::new(dir.path());
        fs::write(dir.path().join("a"), b"abc").unwrap();
        fs::create_dir(dir.path().join("b")).unwrap();
        assert_eq!(folder.file("a").unwrap().1, 3);
        assert!(folder.file("b").is_err() && folder.file("c").is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a", dir.path().join("d")).unwrap();
            assert!(folder.file("d").is_err(), "a link, also to a file of the folder");
        }
        let mut names = folder.list().unwrap();
        names.sort();
        assert!(names.starts_with(&["a".into(), "b".into()]));
    }
}
