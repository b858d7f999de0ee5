//! When a request is tried again, and after which wait.

use std::time::Duration;

use reqwest::StatusCode;
use retoque_core::problem::{TOO_SLOW, UNREACHABLE};

use super::Pace;
use super::answer::Answer;
use crate::clock;
use crate::error::Failure;

/// Whether doing a request twice is the same as doing it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idempotent {
    Yes,
    No,
}

/// The wait before the next try of a request that was tried `tries` times, if there is to be one.
pub(super) fn wait(
    outcome: &Result<Answer, Failure>,
    idempotent: Idempotent,
    tries: u32,
    pace: &Pace,
) -> Option<Duration> {
    if tries > pace.retries {
        return None;
    }
    let asked = match outcome {
        // Refused before anything was done.
        Ok(answer) if answer.status == StatusCode::TOO_MANY_REQUESTS => answer.retry_after,
        Ok(answer) if idempotent == Idempotent::Yes && matches!(answer.status.as_u16(), 502..=504) => {
            answer.retry_after
        }
        Err(failure) if idempotent == Idempotent::Yes && (failure.is(UNREACHABLE) || failure.is(TOO_SLOW)) => None,
        _ => return None,
    };
    let doubled = pace.pause.saturating_mul(1 << tries.saturating_sub(1).min(16));
    // Up to a quarter more, so that many clients do not come back at the same moment.
    let jitter = clock::random().map_or(0, |bytes| u32::from(bytes[0]));
    let wait = doubled.saturating_add(doubled.saturating_mul(jitter) / 1024);
    Some(wait.max(Duration::from_secs(asked.unwrap_or(0))).min(pace.longest_pause))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use retoque_core::problem::RESPONSE_TOO_LARGE;

    fn answer(status: u16, retry_after: Option<u64>) -> Answer {
        let status = StatusCode::from_u16(status).unwrap_or_default();
        Answer { status, body: Bytes::new(), content_type: String::new(), retry_after }
    }

    #[test]
    fn only_what_may_be_repeated_is_repeated() {
        let pace = Pace::DEFAULT;
        let waits = |outcome: &Result<Answer, Failure>, i, n| wait(outcome, i, n, &pace).is_some();
        let down = Err(Failure::new(UNREACHABLE, "", ""));
        assert!(waits(&down, Idempotent::Yes, 1) && !waits(&down, Idempotent::No, 1));
        let answered = |status, i| waits(&Ok(answer(status, None)), i, 1);
        assert!(answered(503, Idempotent::Yes) && !answered(503, Idempotent::No));
        assert!(answered(429, Idempotent::No));
        assert!(!answered(500, Idempotent::Yes) && !answered(200, Idempotent::Yes));
        assert!(!waits(&Err(Failure::new(RESPONSE_TOO_LARGE, "", "")), Idempotent::Yes, 1));
        assert!(!waits(&down, Idempotent::Yes, pace.retries + 1), "not for ever");
    }

    #[test]
    fn the_registry_may_ask_for_more_patience_within_reason() {
        let seconds =
            |after| wait(&Ok(answer(429, after)), Idempotent::Yes, 1, &Pace::DEFAULT).map_or(0, |d| d.as_secs());
        assert_eq!((seconds(None), seconds(Some(7)), seconds(Some(86_400))), (0, 7, 30));
    }
}
