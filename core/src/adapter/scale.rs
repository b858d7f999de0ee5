//! The effective scale, alpha/r or alpha/√r, as a decimal text.

use super::config::Config;
use crate::manifest::Scale;

/// Most decimal places of a quotient that has an end.
const EXACT: usize = 60;
/// Decimal places of one that has none.
const ROUNDED: usize = 9;

/// How much of the product of a pair is added to the base.
pub fn scale(config: &Config) -> Scale {
    let (rule, value) = if config.rslora {
        ("alpha/sqrt(r)", over_root(&config.alpha, config.rank))
    } else {
        ("alpha/r", divide(&config.alpha, config.rank))
    };
    Scale { rule: rule.to_owned(), value }
}

fn over_root(alpha: &str, rank: u64) -> String {
    let root = rank.isqrt();
    if root * root == rank {
        return divide(alpha, root);
    }
    // Square root and division are exactly rounded everywhere, and so is the printing of the result.
    let divisor = f64::from(u32::try_from(rank).unwrap_or(u32::MAX)).sqrt();
    let value = alpha.parse::<f64>().unwrap_or(0.0) / divisor;
    trimmed(&format!("{value:.ROUNDED$}"))
}

/// Long division of a plain positive decimal; exact when the quotient ends, rounded half up otherwise.
fn divide(dividend: &str, divisor: u64) -> String {
    let divisor = divisor.max(1);
    let (whole, fraction) = dividend.split_once('.').unwrap_or((dividend, ""));
    let mut rest = 0;
    let mut step = |digit: u64| {
        rest = rest * 10 + digit;
        let quotient = rest / divisor;
        rest %= divisor;
        (quotient, rest == 0)
    };
    let digit = |b: u8| u64::from(b.wrapping_sub(b'0'));
    let mut digits: Vec<u64> = whole.bytes().map(|b| step(digit(b)).0).collect();
    let point = digits.len();
    let mut ends = true;
    for place in 0..EXACT.max(fraction.len()) {
        let next = fraction.as_bytes().get(place).copied().map_or(0, digit);
        let (quotient, exact) = step(next);
        digits.push(quotient);
        ends = exact && place + 1 >= fraction.len();
        if ends {
            break;
        }
    }
    if !ends {
        let up = digits.get(point + ROUNDED).is_some_and(|d| *d >= 5);
        digits.truncate(point + ROUNDED);
        let mut at = digits.len();
        let mut carry = up;
        while carry && at > 0 {
            at -= 1;
            digits[at] = (digits[at] + 1) % 10;
            carry = digits[at] == 0;
        }
        if carry {
            digits.insert(0, 1);
            return text(&digits, point + 1);
        }
    }
    text(&digits, point)
}

fn text(digits: &[u64], point: usize) -> String {
    let all: String = digits.iter().map(u64::to_string).collect();
    let (whole, fraction) = all.split_at(point.min(all.len()));
    let whole = whole.trim_start_matches('0');
    trimmed(&format!("{}.{fraction}", if whole.is_empty() { "0" } else { whole }))
}

fn trimmed(decimal: &str) -> String {
    if decimal.contains('.') {
        decimal.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        decimal.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients() {
        for (alpha, rank, value) in [
            ("32", 16, "2"),
            ("8", 4, "2"),
            ("1", 1024, "0.0009765625"),
            ("16", 3, "5.333333333"),
            ("2", 3, "0.666666667"),
            ("0.5", 4, "0.125"),
            ("2.9999999999999", 3, "1"),
            ("29.9999999999", 30, "1"),
            ("100", 8, "12.5"),
            ("7", 7, "1"),
        ] {
            assert_eq!(divide(alpha, rank), value, "{alpha}/{rank}");
        }
        for (alpha, rank, value) in [("32", 16, "8"), ("16", 8, "5.656854249"), ("8", 4, "4"), ("1", 2, "0.707106781")]
        {
            assert_eq!(over_root(alpha, rank), value, "{alpha}/sqrt({rank})");
        }
    }
}
