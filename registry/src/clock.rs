//! Time and randomness as parameters: the only module that reads the system clock or draws random bytes.
//!
//! Everything else takes a [`Clock`] and an [`Entropy`], so that a test can hold both still.

#![expect(clippy::disallowed_methods, reason = "this is the door for time and randomness")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use jiff::Timestamp;
use retoque_core::sign::{Time, TimeError};
use uuid::Uuid;

/// Now, on the clock of timers: for measuring how long something takes, never for what is written down.
pub fn tick() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now, in whole microseconds: what both databases keep.
    fn now(&self) -> Timestamp;
}

/// Gives random bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes`, or says that the system gives none.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoEntropy>;
}

/// The system's random source cannot be read.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the random source of the system cannot be read")]
pub struct NoEntropy;

/// The two together, cheap to clone.
#[derive(Clone)]
pub struct Chance {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl Chance {
    /// The system's own clock and random source.
    pub fn system() -> Self {
        Self { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) }
    }

    /// Others, for tests.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy }
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], NoEntropy> {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// A new id: UUID version 7, so that ids sort by the time they were made.
    pub fn uuid(&self) -> Result<Uuid, NoEntropy> {
        let millis = u64::try_from(self.now().as_millisecond()).unwrap_or(0);
        Ok(uuid::Builder::from_unix_timestamp_millis(millis, &self.bytes::<10>()?).into_uuid())
    }
}

/// The time as signed documents write it.
pub fn time(at: Timestamp) -> Result<Time, TimeError> {
    Time::from_micros(at.as_microsecond())
}

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        whole_micros(Timestamp::now())
    }
}

struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoEntropy> {
        getrandom::fill(bytes).map_err(|_| NoEntropy)
    }
}

fn whole_micros(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

/// A clock that stands still until it is moved.
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows `time`.
    pub fn at(time: Timestamp) -> Self {
        Self(AtomicI64::new(time.as_microsecond()))
    }

    /// Moves it forward.
    pub fn advance(&self, by: std::time::Duration) {
        self.0.fetch_add(i64::try_from(by.as_micros()).unwrap_or(0), Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

/// Bytes that differ from call to call and are the same in each run. Never for a real key.
#[derive(Default)]
pub struct CountingEntropy(AtomicU64);

impl Entropy for CountingEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoEntropy> {
        for chunk in bytes.chunks_mut(32) {
            let n = self.0.fetch_add(1, Ordering::SeqCst);
            let block = retoque_core::digest::Digest::of(&n.to_be_bytes());
            chunk.copy_from_slice(&block.as_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_differ() {
        let clock = Arc::new(FixedClock::at(Timestamp::from_second(1_700_000_000).unwrap()));
        let chance = Chance::new(clock.clone(), Arc::new(CountingEntropy::default()));
        let first = chance.uuid().unwrap();
        assert_ne!(first, chance.uuid().unwrap());
        clock.advance(std::time::Duration::from_millis(1));
        assert!(first.to_string() < chance.uuid().unwrap().to_string());
        assert_eq!(first.get_version_num(), 7);
    }
}
