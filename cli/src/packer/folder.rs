//! Reading a trainer's folder: what is there, and each file once, as it was when it was opened.
//!
//! Refuses links, and files whose size or content changes between two looks.

use std::fs::{self, File};
use std::io::{self, Read, Seek as _};
use std::path::Path;

use retoque_core::adapter::folder::{Entry, Kind};
use retoque_core::digest::{Digest, Hasher};

use crate::files;
use crate::output::Progress;

/// Most paths that are listed; a trainer's folder has a few dozen.
const MAX_ENTRIES: usize = 20_000;
/// Most levels of folders.
const MAX_DEPTH: usize = 16;
/// How much of each file is looked at to say what it is.
const FIRST_BYTES: u64 = 64 << 10;

/// Lists the folder, sorted by path, without following links.
pub(super) fn list(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    walk(folder, "", 0, &mut entries)?;
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

fn walk(folder: &Path, prefix: &str, depth: usize, entries: &mut Vec<Entry>) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(io::Error::other("more than 16 levels of folders"));
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entries.len() >= MAX_ENTRIES {
            return Err(io::Error::other("more than 20000 files"));
        }
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let metadata = fs::symlink_metadata(entry.path())?;
        let file_type = metadata.file_type();
        let kind = if file_type.is_symlink() {
            Kind::Link
        } else if file_type.is_dir() {
            Kind::Dir
        } else if file_type.is_file() {
            Kind::File
        } else {
            Kind::Other
        };
        let mut first_bytes = Vec::new();
        // Only what lies at the top can be part of the adapter or be mistaken for it.
        if kind == Kind::File && depth == 0 {
            File::open(entry.path())?.take(FIRST_BYTES).read_to_end(&mut first_bytes)?;
        }
        entries.push(Entry { path: path.clone(), kind, size: metadata.len(), first_bytes });
        if kind == Kind::Dir {
            walk(&entry.path(), &format!("{path}/"), depth + 1, entries)?;
        }
    }
    Ok(())
}

/// A file of the input, opened once.
pub(super) struct Source {
    file: File,
    size: u64,
    /// Digest of the first complete pass.
    digest: Option<Digest>,
}

impl Source {
    /// Opens the regular file `name` in `folder`; a link is refused, also one that takes its place just now.
    pub(super) fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let (file, size) = files::open_ordinary(&folder.join(name))?;
        Ok(Self { file, size, digest: None })
    }

    /// The size when it was opened.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// All bytes, at most `limit`.
    pub(super) fn bytes(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.file).take(limit).read_to_end(&mut bytes)?;
        let read = bytes.len() as u64;
        if read != self.size.min(limit) || self.file.metadata()?.len() != self.size {
            return Err(changed());
        }
        Ok(bytes)
    }

    /// The open file, for a reader that takes it once to its end.
    pub(super) fn into_file(self) -> File {
        self.file
    }

    /// A reader of the whole file from its start. Each pass after the first must give the same bytes.
    pub(super) fn pass<'s>(&'s mut self, progress: &'s Progress) -> Pass<'s> {
        Pass { started: false, hasher: Hasher::new(), source: self, progress }
    }
}

/// One pass over a file.
pub(super) struct Pass<'s> {
    source: &'s mut Source,
    hasher: Hasher,
    started: bool,
    progress: &'s Progress,
}

impl Read for Pass<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.started {
            self.source.file.rewind()?;
            self.started = true;
        }
        let count = self.source.file.read(buf)?;
        self.hasher.update(&buf[..count]);
        self.progress.add(count as u64);
        Ok(count)
    }
}

impl Pass<'_> {
    /// Reads what is left, and compares size and digest with what they were.
    pub(super) fn finish(mut self) -> io::Result<Digest> {
        io::copy(&mut self, &mut io::sink())?;
        let size = self.hasher.len();
        let digest = self.hasher.finish();
        if size != self.source.size
            || self.source.file.metadata()?.len() != size
            || self.source.digest.is_some_and(|d| d != digest)
        {
            return Err(changed());
        }
        self.source.digest = Some(digest);
        Ok(digest)
    }
}

fn changed() -> io::Error {
    io::Error::other("the file changed while it was read")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_that_changes_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights");
        fs::write(&path, vec![7; 100_000]).unwrap();
        let progress = Progress::hidden();
        let mut source = Source::open(dir.path(), "weights").unwrap();
        let digest = source.pass(&progress).finish().unwrap();
        assert_eq!(source.pass(&progress).finish().unwrap(), digest);
        let mut writer = fs::OpenOptions::new().write(true).open(&path).unwrap();
        writer.write_all(&[8]).unwrap();
        assert!(source.pass(&progress).finish().is_err(), "same size, other content");
        let mut source = Source::open(dir.path(), "weights").unwrap();
        writer.set_len(99_999).unwrap();
        assert!(source.pass(&progress).finish().is_err(), "shorter");
        assert!(source.bytes(1 << 20).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_are_listed_and_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("sub/deep")).unwrap();
        fs::write(dir.path().join("sub/deep/b"), "x").unwrap();
        fs::write(dir.path().join("a"), "x").unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink("sub", dir.path().join("to-folder")).unwrap();
        let kinds: Vec<_> = list(dir.path()).unwrap().into_iter().map(|e| (e.path, e.kind)).collect();
        let expected = [
            ("a", Kind::File),
            ("link", Kind::Link),
            ("sub", Kind::Dir),
            ("sub/deep", Kind::Dir),
            ("sub/deep/b", Kind::File),
            ("to-folder", Kind::Link),
        ];
        assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)));
        assert!(Source::open(dir.path(), "link").is_err() && Source::open(dir.path(), "sub").is_err());
    }
}
