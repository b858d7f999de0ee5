//! Which protections were active: what every `pull` and `verify` prints.

use retoque_core::digest::Digest;
use retoque_core::sign::{Root, Time};
use serde::Serialize;

use super::{Head, Quorum};

/// The protections of one command, against its one start time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Protections {
    /// The log head that everything was held against, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogHead>,
    /// Whether so many witnesses cosigned that the log cannot show each client another history.
    pub split_view_protection: bool,
    /// Version of the newest root.
    pub root_version: u64,
    /// When that root expires.
    pub root_expires: Time,
    /// Whether it has.
    pub root_expired: bool,
    /// What was too old and let through, because the user said so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// The head, with its ages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogHead {
    /// Origin of the log.
    pub origin: String,
    /// Its size.
    pub size: u64,
    /// Its root.
    pub root: Digest,
    /// Whether it was asked for now; otherwise it is the remembered one.
    pub asked: bool,
    /// Who cosigned.
    pub quorum: Quorum,
    /// Since when enough witnesses have cosigned; when none is demanded, the newest time that anybody stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosigned: Option<Time>,
    /// How old that is, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosigned_age: Option<i64>,
    /// When the status was issued.
    pub status_issued: Time,
    /// How old that is, in seconds.
    pub status_age: i64,
    /// When the status expires.
    pub status_expires: Time,
}

impl Protections {
    /// What holds at `now`. `head` comes with whether it was asked for now.
    pub fn of(root: &Root, head: Option<(&Head, bool)>, stale: Vec<String>, now: Time) -> Self {
        let log = head.map(|(head, asked)| {
            let status = head.status.as_of();
            LogHead {
                origin: head.checkpoint.origin().to_owned(),
                size: head.checkpoint.size(),
                root: head.checkpoint.root(),
                asked,
                quorum: head.quorum,
                cosigned: head.cosigned,
                cosigned_age: head.cosigned.map(|time| age(time, now)),
                status_issued: status.issued,
                status_age: age(status.issued, now),
                status_expires: status.expires,
            }
        });
        Self {
            split_view_protection: log.as_ref().is_some_and(|log| log.quorum.protects),
            log,
            root_version: root.version(),
            root_expires: root.expires(),
            root_expired: root.check_expiry(now).is_err(),
            stale,
        }
    }

    /// The protections as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let expired = if self.root_expired { " (EXPIRED)" } else { "" };
        let root = format!("root version {}, expires {}{expired}", self.root_version, self.root_expires);
        std::iter::once(root).chain(self.log_lines()).collect()
    }

    /// The same without the root.
    pub fn log_lines(&self) -> Vec<String> {
        let Some(log) = &self.log else {
            let line = "no head of the log is known here: no split-view protection, status unknown".to_owned();
            return std::iter::once(line).chain(self.stale_lines()).collect();
        };
        let how = if log.asked { "asked now" } else { "remembered" };
        let cosigned = match (log.cosigned, log.cosigned_age) {
            (Some(time), Some(age)) => format!("newest cosignature {time} ({} old)", span(age)),
            _ => "no cosignature that says when".to_owned(),
        };
        let (age, issued, expires) = (span(log.status_age), log.status_issued, log.status_expires);
        let lines = [
            format!("head of {} entries, {how}: {}", log.size, log.quorum),
            format!("{cosigned}; status as of {issued} ({age} old), good until {expires}"),
        ];
        lines.into_iter().chain(self.stale_lines()).collect()
    }

    fn stale_lines(&self) -> impl Iterator<Item = String> {
        self.stale.iter().map(|text| format!("STALE: {text}"))
    }
}

/// Seconds from `time` to `now`; none when it is a little ahead.
fn age(time: Time, now: Time) -> i64 {
    ((now.micros() - time.micros()) / 1_000_000).max(0)
}

/// A length of time in words.
fn span(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_readable() {
        let cases = [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (86_400, "24 h"), (172_800, "2 days")];
        for (seconds, text) in cases {
            assert_eq!(span(seconds), text);
        }
    }
}
