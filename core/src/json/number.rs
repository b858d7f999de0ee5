//! Numbers as exact decimals: `1`, `1.0` and `1e0` are equal, `2^64` and `2^64+1` are not.

use std::hash::{Hash, Hasher};

/// A JSON number, kept as written and compared by its exact decimal value.
#[derive(Debug, Clone)]
pub struct Number {
    text: String,
}

/// Sign, significant digits without zeros at either end, and the power of ten of the last digit.
#[derive(PartialEq, Eq, Hash)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i128,
}

impl Number {
    /// A number from text that already matches the JSON grammar.
    pub(super) fn from_grammar(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// The number as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value as an unsigned integer, only when written as plain digits.
    pub fn as_u64(&self) -> Option<u64> {
        if self.text.bytes().all(|b| b.is_ascii_digit()) { self.text.parse().ok() } else { None }
    }

    /// The nearest floating-point value, for range checks only.
    pub fn as_f64(&self) -> f64 {
        self.text.parse().unwrap_or(f64::NAN)
    }

    /// The exact value in its one plain spelling, such as `0.0002`; `None` beyond 40 digits.
    pub fn to_plain_decimal(&self) -> Option<String> {
        let Decimal { negative, digits, exponent } = self.decimal();
        if digits.is_empty() {
            return Some("0".to_owned());
        }
        if digits.len() > 40 || exponent.unsigned_abs() > 40 {
            return None;
        }
        let exponent = i32::try_from(exponent).ok()?;
        let body = if exponent >= 0 {
            format!("{digits}{}", "0".repeat(exponent.unsigned_abs() as usize))
        } else {
            let places = exponent.unsigned_abs() as usize;
            let padded = format!("{digits:0>width$}", width = places + 1);
            let (whole, fraction) = padded.split_at(padded.len() - places);
            format!("{whole}.{fraction}")
        };
        Some(if negative { format!("-{body}") } else { body })
    }

    fn decimal(&self) -> Decimal {
        let (negative, rest) = match self.text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.text.as_str()),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Decimal { negative: false, digits: String::new(), exponent: 0 };
        }
        // An exponent too long for 128 bits is kept apart by saturation; such numbers are far outside any use.
        let written =
            exponent.parse::<i128>().unwrap_or(if exponent.starts_with('-') { i128::MIN / 2 } else { i128::MAX / 2 });
        let shift = significant.len() as i128 - digits.len() as i128 - fraction.len() as i128;
        Decimal { negative, digits: digits.to_owned(), exponent: written.saturating_add(shift) }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.decimal() == other.decimal()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.decimal().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn number(text: &str) -> Number {
        Number::from_grammar(text)
    }

    #[test]
    fn equality_is_by_exact_value() {
        for (a, b) in
            [("1", "1.0"), ("1", "1e0"), ("10", "1E1"), ("-0", "0"), ("0.10", "1e-1"), ("1200", "12e2"), ("0e9", "0")]
        {
            assert_eq!(number(a), number(b));
        }
        for (a, b) in [
            ("18446744073709551616", "18446744073709551617"),
            ("1", "-1"),
            ("0.1", "0.10000000000000001"),
            ("1e400", "1e401"),
        ] {
            assert_ne!(number(a), number(b));
        }
    }

    #[test]
    fn plain_spelling() {
        for (from, to) in [("2e-4", "0.0002"), ("0.050", "0.05"), ("1e3", "1000"), ("-0.0", "0"), ("-1.50", "-1.5")] {
            assert_eq!(number(from).to_plain_decimal().as_deref(), Some(to));
        }
        assert_eq!(number("1e400").to_plain_decimal(), None);
    }
}
