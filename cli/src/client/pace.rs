//! How long to wait, and how slow an answer may be.

use std::time::Duration;

/// Time limits of requests. A registry that keeps a client waiting cannot hold it for ever.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// For a connection.
    pub connect: Duration,
    /// For the beginning of an answer, after the whole request was sent.
    pub answer: Duration,
    /// Between two parts of an answer.
    pub gap: Duration,
    /// From when on the minimum rate counts.
    pub grace: Duration,
    /// Fewest bytes per second, averaged from the beginning of the answer.
    pub rate: u64,
    /// How often a request is tried again.
    pub retries: u32,
    /// The wait before the first retry; it doubles each time.
    pub pause: Duration,
    /// The longest wait, whatever `Retry-After` says.
    pub longest_pause: Duration,
}

impl Pace {
    /// What commands use.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(10),
        answer: Duration::from_mins(1),
        gap: Duration::from_secs(30),
        grace: Duration::from_secs(20),
        rate: 1024,
        retries: 4,
        pause: Duration::from_millis(400),
        longest_pause: Duration::from_secs(30),
    };

    /// Whether so many bytes in such a time are too few.
    pub fn is_too_slow(&self, bytes: u64, elapsed: Duration) -> bool {
        elapsed > self.grace && u128::from(bytes) * 1000 < u128::from(self.rate) * elapsed.as_millis()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_is_slow_only_after_the_grace() {
        let pace = Pace::DEFAULT;
        assert!(!pace.is_too_slow(0, Duration::from_secs(20)));
        assert!(pace.is_too_slow(20 * 1024, Duration::from_secs(21)));
        assert!(!pace.is_too_slow(21 * 1024, Duration::from_secs(21)));
    }
}
