//! Telling local paths from repository names, and naming a path without the home folder in it.

/// Whether a base name (or revision) is a path on somebody's machine rather than a name on a hub.
///
/// A repository id has one slash. More slashes, a slash at the end, backslashes, a drive letter, a leading
/// `/`, `.` or `~` are paths; `scheme://` is one only for `file:`.
pub(super) fn is_base_path(text: &str) -> bool {
    if is_path(text) {
        return true;
    }
    !text.contains("://") && (text.ends_with('/') || text.bytes().filter(|b| *b == b'/').count() > 1)
}

/// Whether a text is certainly a path; branch names with slashes are not.
pub(super) fn is_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    text.starts_with(['/', '~'])
        || text == "."
        || text == ".."
        || text.starts_with("./")
        || text.starts_with("../")
        || text.contains('\\')
        || (drive && bytes.len() > 2 && !text[2..].starts_with("//"))
        || text.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:"))
}

/// Whether a longer text holds a local path somewhere.
pub fn inside(text: &str) -> bool {
    if is_path(text) {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    // A path within a web address follows a host name; a path of a machine begins a word.
    let begins =
        |at: usize| !lower[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/'));
    ROOTS.iter().any(|root| lower.match_indices(root).any(|(at, _)| begins(at)))
        || lower.contains(":\\")
        || lower.contains("file://")
}

/// Folders under which models and people's files lie on training machines.
const ROOTS: &[&str] = &[
    "/home/",
    "/users/",
    "/root/",
    "/mnt/",
    "/tmp/",
    "/content/",
    "/workspace/",
    "/var/",
    "/opt/",
    "/data/",
    "/scratch/",
];

/// The last component of a path, unless that may be the name of a user; never the folders above it.
pub(super) fn last_component(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|p| !p.is_empty() && *p != "." && *p != "..").collect();
    let (last, above) = parts.split_last()?;
    let home = above.last().is_some_and(|p| p.eq_ignore_ascii_case("home") || p.eq_ignore_ascii_case("users"));
    let plain = last.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')) && last.len() <= 96;
    // A first component alone (`~sam`, `C:`) says nothing about the model either.
    (plain && !home && !last.starts_with('~') && !last.ends_with(':')).then(|| (*last).to_owned())
}

/// A full commit that stands in a path of the Hub's cache: `…/snapshots/<commit>`.
pub(super) fn commit(path: &str) -> Option<&str> {
    let mut parts = path.split(['/', '\\']);
    parts.find(|p| *p == "snapshots")?;
    parts.next().filter(|p| p.len() == 40 && p.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names() {
        for path in [
            "./x",
            "../../x/",
            "/root/x",
            "C:\\Users\\sam\\x",
            "C:/x",
            "~/x",
            "a/b/c",
            "models/x/",
            ".",
            "file:///x",
            "a\\b",
        ] {
            assert!(is_base_path(path), "{path}");
        }
        for name in ["Qwen/Qwen2.5", "qwen", "https://huggingface.co/Qwen/Qwen2.5", "hf://Qwen/x", "", " Qwen/x"] {
            assert!(!is_base_path(name), "{name}");
        }
        for text in ["saved in /home/sam/x", "dir=/mnt/a", "x C:\\a", "file:///a", "\"/Users/sam/x\""] {
            assert!(inside(text), "{text}");
        }
        assert!(!inside("https://example.org/data/x") && !inside("pt") && !inside("a/b"));
        assert!(!is_path("refs/pr/1") && !is_path("main"));
    }

    #[test]
    fn users_are_not_named() {
        assert_eq!(last_component("C:\\Users\\sam\\models\\tiny").as_deref(), Some("tiny"));
        assert_eq!(last_component("../../Llama2-7b-chat/").as_deref(), Some("Llama2-7b-chat"));
        for path in ["/home/sam", "/Users/sam/", "~sam", "C:\\Users\\sam", "/"] {
            assert_eq!(last_component(path), None, "{path}");
        }
        let sha = "7".repeat(40);
        assert_eq!(commit(&format!("/x/models--a--b/snapshots/{sha}/")), Some(sha.as_str()));
    }
}
