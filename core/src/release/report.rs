//! What a verification found to be in force, for people and for `--json`.

use serde::Serialize;

use super::document::Release;
use super::log::Proven;
use super::witness::Witnessed;
use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::id::{AccountName, BasePin, PatchName, Version};
use crate::licence::LicenceState;
use crate::lifecycle::State;
use crate::sign::root::Chain;
use crate::sign::{KeyId, Time};
use crate::status::{Status, VersionState};

/// Who signed one of the statements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// `attestation`, `submission`, `approval`, `publication`, `licence`.
    pub statement: &'static str,
    /// The role of the keys: one of the root's, or `member`.
    pub role: String,
    /// The keys.
    pub keys: Vec<KeyId>,
    /// The account that acted, where a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountName>,
    /// When, by the clock of the signer.
    pub time: Time,
}

/// What is proven about a folder, and which protections were not active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Origin of the registry.
    pub registry: String,
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// Digest of the manifest.
    pub manifest: Digest,
    /// Digest of the archive that the platform signed.
    pub package: Digest,
    /// The pinned base. Whether a base on disk is that base is proven separately.
    pub base: BasePin,
    /// Evidence state as signed.
    pub evidence: EvidenceState,
    /// Licence state at publication.
    pub licence: LicenceState,
    /// Licence terms at publication.
    pub terms: String,
    /// Who signed what.
    pub signed: Vec<SignedBy>,
    /// Version of the root that was used.
    pub root_version: u64,
    /// When that root expires.
    pub root_expires: Time,
    /// Whether it has expired; only possible when the caller allowed it.
    pub root_expired: bool,
    /// Disclosure text of the reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<String>,
    /// Where the log has it.
    pub log: LogReport,
    /// What became of it since, as far as a status is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusReport>,
    /// Protections that were not active, in words.
    pub not_active: Vec<String>,
}

/// The checkpoint in which everything signed is proven to stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogReport {
    /// Origin of the log.
    pub origin: String,
    /// Index of the publication.
    pub index: u64,
    /// Size of the log.
    pub size: u64,
    /// Its root hash.
    pub root: Digest,
    /// How many witnesses are known.
    pub witnesses: usize,
    /// Those that cosigned.
    pub cosigned: Vec<String>,
    /// Whether as many cosigned as are demanded.
    pub quorum: bool,
    /// Whether that excludes that others were shown another log.
    pub split_view_protection: bool,
    /// Since when the checkpoint is known to be the newest: the time of the cosignatures, at least of the log's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosigned_at: Option<Time>,
    /// How old that is, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosigned_seconds_ago: Option<i64>,
}

/// What a signed status says of the version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusReport {
    /// When it was signed: what happened later is not known.
    pub issued: Time,
    /// Until when it counts.
    pub expires: Time,
    /// Whether it has expired.
    pub expired: bool,
    /// Size of the log that it is about.
    pub size: u64,
    /// `published`, `deprecated`, `withdrawn` or `taken-down`.
    pub state: State,
    /// Reason and replacement, when something was decided against the version and the patch is public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<VersionState>,
}

impl LogReport {
    pub(super) fn of(proven: &Proven, now: Time) -> Self {
        let Witnessed { evaluation, known, protects } = &proven.witnessed;
        let checkpoint = &proven.checkpoint;
        Self {
            origin: checkpoint.origin().to_owned(),
            index: proven.index,
            size: checkpoint.size(),
            root: checkpoint.root(),
            witnesses: *known,
            cosigned: evaluation.cosigners.iter().map(|cosigner| cosigner.name.clone()).collect(),
            quorum: evaluation.satisfied,
            split_view_protection: *protects,
            cosigned_at: evaluation.fresh_at,
            cosigned_seconds_ago: evaluation.fresh_at.map(|at| seconds_between(at, now)),
        }
    }

    fn line(&self) -> String {
        let Self { origin, index, size, witnesses, .. } = self;
        let by = match (self.cosigned.len(), witnesses) {
            (_, 0) => "no witness is known".to_owned(),
            (count, _) => format!("cosigned by {count} of {witnesses} witnesses"),
        };
        let age = self
            .cosigned_seconds_ago
            .map_or_else(|| "no cosignature".to_owned(), |seconds| format!("newest cosignature {}", ago(seconds)));
        format!("log {origin}: entry {index} of {size}; {by}; {age}")
    }
}

impl StatusReport {
    /// What the status says; nothing when it is of another log, or older than the publication.
    pub(super) fn of(status: &Status, release: &Release, chain: &Chain, proven: &Proven, now: Time) -> Option<Self> {
        let as_of = status.as_of();
        let origins = chain.newest().log_origins(&release.registry);
        if as_of.registry != release.registry || !origins.contains(&as_of.origin) || as_of.size <= proven.index {
            return None;
        }
        let decided = status.version(release.manifest_digest).filter(|_| proven.commitment.is_none()).cloned();
        let state = match proven.commitment {
            Some(commitment) => status.private_version(commitment),
            None => decided.as_ref().map(|decided| decided.state),
        };
        Some(Self {
            issued: as_of.issued,
            expires: as_of.expires,
            expired: now >= as_of.expires,
            size: as_of.size,
            state: state.unwrap_or(State::Published),
            decided,
        })
    }

    fn lines(&self) -> Vec<String> {
        let expired = if self.expired { " (EXPIRED)" } else { "" };
        let mut lines = vec![format!("status as of {}{expired}: {}", self.issued, self.state)];
        lines.extend(self.decided.iter().map(|decided| {
            let instead = decided.replacement.as_ref().map_or_else(String::new, |r| format!("; use {r} instead"));
            format!("{} since {} ({}): {}{instead}", decided.state, decided.since, decided.code, decided.text)
        }));
        lines
    }
}

/// What was not protected against, in words.
pub(super) fn not_active(log: &LogReport, status: Option<&StatusReport>) -> Vec<String> {
    let mut texts = Vec::new();
    if !log.split_view_protection {
        let why = match (log.cosigned.len(), log.witnesses) {
            (0, _) => "no witness has cosigned".to_owned(),
            (count, known) if log.quorum => {
                format!("{count} of {known} witnesses cosigned, and too few are demanded to exclude another view")
            }
            (count, known) => format!("only {count} of {known} witnesses have cosigned, fewer than are demanded"),
        };
        texts.push(format!("no split-view protection: {why}"));
    }
    match status {
        None => texts
            .push("no signed status: a deprecation or withdrawal since publication is not visible offline".to_owned()),
        Some(status) if status.expired => {
            texts.push(format!("no current status: the one of {} has expired", status.issued));
        }
        Some(_) => {}
    }
    texts
}

fn seconds_between(earlier: Time, later: Time) -> i64 {
    (later.micros() - earlier.micros()).div_euclid(1_000_000)
}

fn ago(seconds: i64) -> String {
    match seconds {
        ..0 => "in the future".to_owned(),
        0..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        7200..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

impl Report {
    /// The report as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("{} {} from {}", self.patch, self.version, self.registry),
            format!("manifest {}", self.manifest),
            format!("base {}", self.base),
            format!("evidence {} as signed; licence {} ({}) at publication", self.evidence, self.licence, self.terms),
        ];
        lines.extend(self.signed.iter().map(|s| {
            let by = s.account.as_ref().map_or_else(String::new, |account| format!(" by {account}"));
            let keys: Vec<_> = s.keys.iter().map(|key| key.to_string().chars().take(16).collect::<String>()).collect();
            format!("{}{by}: {} key {} at {}", s.statement, s.role, keys.join(", "), s.time)
        }));
        lines.extend(self.disclosure.iter().map(|text| format!("reviewer's disclosure: {text}")));
        let expired = if self.root_expired { " (EXPIRED)" } else { "" };
        lines.push(format!("root version {}, expires {}{expired}", self.root_version, self.root_expires));
        lines.push(self.log.line());
        lines.extend(self.status.iter().flat_map(StatusReport::lines));
        lines.extend(self.not_active.iter().map(|text| format!("not active: {text}")));
        lines
    }
}
