//! What a recorded training setting may be called and hold. One rule for the record it is read from and the manifest it
//! is published in, so that whatever the record check takes fits into a manifest. Clause: specification, section 2.

/// What [`is_name`] takes.
pub const NAME: &str = "a name of 1 to 64 of `a-z`, `0-9`, `_` and `.`";
/// What [`is_value`] takes.
pub const VALUE: &str = "1 to 200 printable characters";

/// Whether a setting can be called that.
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'.'))
}

/// Whether a setting can hold that.
pub fn is_value(text: &str) -> bool {
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
