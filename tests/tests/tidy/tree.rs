//! The files of the project: what git tracks or would track, never build output.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Inputs kept byte for byte and texts that are not ours; no rule about wording or length holds for them.
const DATA: &[&str] = &["tests/cases/", "tests/vectors/", "tests/fixtures/", "LICENSE-", "Cargo.lock"];

/// One tracked file.
pub struct Tracked {
    /// Path from the root, with `/`.
    pub path: String,
    /// Its text; `None` when it is not UTF-8.
    pub text: Option<String>,
}

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests member has a parent folder").to_path_buf()
}

/// Every tracked or addable path, fixtures and cases included.
pub fn paths() -> Vec<String> {
    let listed = Command::new("git")
        // A clone owned by another user is read all the same; nothing of it is executed.
        .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git is installed");
    assert!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).expect("every tracked name is UTF-8");
    let mut paths: Vec<String> = names.split_terminator('\0').map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    paths.retain(|path| root().join(path).exists());
    assert!(paths.len() > 40, "only {} files found under {}", paths.len(), root().display());
    paths
}

/// The files that people wrote, read.
pub fn written() -> Vec<Tracked> {
    let own = paths().into_iter().filter(|path| !DATA.iter().any(|data| path.starts_with(data)));
    own.map(|path| {
        let bytes = std::fs::read(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Tracked { text: String::from_utf8(bytes).ok(), path }
    })
    .collect()
}

/// Whether only tests compile this file.
pub fn is_test_file(path: &str) -> bool {
    let tests_folder = path.split('/').rev().skip(1).any(|part| part == "tests");
    tests_folder || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}
