//! Asking witnesses to cosign the newest checkpoint, C2SP tlog-witness from the side of the log.
//!
//! Whoever needs the newest checkpoint first after an append waits for its witnesses, a few seconds at most; who comes
//! meanwhile waits with him. A witness that does not answer is left alone for half a minute, and its line is missing
//! until then: what that means is for the policy of the reader to say. Believes no witness but what its key signed;
//! one that knows more leaves than this log has, or another root, is reported, since one of the two was set back.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use reqwest::StatusCode;
use retoque_core::digest::Digest;
use retoque_core::log::note::Line;
use retoque_core::log::witness::{AddCheckpoint, read_lines, read_size};
use retoque_core::log::{SignedCheckpoint, VerifierKey, cosignature};
use retoque_core::problem::{Code, Finding, LOG_FORK, LOG_ROLLBACK, Place, WITNESS_ANSWER};
use retoque_core::sign::Time;

use super::publish::{self, LogKey, Published, REFRESH_SECONDS};
use super::tiles::Prover;
use super::{Error, damaged};
use crate::config::Witness;
use crate::store::Store;
use crate::store::notes::Cosignature;

/// The longest time to wait for one witness.
const WAIT: Duration = Duration::from_secs(3);
/// How long a witness that failed is left alone, for one size.
const PAUSE_SECONDS: i64 = 30;
/// The largest answer that is read.
const MAX_ANSWER: usize = 16 * 1024;
/// How often one witness is asked in a row: the first answer may name the size that it knows.
const TRIES: usize = 3;

/// The witnesses of this log, and what is remembered of them between two checkpoints.
#[derive(Default)]
pub struct Witnesses {
    peers: Vec<Peer>,
    /// Held while they are asked: the size that they were asked about last, and when.
    asked: tokio::sync::Mutex<Option<(u64, Timestamp)>>,
}

struct Peer {
    key: VerifierKey,
    url: String,
    client: reqwest::Client,
    /// The size that it is thought to know, per origin. It says so itself when that is wrong.
    known: Mutex<BTreeMap<String, u64>>,
}

impl Witnesses {
    /// The witnesses of the settings.
    pub fn new(list: &[Witness]) -> Result<Self, Finding> {
        let peers = list.iter().map(Peer::new).collect::<Result<_, _>>()?;
        Ok(Self { peers, asked: tokio::sync::Mutex::default() })
    }

    /// The newest checkpoint with the lines of all witnesses that answer.
    pub async fn newest(&self, store: &Store, key: LogKey<'_>, now: Timestamp) -> Result<Published, Error> {
        let published = publish::newest(store, key, now).await?;
        if self.lacking(&published, now).is_empty() {
            return Ok(published);
        }
        let mut asked = self.asked.lock().await;
        // Whoever held the lock may have asked already, and an append may have come between.
        let mut published = publish::newest(store, key, now).await?;
        let size = published.checkpoint.size();
        let lacking = self.lacking(&published, now);
        let lately = asked.is_some_and(|(last, at)| last == size && now.as_second() - at.as_second() < PAUSE_SECONDS);
        if lacking.is_empty() || lately {
            return Ok(published);
        }
        let answers = join_all(lacking.iter().map(|peer| peer.cosign(store, &published))).await;
        let lines: Vec<Cosignature> = (lacking.iter().zip(answers))
            .filter_map(|(peer, answer)| answer.map_err(|finding| peer.report(&finding)).ok())
            .collect();
        let (origin, new) = (published.checkpoint.origin(), &lines);
        store
            .write(|mut tx| async move {
                for line in new {
                    tx.put_cosignature(origin, size, line).await?;
                }
                Ok::<_, Error>(tx.done(()))
            })
            .await?;
        *asked = Some((size, now));
        for line in &lines {
            published.note.put(Line::parse(&line.line)?);
        }
        Ok(published)
    }

    /// The witnesses that have not cosigned this checkpoint within the last hour.
    fn lacking(&self, published: &Published, now: Timestamp) -> Vec<&Peer> {
        let oldest = now.as_second() - REFRESH_SECONDS;
        let fresh = |peer: &&Peer| {
            let note = &published.note;
            let time = note.line_of(&peer.key).map(|line| cosignature::verify(note.text(), &peer.key, line));
            !matches!(time, Some(Ok(time)) if time.micros().div_euclid(1_000_000) >= oldest)
        };
        self.peers.iter().filter(fresh).collect()
    }
}

impl Peer {
    fn new(witness: &Witness) -> Result<Self, Finding> {
        let mut builder = reqwest::Client::builder().timeout(WAIT).redirect(reqwest::redirect::Policy::none());
        // What runs on this machine is not behind a proxy.
        if is_loopback(&witness.url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| unusable(&error.to_string()))?;
        Ok(Self { key: witness.key.clone(), url: witness.url.clone(), client, known: Mutex::default() })
    }

    /// Asks this witness. What it answers is believed only when its key signed it.
    async fn cosign(&self, store: &Store, published: &Published) -> Result<Cosignature, Finding> {
        let checkpoint = &published.checkpoint;
        let mut known = self.known(checkpoint.origin()).min(checkpoint.size());
        for _ in 0..TRIES {
            let request = AddCheckpoint {
                old: known,
                proof: prove(store, known, checkpoint.size()).await?,
                checkpoint: SignedCheckpoint::from_note(published.note.clone())?,
            };
            let (status, body) = self.post(request.to_string()).await?;
            match status {
                StatusCode::OK => {
                    let (line, time) = read_lines(&body, checkpoint, &self.key)?;
                    self.remember(checkpoint.origin(), checkpoint.size());
                    return stored(&line, time);
                }
                StatusCode::CONFLICT => {
                    let size = read_size(&body)?;
                    if size > checkpoint.size() {
                        return Err(contradiction(LOG_ROLLBACK, size, checkpoint.size()));
                    }
                    if size == known {
                        return Err(contradiction(LOG_FORK, size, checkpoint.size()));
                    }
                    known = size;
                }
                other => return Err(unusable(&format!("status {}", other.as_u16()))),
            }
        }
        Err(unusable("another size each time"))
    }

    async fn post(&self, body: String) -> Result<(StatusCode, Vec<u8>), Finding> {
        let failed = |error: reqwest::Error| unusable(&error.without_url().to_string());
        let sent = self.client.post(format!("{}/add-checkpoint", self.url)).body(body).send().await;
        let mut answer = sent.map_err(failed)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + chunk.len() > MAX_ANSWER {
                return Err(unusable("an answer without end"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok((answer.status(), bytes))
    }

    fn known(&self, origin: &str) -> u64 {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(origin).copied().unwrap_or(0)
    }

    fn remember(&self, origin: &str, size: u64) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(origin.to_owned(), size);
    }

    fn report(&self, finding: &Finding) {
        let witness = self.key.name();
        if [LOG_ROLLBACK, LOG_FORK].contains(&finding.code) {
            tracing::error!(witness, %finding, next = finding.next, "a witness contradicts this log");
        } else {
            tracing::warn!(witness, %finding, "a witness did not cosign; it is asked again");
        }
    }
}

async fn prove(store: &Store, old: u64, size: u64) -> Result<Vec<Digest>, Finding> {
    let failed = |error: Error| match error {
        Error::Broken(finding) | Error::Retired(finding) => finding,
        Error::Store(error) => unusable(&error.to_string()),
    };
    let mut tx = store.read().await.map_err(|error| failed(error.into()))?;
    Prover::new(&mut tx).consistency(old, size).await.map_err(failed)
}

fn stored(line: &Line, time: Time) -> Result<Cosignature, Finding> {
    let cosigned_at = Timestamp::from_microsecond(time.micros()).map_err(|e| damaged(e.to_string(), "a time"))?;
    Ok(Cosignature { name: line.name().to_owned(), key_id: line.id(), line: line.to_string(), cosigned_at })
}

fn is_loopback(url: &str) -> bool {
    let host = url.parse::<http::Uri>().ok().and_then(|url| url.host().map(str::to_owned)).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn unusable(found: &str) -> Finding {
    let next = "see that the witness runs, knows this log's key, and is the one of the settings";
    Finding::new(WITNESS_ANSWER, Place::field("log.witnesses"), found, "a cosignature", next)
}

fn contradiction(code: Code, theirs: u64, ours: u64) -> Finding {
    let found = format!("a witness that cosigned {theirs} leaves of this log");
    let expected = format!("one that cosigned this history, which has {ours}");
    let next = "find out which of the two was restored from an older copy; when it is this log, clients refuse it too";
    Finding::new(code, Place::field("log.witnesses"), found, expected, next)
}
