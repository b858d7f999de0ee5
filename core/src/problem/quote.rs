//! Text of an input inside a finding: quoted, without control characters, cut to a length.

/// The most characters of an input that a finding repeats.
const SHOWN: usize = 120;

/// `text` in quotes, control and invisible characters escaped, cut after 120 characters.
///
/// For names and short values only; secrets and local paths need their own masking first.
pub fn quote(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(SHOWN).collect();
    let more = chars.count();
    if more == 0 { format!("{start:?}") } else { format!("{start:?} and {more} more characters") }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn long_and_strange_texts_are_tamed() {
        assert_eq!(quote("a\n\u{202e}"), r#""a\n\u{202e}""#);
        assert!(quote(&"x".repeat(500)).ends_with("and 380 more characters"));
    }
}
