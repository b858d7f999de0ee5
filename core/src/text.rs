//! Rules of plain text fields that several requests share: how long they may be, and that people can see what they say.

use std::ops::RangeInclusive;

use crate::problem::{FIELD_INVALID, Finding, Findings, Place};

/// How people are named: accounts, orgs, tokens, suites.
pub const LABEL: RangeInclusive<usize> = 1..=80;

/// Checks one line of text: its length in characters without outer white space, and that nothing in it is invisible.
pub fn line(findings: &mut Findings, field: &str, text: &str, length: RangeInclusive<usize>) {
    checked(findings, field, text, length, |_| false);
}

/// Checks text of any number of lines.
pub fn paragraph(findings: &mut Findings, field: &str, text: &str, length: RangeInclusive<usize>) {
    checked(findings, field, text, length, |c| matches!(c, '\n' | '\t'));
}

fn checked(
    findings: &mut Findings,
    field: &str,
    text: &str,
    length: RangeInclusive<usize>,
    also: impl Fn(char) -> bool,
) {
    let count = text.trim().chars().count();
    let mut refuse = |found: String, expected: String| {
        let next = "correct the field and send the request again";
        findings.push(Finding::new(FIELD_INVALID, Place::field(field), found, expected, next));
    };
    if !length.contains(&count) {
        refuse(format!("{count} characters"), format!("{} to {} characters", length.start(), length.end()));
    }
    if let Some(c) = text.chars().find(|c| invisible(*c) && !also(*c)) {
        refuse(format!("the character U+{:04X}", u32::from(c)), "text that people can see".to_owned());
    }
    if text != text.trim() {
        refuse("white space around the text".to_owned(), "the text alone".to_owned());
    }
}

/// Controls, and the marks that turn the direction of what follows: with them a text reads other than it is.
fn invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn errors(text: &str) -> u64 {
        let mut findings = Findings::new();
        line(&mut findings, "display", text, LABEL);
        findings.errors()
    }

    #[test]
    fn length_counts_characters_and_nothing_hides() {
        assert_eq!(errors("Ädler & Söhne"), 0);
        assert_eq!(errors(&"ü".repeat(80)), 0);
        assert_eq!(errors(&"ü".repeat(81)), 1);
        for bad in ["", "a\nb", "a\u{202e}b", "a\u{200b}", " a", "\u{7}"] {
            assert!(errors(bad) > 0, "{bad:?}");
        }
        let mut findings = Findings::new();
        paragraph(&mut findings, "problem", "one\ntwo", 3..=10);
        assert_eq!(findings.errors(), 0);
    }
}
