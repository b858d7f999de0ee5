//! A moment, in the one spelling that signed documents use: RFC 3339 in UTC, at most microseconds.
//!
//! Refuses offsets, finer fractions and trailing zeros, so that a time has one form. Never reads a clock.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment with microsecond precision. Ordered by time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(Timestamp);

/// Why a text is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a time is RFC 3339 in UTC such as `2026-12-01T10:20:30Z`, at most microseconds, without trailing zeros")]
pub struct TimeError;

impl Time {
    /// The moment this many microseconds after 1970-01-01T00:00:00Z.
    pub fn from_micros(micros: i64) -> Result<Self, TimeError> {
        Timestamp::from_microsecond(micros).map(Self).map_err(|_| TimeError)
    }

    /// Microseconds after 1970-01-01T00:00:00Z.
    pub fn micros(self) -> i64 {
        self.0.as_microsecond()
    }

    /// The same moment without its fraction of a second.
    #[must_use]
    pub fn whole_second(self) -> Self {
        Timestamp::from_second(self.0.as_second()).map_or(self, Self)
    }

    /// This moment moved by `seconds`; stays where it is when that leaves the calendar.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        self.micros()
            .checked_add(seconds.saturating_mul(1_000_000))
            .and_then(|micros| Self::from_micros(micros).ok())
            .unwrap_or(self)
    }
}

impl FromStr for Time {
    type Err = TimeError;
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let time: Timestamp = text.parse().map_err(|_| TimeError)?;
        let time = Self::from_micros(time.as_microsecond())?;
        if time.to_string() == text { Ok(time) } else { Err(TimeError) }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        for good in ["2026-12-01T10:20:30Z", "2026-12-01T10:20:30.5Z", "2026-12-01T10:20:30.123456Z"] {
            assert_eq!(good.parse::<Time>().unwrap().to_string(), good);
        }
        for bad in [
            "2026-12-01T10:20:30.50Z",
            "2026-12-01T10:20:30+00:00",
            "2026-12-01 10:20:30Z",
            "2026-12-01t10:20:30z",
            "2026-12-01T10:20:30.1234567Z",
            "2026-12-01",
            "",
        ] {
            assert_eq!(bad.parse::<Time>(), Err(TimeError), "{bad}");
        }
    }
}
