//! A seed, as decimal digits: other programs draw seeds from wider ranges than any one integer type holds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A seed in its one spelling: decimal digits without leading zeros, perhaps after a minus sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seed(String);

/// Why a text is not a seed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a seed is a whole number of at most 39 digits, without leading zeros, such as 7")]
pub struct SeedError;

impl Seed {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Self(seed.to_string())
    }
}

impl FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = !digits.is_empty() && digits.len() <= 39 && digits.bytes().all(|b| b.is_ascii_digit());
        if !plain || (digits.starts_with('0') && text != "0") {
            return Err(SeedError);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_only() {
        for good in ["0", "7", "18446744073709551616", "-1"] {
            assert_eq!(good.parse::<Seed>().map(|s| s.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "-", "-0", "07", "+7", " 7", "7.0", "1e3", "٧", &"9".repeat(40)] {
            assert_eq!(bad.parse::<Seed>(), Err(SeedError), "{bad}");
        }
    }
}
