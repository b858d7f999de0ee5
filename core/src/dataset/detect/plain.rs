//! Texts as the rules read them: ASCII forms of digits, spaces and dashes; and one level of escapes undone.

/// The text with full-width characters, decimal digits of other scripts, Unicode spaces and dashes in their
/// ASCII forms and without zero-width characters. Line ends stay.
pub(super) fn readable(text: &str) -> String {
    text.chars().filter_map(ascii_form).collect()
}

fn ascii_form(c: char) -> Option<char> {
    let code = u32::from(c);
    match c {
        '\0'..='\u{7f}' => Some(c),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xff01 + 0x21),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => Some('-'),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        _ if c.is_whitespace() => Some(' '),
        _ => Some(digit(code).unwrap_or(c)),
    }
}

/// Decimal digits of the scripts that write phone and card numbers with their own.
fn digit(code: u32) -> Option<char> {
    [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xe50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6]
        .into_iter()
        .find(|zero| (*zero..zero + 10).contains(&code))
        .and_then(|zero| char::from_digit(code - zero, 10))
}

/// The text with one level of escapes undone; nothing when it has none.
pub(super) fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let mut chars = rest.chars();
        let Some(kind) = chars.next() else {
            out.push('\\');
            break;
        };
        let after = chars.as_str();
        let (decoded, left) = match kind {
            'n' => (Some('\n'), after),
            'r' => (Some('\r'), after),
            't' => (Some('\t'), after),
            '"' | '\'' | '\\' | '/' => (Some(kind), after),
            'u' => hex(after, 4),
            'x' => hex(after, 2),
            _ => (None, after),
        };
        match decoded {
            Some(c) => {
                out.push(c);
                rest = left;
            }
            None => out.push('\\'),
        }
    }
    out.push_str(rest);
    Some(out)
}

fn hex(text: &str, digits: usize) -> (Option<char>, &str) {
    let code = text.get(..digits).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
    match code.and_then(|h| u32::from_str_radix(h, 16).ok()).and_then(char::from_u32) {
        Some(c) => (Some(c), &text[digits..]),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_of_escapes() {
        assert_eq!(unescaped("plain"), None);
        assert_eq!(unescaped(r"a\nb\\nc\u0041\x42\q\").as_deref(), Some("a\nb\\ncAB\\q\\"));
        assert_eq!(unescaped(r"\ud800\u00").as_deref(), Some(r"\ud800\u00"));
    }

    #[test]
    fn ascii_forms() {
        assert_eq!(readable("０９０－１２３４\u{a0}٣\u{200b}\u{2011}é"), "090-1234 3-é");
    }
}
