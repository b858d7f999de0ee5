//! Phone numbers: international (`+`, `00`), North American, and national ones with a leading zero.
//!
//! Bare digits count only behind a word such as "phone": time stamps and order numbers look the same.
//! Not taken for one: dates, IP addresses, decimals, ISBNs, UUIDs, versions, hexadecimal numbers.

use super::numbers::Run;
use super::{Hit, Rule};

const WORDS: [&str; 18] = [
    "phone",
    "tel",
    "mobile",
    "cell",
    "call",
    "fax",
    "whatsapp",
    "sms",
    "handy",
    "telefon",
    "téléphone",
    "teléfono",
    "telefono",
    "电话",
    "手机",
    "電話",
    "携帯",
    "телефон",
];

/// How many characters before a number are searched for such a word.
const CONTEXT: usize = 24;

/// Country codes of one and two digits; the others have three.
const SHORT_CODES: [&str; 45] = [
    "1", "7", "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
    "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81", "82", "84",
    "86", "90", "91", "92", "93", "94", "98",
];

pub(super) fn scan(text: &str, runs: &[Run], hits: &mut Vec<Hit>) {
    for run in runs {
        if is_phone(run) || (run.groups.len() == 1 && is_bare_phone(text, run)) {
            hits.push(Hit::new(Rule::Phone, &run.digits()));
            continue;
        }
        let words = run.words();
        if words.len() > 1 {
            for word in words.iter().filter(|word| word.groups.len() > 1 && is_phone(word)) {
                hits.push(Hit::new(Rule::Phone, &word.digits()));
            }
        }
    }
}

fn is_phone(run: &Run) -> bool {
    let digits = run.digits();
    let lengths: Vec<usize> = run.groups.iter().map(|group| group.digits.len()).collect();
    if goes_on(run) {
        return false;
    }
    if run.plus {
        let glued = run.before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '+' | '.'));
        let decimal = lengths.len() == 2 && run.groups[1].gap == ".";
        return !glued && !decimal && is_international(&digits, lengths.len());
    }
    if run.before.is_some_and(|c| c.is_alphanumeric() || "_-./#%$€£\\+,".contains(c)) {
        return false;
    }
    match digits.strip_prefix("00") {
        Some(rest) if run.groups[0].digits.len() > 2 || lengths.len() > 2 => is_international(rest, lengths.len()),
        Some(_) => false,
        None => is_north_american(run, &lengths) || is_national(run, &digits, &lengths),
    }
}

/// Whether the number goes on behind the run: letters, or a separator and more of them.
fn goes_on(run: &Run) -> bool {
    run.after.is_some_and(|c| {
        let extension = c == 'x' && run.after_next.is_some_and(|n| n.is_ascii_digit() || n == '.' || n == ' ');
        let tied = matches!(c, '-' | '.' | '/' | ':' | '_' | ',') && run.after_next.is_some_and(char::is_alphanumeric);
        (c.is_ascii_alphanumeric() && !extension) || tied || c == '_' || c == '%'
    })
}

/// Digits after `+` or `00`: a country code and 6 to 13 more, 15 at most. Without groups it takes more to
/// tell a number from a sum.
fn is_international(digits: &str, groups: usize) -> bool {
    if !(8..=15).contains(&digits.len()) || digits.starts_with('0') {
        return false;
    }
    let code = SHORT_CODES.iter().find(|code| digits.starts_with(**code)).map_or(3, |code| code.len());
    let national = digits.len() - code;
    if digits.starts_with('1') {
        return national == 10 && matches!(digits.as_bytes()[1], b'2'..=b'9');
    }
    if groups == 1 { (7..=12).contains(&national) } else { (5..=13).contains(&national) }
}

/// 3-3-4, perhaps after a 1, in which neither of the first two begins with 0 or 1.
fn is_north_american(run: &Run, lengths: &[usize]) -> bool {
    let groups = match lengths {
        [3, 3, 4] => &run.groups[..],
        [1, 3, 3, 4] if run.groups[0].digits == "1" => &run.groups[1..],
        _ => return false,
    };
    let begins = |at: usize| matches!(groups[at].digits.as_bytes()[0], b'2'..=b'9');
    begins(0) && begins(1)
}

/// A leading zero and the groupings in use: an area code and one to three blocks, or pairs.
fn is_national(run: &Run, digits: &str, lengths: &[usize]) -> bool {
    if !digits.starts_with('0') || digits.starts_with("00") || !(9..=11).contains(&digits.len()) {
        return false;
    }
    let gaps: Vec<&str> = run.groups[1..].iter().map(|group| group.gap.as_str()).collect();
    let pairs =
        lengths.len() == 5 && lengths.iter().all(|length| *length == 2) && gaps.iter().all(|gap| *gap == gaps[0]);
    let decimal = gaps.iter().any(|gap| gap.contains('.')) && !pairs;
    let blocks = match lengths {
        [area, one] => (2..=5).contains(area) && (5..=8).contains(one),
        [area, one, two] => (2..=5).contains(area) && (3..=4).contains(one) && (3..=4).contains(two),
        [area, rest @ ..] if rest.len() == 3 => (2..=4).contains(area) && rest.iter().all(|n| (2..=3).contains(n)),
        _ => false,
    };
    pairs || (blocks && !decimal)
}

/// Digits without groups, behind a word that says what they are.
fn is_bare_phone(text: &str, run: &Run) -> bool {
    let digits = run.digits();
    if run.before.is_some_and(|c| c.is_alphanumeric() || "_-./#%$".contains(c)) || goes_on(run) {
        return false;
    }
    let shaped = match digits.len() {
        10 => matches!(digits.as_bytes()[0], b'0' | b'2'..=b'9'),
        9 => digits.starts_with('0'),
        11 | 12 => matches!(digits.as_bytes()[0], b'0' | b'1'),
        _ => false,
    };
    let context: String = text[..run.start].chars().rev().take(CONTEXT).collect();
    let context = context.chars().rev().collect::<String>().to_lowercase();
    shaped && WORDS.iter().any(|word| context.contains(word))
}
