//! What is at the target already.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use retoque_core::digest::Digest;
use retoque_core::id::Slug;
use retoque_core::problem::{FOLDER_OCCUPIED, Findings};
use retoque_core::release::{Asked, NAMES, Trust, VerifiedRelease};
use retoque_core::sign::statement::MANIFEST;

use crate::client::MAX_MANIFEST;
use crate::error::Failure;
use crate::files;
use crate::output::Progress;
use crate::verify::{self, DiskFolder};

/// What is at the target.
#[derive(Debug)]
pub enum Existing {
    /// Nothing, or an empty folder.
    Nothing,
    /// The version itself, proven.
    Proven(Box<VerifiedRelease>),
    /// The version by its manifest, but not all of it is right. It can be repaired.
    Damaged(Findings),
}

/// Looks at the target. Anything else than the version, or a folder with foreign files, is refused and left alone.
pub fn existing(target: &Path, trust: &Trust<'_>, asked: Asked<'_>, bar: &Progress) -> Result<Existing, Failure> {
    let occupied = |what: &str| {
        let message = format!("{}: {what}", files::shown(target));
        Failure::new(FOLDER_OCCUPIED, message, "choose another folder with --dir, or move this one away")
    };
    match fs::symlink_metadata(target) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Existing::Nothing),
        Err(e) => return Err(files::unreadable(target, &e)),
        Ok(metadata) if !metadata.is_dir() => return Err(occupied("there is something that is no folder")),
        Ok(_) => {}
    }
    let names = names(target)?;
    if names.is_empty() {
        return Ok(Existing::Nothing);
    }
    if digest(target) != asked.manifest {
        return Err(occupied("the folder holds something else than this version"));
    }
    match verify::verify(target, trust, asked, &|bytes| bar.add(bytes)) {
        Ok(verified) => Ok(Existing::Proven(Box::new(verified))),
        Err(findings) if names.iter().all(|name| NAMES.contains(&name.as_str())) => Ok(Existing::Damaged(findings)),
        Err(findings) => {
            let next = "move the files that do not belong to it elsewhere, then pull again";
            Err(Failure::findings(format!("{} does not verify", files::shown(target)), &findings).with_next(next))
        }
    }
}

/// A folder of this patch beside `target` that holds the version with this manifest digest, going by its manifest.
pub fn find_digest(parent: &Path, slug: &Slug, wanted: Digest) -> Option<PathBuf> {
    let prefix = format!("{slug}-");
    let mut folders: Vec<PathBuf> = (fs::read_dir(parent).ok()?.flatten())
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders.into_iter().find(|folder| digest(folder) == Some(wanted))
}

fn digest(folder: &Path) -> Option<Digest> {
    let (_, size) = DiskFolder::new(folder).file(MANIFEST).ok()?;
    let fits = size <= MAX_MANIFEST as u64;
    fits.then(|| files::read(&folder.join(MANIFEST), MAX_MANIFEST as u64).ok()).flatten().map(|b| Digest::of(&b))
}

fn names(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| files::unreadable(folder, &e))?;
    entries
        .map(|entry| entry.map(|e| e.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, _>>()
        .map_err(|e| files::unreadable(folder, &e))
}
