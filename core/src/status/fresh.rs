//! Of which moment a status or listing is, and whether that moment may be believed now.

use crate::digest::Digest;
use crate::log::{Head, freshness};
use crate::problem::{Finding, Place, STATUS_EXPIRED, STATUS_INVALID, STATUS_MISMATCH, STATUS_ROLLBACK};
use crate::sign::{Time, excerpt};

/// The log that a signed document is about, and how long it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsOf {
    /// Origin of the registry.
    pub registry: String,
    /// Origin of the log.
    pub origin: String,
    /// Size of the log.
    pub size: u64,
    /// Root hash of the log of that size.
    pub root: Digest,
    /// When it was signed.
    pub issued: Time,
    /// Until when it counts.
    pub expires: Time,
}

impl AsOf {
    /// Refuses a life that is empty or too long.
    pub(super) fn check_lifetime(&self) -> Result<(), Finding> {
        let seconds = (self.expires.micros() - self.issued.micros()).div_euclid(1_000_000);
        if self.expires > self.issued && seconds <= super::LIFETIME && self.expires <= self.latest_expiry() {
            return Ok(());
        }
        let found = format!("issued {}, expires {}", self.issued, self.expires);
        Err(invalid("expires", &found, "an expiry after the issue and at most 24 hours later"))
    }

    fn latest_expiry(&self) -> Time {
        self.issued.plus_seconds(super::LIFETIME)
    }

    /// Refuses what was signed in the future, whose expiry could not be believed either, and what has expired.
    pub fn check_time(&self, now: Time) -> Result<(), Finding> {
        self.check_clock(now)?;
        if now < self.expires {
            return Ok(());
        }
        Err(Finding::new(
            STATUS_EXPIRED,
            Place::field("expires"),
            format!("a status that expired at {}", self.expires),
            format!("one that counts at {now}"),
            "try again when the registry answers, or go on with --allow-stale at your own risk",
        ))
    }

    /// Refuses only what was signed in the future.
    pub fn check_clock(&self, now: Time) -> Result<(), Finding> {
        freshness::not_from_the_future(self.issued, now)
    }

    /// Refuses a status of another log, another size or another root than this checkpoint's.
    pub fn check_log(&self, origin: &str, head: Head) -> Result<(), Finding> {
        if (self.origin.as_str(), self.size, self.root) == (origin, head.size, head.root) {
            return Ok(());
        }
        let found = format!("{} of size {} with root {}", excerpt(&self.origin), self.size, self.root);
        Err(mismatch("", found, format!("{origin} of size {} with root {}", head.size, head.root)))
    }

    /// Refuses what is older than `before`, which this verifier has seen of the same log.
    pub fn check_not_before(&self, before: &Self) -> Result<(), Finding> {
        if self.origin != before.origin || (self.size >= before.size && self.issued >= before.issued) {
            return Ok(());
        }
        Err(Finding::new(
            STATUS_ROLLBACK,
            Place::field(if self.size < before.size { "size" } else { "issued" }),
            format!("a status of size {}, issued {}", self.size, self.issued),
            format!("at least size {}, issued {}, which was seen before", before.size, before.issued),
            "somebody shows an old status; do not go on, and ask the operator of the registry",
        ))
    }

    /// Refuses another log, size, root, issue or expiry than `other`'s.
    pub fn check_same(&self, other: &Self) -> Result<(), Finding> {
        if self == other {
            return Ok(());
        }
        Err(mismatch("", self.to_string(), format!("that of the status: {other}")))
    }
}

impl std::fmt::Display for AsOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (origin, issued) = (excerpt(&self.origin), self.issued);
        write!(f, "{origin} of size {} (root {}), issued {issued}, expires {}", self.size, self.root, self.expires)
    }
}

pub(super) fn mismatch(field: &str, found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let place = if field.is_empty() { Place::default() } else { Place::field(field) };
    let next = "fetch status, listing and log head again; if they stay apart, ask the operator of the registry";
    Finding::new(STATUS_MISMATCH, place, found, expected, next)
}

pub(super) fn invalid(field: &str, found: &str, expected: &str) -> Finding {
    let next = "fetch it again, or update this program when the registry is newer";
    Finding::new(STATUS_INVALID, Place::field(field), excerpt(found), expected, next)
}
