//! Neutralises what a terminal would obey in text that comes from elsewhere.
//!
//! A title, a reason or a file name can hold escape sequences that move the cursor, rewrite what was
//! printed, or set the window title, and direction overrides that make a name read backwards. Each such
//! character is printed as `\u{…}`.

/// One line: line ends and tabs are neutralised too (a tab becomes a space).
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        match c {
            '\t' => line.push(' '),
            c if obeyed(c) => line.extend(c.escape_unicode()),
            c => line.push(c),
        }
        line
    })
}

/// Several lines: `\n` stays (and `\r\n` becomes it), the rest as in [`clean`].
#[must_use]
pub fn clean_block(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| clean(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("\n")
}

/// JSON in which also those characters are escaped that a terminal obeys and JSON leaves as they are.
pub(super) fn escape_json(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&bytes) else { return bytes };
    // Line ends of the layout are the only control characters that JSON text holds outside of escapes.
    if !text.chars().any(|c| c != '\n' && obeyed(c)) {
        return bytes;
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if c != '\n' && obeyed(c) {
            let mut units = [0; 2];
            escaped.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped.into_bytes()
}

const fn obeyed(c: char) -> bool {
    c.is_ascii_control()
        || matches!(c,
            '\u{80}'..='\u{9f}'            // C1 controls, CSI among them
            | '\u{200b}'..='\u{200f}'      // zero width and direction marks
            | '\u{2028}'..='\u{202e}'      // line separators, embeddings and overrides
            | '\u{2060}'..='\u{206f}'      // invisible operators and isolates
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}') // tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_in_escapes() {
        let value = serde_json::json!({"a": "\u{9b}2J\u{7f}\u{202e}\u{e0001}ü"});
        let text = escape_json(serde_json::to_vec_pretty(&value).unwrap_or_default());
        assert!(text.iter().all(|b| *b == b'\n' || (b' '..0x7f).contains(b) || "ü".as_bytes().contains(b)));
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&text).ok(), Some(value));
    }

    #[test]
    fn nothing_that_a_terminal_obeys_remains() {
        assert_eq!(clean("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(clean("a\r\nb\tc\u{9b}31m"), "a\\u{d}\\u{a}b c\\u{9b}31m");
        assert_eq!(clean("gpj.\u{202e}exe"), "gpj.\\u{202e}exe");
        assert_eq!(clean("Ünïcode – ok ✓"), "Ünïcode – ok ✓");
        assert_eq!(clean_block("a\r\nb\u{7}\n"), "a\nb\\u{7}\n");
    }
}
