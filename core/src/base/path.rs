//! Paths of files within a base repository.

/// Whether `path` is a relative path of plain components, as a repository holds them.
pub fn is_plain(path: &str) -> bool {
    (1..=512).contains(&path.len())
        && !path.contains(|c: char| c.is_control() || c == '\\')
        && path.split('/').all(|c| !c.is_empty() && c != "." && c != "..")
        // A drive or an alternate stream on Windows.
        && !path.contains(':')
}
