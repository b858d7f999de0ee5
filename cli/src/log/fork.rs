//! A fork of the log, and the file that proves it to anybody.
//!
//! Two checkpoints that the same log signed and that no one tree explains are proof by themselves: whoever has the
//! log's key can check both signatures, and the tiles of the larger tree show that it does not continue the smaller.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use retoque_core::log::Head;
use retoque_core::problem::LOG_FORK;

use crate::error::Failure;
use crate::files;

/// Two signed checkpoints of one log, of different histories.
#[derive(Debug, Clone)]
pub struct Fork {
    /// What was seen before, or elsewhere: size and root, and the note.
    pub one: (Head, String),
    /// What is shown now.
    pub other: (Head, String),
}

impl Fork {
    /// Writes both notes to a new file in `folder` and gives the refusal that names it.
    pub fn report(&self, folder: &Path) -> Failure {
        let proof = self.write(folder);
        let (one, other) = (self.one.0, self.other.0);
        let message = format!(
            "the log shows two histories: {} entries with root {}, and {} entries with root {}",
            one.size,
            one.root.hex(),
            other.size,
            other.root.hex()
        );
        let next = match proof {
            Ok(path) => format!(
                "use nothing from this registry; both signed checkpoints are in {}: give them to its operator, its \
                 witnesses and other users",
                files::shown(&path)
            ),
            Err(failure) => {
                format!("use nothing from this registry; the proof could not be kept: {}", failure.message())
            }
        };
        Failure::new(LOG_FORK, message, next)
    }

    fn write(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let mut text = String::from("Two checkpoints that one log signed, of histories that exclude each other.\n");
        for (head, note) in [&self.one, &self.other] {
            let _ = write!(text, "\n=== {} entries, root {} ===\n\n{note}", head.size, head.root.hex());
        }
        let name = format!("fork-{}-{}-{}.txt", self.one.0.size, self.other.0.size, &self.other.0.root.hex()[..12]);
        let path = folder.join(name);
        files::write(&path, text.as_bytes(), 0o644)?;
        Ok(path)
    }
}
