//! Reading inputs within a limit, and writing files so that they appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use retoque_core::problem::{INPUT_TOO_LARGE, INPUT_UNREADABLE, OUTPUT_UNWRITABLE};

use crate::error::Failure;

/// The name under which a path is mentioned: as it was typed, so no home folder appears that was not typed.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Opens a regular file (links are followed; a folder, device or pipe is refused).
pub fn open(path: &Path) -> Result<File, Failure> {
    // Looked at before it is opened: opening a pipe that nobody writes to would wait for ever.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(irregular(path));
    }
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let metadata = file.metadata().map_err(|e| unreadable(path, &e))?;
    if metadata.is_file() {
        return Ok(file);
    }
    Err(irregular(path))
}

/// Opens the regular file at `path` itself and tells its size: a link is refused, also one that takes its place while it
/// is opened.
pub fn open_ordinary(path: &Path) -> io::Result<(File, u64)> {
    let looked = fs::symlink_metadata(path)?;
    if !looked.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an ordinary file"));
    }
    let file = File::open(path)?;
    let opened = file.metadata()?;
    if !opened.is_file() || !same(&looked, &opened) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "replaced while it was opened"));
    }
    Ok((file, opened.len()))
}

#[cfg(unix)]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.len() == b.len()
}

fn irregular(path: &Path) -> Failure {
    Failure::new(INPUT_UNREADABLE, format!("{}: not a regular file", shown(path)), "name a regular file")
}

/// Reads a whole file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    open(path)?.take(limit + 1).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
    if bytes.len() as u64 > limit {
        let message = format!("{}: more than {limit} bytes", shown(path));
        return Err(Failure::new(INPUT_TOO_LARGE, message, "check that this is the file you mean"));
    }
    Ok(bytes)
}

/// Writes `bytes` to `path` through a temporary file beside it, with the given mode on Unix.
///
/// An existing file is replaced in one step.
pub fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    temporary(path, bytes, mode)
        .and_then(|t| t.persist(path).map_err(|e| e.error))
        .map_err(|e| unwritable(path, &e))?;
    sync_folder(path);
    Ok(())
}

/// Writes `bytes` to `path`, which must not exist yet.
pub fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    temporary(path, bytes, mode)
        .and_then(|t| t.persist_noclobber(path).map_err(|e| e.error))
        .map_err(|e| unwritable(path, &e))?;
    sync_folder(path);
    Ok(())
}

fn temporary(path: &Path, bytes: &[u8], mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".retoque-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Makes a rename in the folder of `path` durable. Not every file system can; the rename itself stands.
pub fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|f| f.sync_all());
    }
}

/// The failure for a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(INPUT_UNREADABLE, format!("{}: {}", shown(path), reason(error)), "check the path and its permissions")
}

/// The failure for a file that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        OUTPUT_UNWRITABLE,
        format!("{}: {}", shown(path), reason(error)),
        "check the path, its permissions and the free space",
    )
}

/// The reason without the operating system's number, which differs between systems.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn files_appear_whole_and_new_ones_replace_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write(&path, b"1", 0o600).unwrap();
        write(&path, b"2", 0o600).unwrap();
        assert!(write_new(&path, b"3", 0o600).is_err());
        assert_eq!(read(&path, 1).unwrap(), b"2");
        assert!(read(&path, 0).unwrap_err().is(INPUT_TOO_LARGE));
        assert!(read(dir.path(), 9).is_err(), "a folder is no file");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing temporary is left");
    }
}
