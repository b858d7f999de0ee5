//! When a text counts as empty, and when two texts are nearly the same.

use unicode_normalization::UnicodeNormalization as _;

/// Characters without width: joiners, marks of direction, selectors, fillers, tags, soft hyphen.
const fn is_zero_width(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether nothing is left after removing Unicode white space and zero-width characters.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_zero_width(c))
}

/// The text without blanks at its ends, without zero-width characters, composed and without letter case,
/// with every run of white space as one space.
pub(crate) fn folded(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_zero_width(*c)).collect();
    let composed: String = visible.to_uppercase().to_lowercase().nfc().collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_is_empty() {
        for text in ["", " \t\n", "\u{a0}\u{3000}", "\u{200b}\u{feff}", "\u{2060} \u{e0041}"] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in ["a", "\0", ".", "\u{200b}a"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn twins_fold_to_one() {
        for (a, b) in [("Cafe\u{301}", "CAFÉ "), ("a  b", "A\u{a0}b"), ("straße", "STRASSE"), ("a\u{200b}b", "ab")] {
            assert_eq!(folded(a), folded(b));
        }
        assert_ne!(folded("ab"), folded("a b"));
    }
}
