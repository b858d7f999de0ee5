//! How old a checkpoint may be, and what to say when the clocks of two machines do not agree.

use crate::problem::{CHECKPOINT_STALE, CLOCK_AHEAD, CLOCK_BEHIND, Code, Finding, Place};
use crate::sign::Time;

/// The oldest cosignature that counts as fresh unless a policy says otherwise: one day.
pub const MAX_AGE_SECONDS: i64 = 24 * 60 * 60;
/// How far two clocks may be apart without notice.
pub const SKEW_SECONDS: i64 = 5 * 60;

/// Whether the newest cosignature, from `newest`, is at most `max_age_seconds` old at `now`.
pub fn check(newest: Option<Time>, now: Time, max_age_seconds: i64) -> Result<(), Finding> {
    let expected = |time: Time| format!("one of {} or later, as it is {now} here", time.plus_seconds(-max_age_seconds));
    let next = "wait for the log or its witnesses to sign again, or go on with `--allow-stale`";
    let Some(newest) = newest else {
        return Err(refuse(CHECKPOINT_STALE, "no cosignature that says when".into(), expected(now), next));
    };
    not_from_the_future(newest, now)?;
    if newest >= now.plus_seconds(-max_age_seconds) {
        return Ok(());
    }
    Err(refuse(CHECKPOINT_STALE, format!("a cosignature of {newest}"), expected(now), next))
}

/// Whether something signed at `signed` can already exist at `now`.
pub fn not_from_the_future(signed: Time, now: Time) -> Result<(), Finding> {
    if signed <= now.plus_seconds(SKEW_SECONDS) {
        return Ok(());
    }
    let found = format!("{now} on this machine and {signed} in what was signed");
    let expected = format!("clocks at most {SKEW_SECONDS} seconds apart");
    Err(refuse(CLOCK_BEHIND, found, expected, "set the clock of this machine"))
}

/// Whether the clock here agrees with the time that the other end states.
pub fn clocks_agree(theirs: Time, now: Time) -> Result<(), Finding> {
    not_from_the_future(theirs, now)?;
    if now <= theirs.plus_seconds(SKEW_SECONDS) {
        return Ok(());
    }
    let found = format!("{now} on this machine and {theirs} at the other end");
    let expected = format!("clocks at most {SKEW_SECONDS} seconds apart");
    Err(refuse(CLOCK_AHEAD, found, expected, "set the clock of this machine"))
}

fn refuse(code: Code, found: String, expected: String, next: &str) -> Finding {
    Finding::new(code, Place::default(), found, expected, next)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_inclusive_and_both_times_are_named() {
        let now: Time = "2026-12-01T10:00:00Z".parse().unwrap();
        let code = |newest: Option<Time>| check(newest, now, MAX_AGE_SECONDS).err().map(|f| f.code);
        assert_eq!(code(Some(now)), None);
        assert_eq!(code(Some(now.plus_seconds(-MAX_AGE_SECONDS))), None);
        assert_eq!(code(Some(now.plus_seconds(-MAX_AGE_SECONDS - 1))), Some(CHECKPOINT_STALE));
        assert_eq!(code(Some(now.plus_seconds(SKEW_SECONDS))), None);
        assert_eq!(code(Some(now.plus_seconds(SKEW_SECONDS + 1))), Some(CLOCK_BEHIND));
        assert_eq!(code(None), Some(CHECKPOINT_STALE));
        let ahead = clocks_agree(now.plus_seconds(-SKEW_SECONDS - 1), now).unwrap_err();
        assert_eq!(ahead.code, CLOCK_AHEAD);
        for time in ["2026-12-01T10:00:00Z", "2026-12-01T09:54:59Z"] {
            assert!(ahead.found.contains(time), "{}", ahead.found);
        }
        clocks_agree(now, now.plus_seconds(SKEW_SECONDS)).unwrap();
    }
}
