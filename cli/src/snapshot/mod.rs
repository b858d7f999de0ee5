//! Copies of a base on this machine, in the layouts that Hugging Face tools leave.
//!
//! - the cache: `models--ORG--NAME/snapshots/<commit>/`, whose files are links to `../../blobs/<etag>`, which
//!   may again be links into a store shared by all models of the cache;
//! - the cache without links, as on systems that cannot make them: the files themselves in the snapshot;
//! - a local folder with `.cache/huggingface/download/<path>.metadata` beside the files;
//! - a plain folder.
//!
//! Names say where to look and which commit a copy claims to be; they prove nothing. Links are only followed
//! as long as every step stays within the cache (or, for a plain folder, the folder itself).
//! Clause: specification, section 8.

mod each;
mod find;
mod resolve;
mod walk;

pub use each::each;
pub use find::find;
pub use walk::{Found, walk};

use std::path::PathBuf;

use retoque_core::problem::{BASE_LINK_ESCAPES, BASE_UNREADABLE, Finding, Place};
use serde::Serialize;

/// How a copy is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A snapshot in a cache; its files are links or the files themselves.
    Cache,
    /// A folder with download metadata.
    LocalDir,
    /// Any other folder.
    Plain,
}

/// One copy of a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The folder that holds the files, without links in its path.
    pub folder: PathBuf,
    /// The folder within which links may lead.
    pub boundary: PathBuf,
    /// How it is laid out.
    pub layout: Layout,
    /// The commit that the name of the folder claims.
    pub claimed: Option<String>,
}

/// Where to look for a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder: a snapshot, a repository of the cache, a whole cache, or a plain copy.
    Folder(PathBuf),
    /// A Hugging Face cache.
    Cache(PathBuf),
}

/// Why a file of a copy cannot be opened.
#[derive(Debug)]
pub enum Unopened {
    /// It is not there, or a link leads to nothing.
    Absent,
    /// A link leads out of the boundary.
    Escapes,
    /// It is a folder, a device or the like, or reading failed.
    Unreadable(String),
}

impl Unopened {
    /// The finding about it; `None` when the file is merely absent.
    pub fn finding(&self, path: &str) -> Option<Finding> {
        let place = Place::file(path);
        match self {
            Self::Absent => None,
            Self::Escapes => Some(Finding::new(
                BASE_LINK_ESCAPES,
                place,
                "a link that leads out",
                "files and links within the folder or cache that was named",
                "name the whole cache with --hf-cache, or download the base again",
            )),
            Self::Unreadable(why) => Some(Finding::new(
                BASE_UNREADABLE,
                place,
                why.as_str(),
                "a regular file that can be read",
                "check its permissions, or download the base again",
            )),
        }
    }
}

/// A file or folder name as findings repeat it: never the folders above, which may name a person.
pub(crate) fn short(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| "the folder".to_owned(), |n| n.to_string_lossy().into_owned())
}
