//! Finding the copy that may be the pinned base.

use std::fs;
use std::path::{Path, PathBuf};

use retoque_core::id::BasePin;
use retoque_core::problem::{BASE_NOT_FOUND, Finding, Findings, Place, quote};

use super::{Layout, Location, Snapshot, short};

/// The copy at that location, chosen by names alone; whether it is the base is for its bytes to say.
pub fn find(location: &Location, pin: &BasePin) -> Result<Snapshot, Findings> {
    match location {
        Location::Cache(root) => in_cache(&existing(root)?, pin),
        Location::Folder(folder) => {
            let folder = existing(folder)?;
            if folder.join(repo_folder(pin)).is_dir() {
                return in_cache(&folder, pin);
            }
            if let Some(root) = folder.parent().filter(|_| is_repo(&folder) && folder.join("snapshots").is_dir()) {
                return snapshot(&folder, root, pin);
            }
            Ok(plain(folder))
        }
    }
}

/// The folder as a copy of something, whatever it is.
fn plain(folder: PathBuf) -> Snapshot {
    // …/<cache>/models--ORG--NAME/snapshots/<commit>
    let repo = folder.parent().filter(|p| p.file_name().is_some_and(|n| n == "snapshots")).and_then(Path::parent);
    if let Some(root) = repo.filter(|r| is_repo(r)).and_then(Path::parent) {
        let boundary = root.to_path_buf();
        let claimed = folder.file_name().map(|n| n.to_string_lossy().into_owned());
        return Snapshot { folder, boundary, layout: Layout::Cache, claimed };
    }
    let metadata = folder.join(".cache/huggingface/download").is_dir();
    let layout = if metadata { Layout::LocalDir } else { Layout::Plain };
    Snapshot { boundary: folder.clone(), folder, layout, claimed: None }
}

fn in_cache(root: &Path, pin: &BasePin) -> Result<Snapshot, Findings> {
    let repo = root.join(repo_folder(pin));
    if !repo.is_dir() {
        return Err(absent(&format!("no {} in {}", repo_folder(pin), quote(&short(root))), pin));
    }
    snapshot(&repo, root, pin)
}

fn snapshot(repo: &Path, root: &Path, pin: &BasePin) -> Result<Snapshot, Findings> {
    let snapshots = repo.join("snapshots");
    let folder = snapshots.join(pin.commit.to_string());
    let inside = |path: &Path| fs::canonicalize(path).ok().filter(|p| p.starts_with(root) && p.is_dir());
    if let Some(folder) = inside(&folder) {
        let claimed = Some(pin.commit.to_string());
        return Ok(Snapshot { folder, boundary: root.to_path_buf(), layout: Layout::Cache, claimed });
    }
    let mut others: Vec<String> = fs::read_dir(&snapshots)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    others.sort();
    others.truncate(5);
    let found = if others.is_empty() { "no snapshot at all".to_owned() } else { format!("only {}", others.join(", ")) };
    Err(absent(&found, pin))
}

fn absent(found: &str, pin: &BasePin) -> Findings {
    let next = format!("download it: hf download {} --revision {}", pin.repo, pin.commit);
    Finding::new(BASE_NOT_FOUND, Place::default(), found, format!("a copy of {pin}"), next).into()
}

fn existing(path: &Path) -> Result<PathBuf, Findings> {
    fs::canonicalize(path).ok().filter(|p| p.is_dir()).ok_or_else(|| {
        let found = format!("no folder {}", quote(&short(path)));
        Finding::new(BASE_NOT_FOUND, Place::default(), found, "a folder that can be read", "check the path").into()
    })
}

fn repo_folder(pin: &BasePin) -> String {
    format!("models--{}", pin.repo.to_string().replace('/', "--"))
}

fn is_repo(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("models--"))
}
