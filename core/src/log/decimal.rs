//! Sizes and indexes as decimal text: digits alone, no leading zero, at most 63 bits. One spelling for each number.

use super::MAX_SIZE;

/// The number, when the text is its one spelling.
pub(super) fn parse(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok().filter(|n| *n <= MAX_SIZE) } else { None }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn one_spelling() {
        assert_eq!(parse("0"), Some(0));
        assert_eq!(parse("9223372036854775807"), Some(u64::MAX >> 1));
        for bad in ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "0x1", "9223372036854775808", "99999999999999999999"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
