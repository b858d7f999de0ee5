//! Card numbers: Luhn's check, and a prefix and length that an issuer uses.

use super::numbers::{Group, Run};
use super::{Hit, Rule};

/// How card numbers are written in groups.
const GROUPINGS: [&[usize]; 5] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 3], &[6, 13]];

pub(super) fn scan(runs: &[Run], hits: &mut Vec<Hit>) {
    for run in runs {
        // Glued to letters or behind a decimal point, it is part of something else.
        let glued = run.before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '+'));
        let goes_on = run.after.is_some_and(|c| {
            c.is_alphanumeric() || (matches!(c, '-' | '.' | '_') && run.after_next.is_some_and(char::is_alphanumeric))
        });
        for at in 0..run.groups.len() {
            for length in [1, 3, 4, 5] {
                let Some(window) = run.groups.get(at..at + length) else { break };
                let (first, last) = (at == 0, at + length == run.groups.len());
                let number = number(window);
                if !(first && glued || last && goes_on)
                    && stands_alone(&run.groups, at, length)
                    && (length == 1 || is_grouping(window))
                    && is_issued(&number)
                    && luhn(&number)
                {
                    hits.push(Hit::new(Rule::Card, &number));
                }
            }
        }
    }
}

fn number(window: &[Group]) -> String {
    window.iter().map(|group| group.digits.as_str()).collect()
}

fn is_grouping(window: &[Group]) -> bool {
    let gaps: Vec<&str> = window[1..].iter().map(|group| group.gap.as_str()).collect();
    let same_gap = matches!(gaps[0], " " | "-") && gaps.iter().all(|gap| *gap == gaps[0]);
    same_gap && GROUPINGS.iter().any(|lengths| window.iter().map(|g| g.digits.len()).eq(lengths.iter().copied()))
}

/// Whether the groups around a window are no part of the same number.
fn stands_alone(groups: &[Group], at: usize, length: usize) -> bool {
    let own_gap = if length > 1 { groups[at + 1].gap.as_str() } else { "-" };
    let apart = |gap: &str, other: &Group| {
        let same_block = other.digits.len() == 4 && length > 1;
        !same_block && (gap == " " || (gap != own_gap && !gap.contains(['.', '-'])))
    };
    let before = at == 0 || apart(&groups[at].gap, &groups[at - 1]);
    let after = groups.get(at + length).is_none_or(|next| apart(&next.gap, next));
    before && after
}

fn is_issued(number: &str) -> bool {
    let length = number.len();
    let prefix = |digits: usize| number.get(..digits).and_then(|p| p.parse::<u32>().ok()).unwrap_or(0);
    let two = prefix(2);
    let three = prefix(3);
    let four = prefix(4);
    let visa = number.starts_with('4') && matches!(length, 13 | 16 | 19);
    let mastercard = length == 16 && ((51..=55).contains(&two) || (2221..=2720).contains(&four));
    let amex = length == 15 && matches!(two, 34 | 37);
    let discover = (16..=19).contains(&length) && (four == 6011 || two == 65 || (644..=649).contains(&three));
    let jcb = (16..=19).contains(&length) && (3528..=3589).contains(&four);
    let diners = length == 14 && ((300..=305).contains(&three) || four == 3095 || matches!(two, 36 | 38 | 39));
    let union_pay = (16..=19).contains(&length) && two == 62;
    let mir = (16..=19).contains(&length) && (2200..=2204).contains(&four);
    let maestro =
        (16..=19).contains(&length) && matches!(four, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761 | 6762 | 6763);
    visa || mastercard || amex || discover || jcb || diners || union_pay || mir || maestro
}

fn luhn(number: &str) -> bool {
    let sum: u32 = number
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, b)| {
            let digit = u32::from(b - b'0');
            if at % 2 == 0 { digit } else { digit * 2 - if digit > 4 { 9 } else { 0 } }
        })
        .sum();
    sum.is_multiple_of(10)
}
