//! Asking witnesses to cosign the newest checkpoint, C2SP tlog-witness from the side of the log.
//!
//! Those of the settings are asked, and those to which the root of trust gives an address. Whoever needs the newest
//! checkpoint first after an append waits for them, a few seconds at most; who comes meanwhile waits with him. A witness
//! that fails is left alone for half a minute, and its line is missing until then: what that means is for the policy of
//! the reader to say. Believes no witness but what its key signed; one that knows more leaves than this log has, or
//! another root, is reported, since one of the two was set back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
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
/// How long a witness that failed is left alone.
const PAUSE_SECONDS: i64 = 30;
/// The largest answer that is read.
const MAX_ANSWER: usize = 16 * 1024;
/// How often one witness is asked in a row: the first answer may name the size that it knows.
const TRIES: usize = 3;

/// The witnesses of this log, and what is remembered of them between two checkpoints.
#[derive(Default)]
pub struct Witnesses {
    configured: Vec<Arc<Peer>>,
    /// Those of roots, by verifier key and address.
    named: Mutex<BTreeMap<(String, String), Arc<Peer>>>,
    /// Held while they are asked, so that they are asked once.
    turn: tokio::sync::Mutex<()>,
}

struct Peer {
    key: VerifierKey,
    url: String,
    client: reqwest::Client,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// The size that it is thought to know, per origin. It says so itself when that is wrong.
    known: BTreeMap<String, u64>,
    /// When it failed last, if it has not cosigned since.
    failed: Option<Timestamp>,
}

impl Witnesses {
    /// The witnesses of the settings.
    pub fn new(list: &[Witness]) -> Result<Self, Finding> {
        let configured = list.iter().map(|witness| Peer::new(witness).map(Arc::new)).collect::<Result<_, _>>()?;
        Ok(Self { configured, ..Self::default() })
    }

    /// The newest checkpoint with the lines of all witnesses that answer, those of the settings and `of_root`.
    pub async fn newest(
        &self,
        store: &Store,
        key: LogKey<'_>,
        of_root: &[Witness],
        now: Timestamp,
    ) -> Result<Published, Error> {
        let peers = self.peers(of_root)?;
        let published = publish::newest(store, key, now).await?;
        if peers.iter().all(|peer| !peer.is_due(&published, now)) {
            return Ok(published);
        }
        let _turn = self.turn.lock().await;
        // Whoever held the lock may have asked already, and an append may have come between.
        let mut published = publish::newest(store, key, now).await?;
        let due: Vec<&Arc<Peer>> = peers.iter().filter(|peer| peer.is_due(&published, now)).collect();
        let answers = join_all(due.iter().map(|peer| peer.cosign(store, &published))).await;
        let mut lines = Vec::new();
        for (peer, answer) in due.iter().zip(answers) {
            peer.remember(&published, answer.as_ref().err().map(|_| now));
            match answer {
                Ok(line) => lines.push(line),
                Err(finding) => peer.report(&finding),
            }
        }
        let (origin, size, new) = (published.checkpoint.origin(), published.checkpoint.size(), &lines);
        store
            .write(|mut tx| async move {
                for line in new {
                    tx.put_cosignature(origin, size, line).await?;
                }
                Ok::<_, Error>(tx.done(()))
            })
            .await?;
        for line in &lines {
            published.note.put(Line::parse(&line.line)?);
        }
        Ok(published)
    }

    /// Everybody who is asked. The settings say where a key answers; a root says so for keys that they do not have.
    fn peers(&self, of_root: &[Witness]) -> Result<Vec<Arc<Peer>>, Finding> {
        let mut peers = self.configured.clone();
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        for witness in of_root {
            if peers.iter().any(|peer| peer.key.key() == witness.key.key()) {
                continue;
            }
            let place = (witness.key.to_string(), witness.url.clone());
            if let Some(known) = named.get(&place) {
                peers.push(Arc::clone(known));
            } else {
                let peer = Arc::new(Peer::new(witness)?);
                named.insert(place, Arc::clone(&peer));
                peers.push(peer);
            }
        }
        Ok(peers)
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
        Ok(Self {
            key: witness.key.clone(),
            url: witness.url.trim_end_matches('/').to_owned(),
            client,
            memory: Mutex::default(),
        })
    }

    /// Whether it has not cosigned this checkpoint within the last hour, and did not fail just now.
    fn is_due(&self, published: &Published, now: Timestamp) -> bool {
        let failed = self.memory.lock().unwrap_or_else(PoisonError::into_inner).failed;
        if failed.is_some_and(|at| now.as_second() - at.as_second() < PAUSE_SECONDS) {
            return false;
        }
        let note = &published.note;
        let time = note.line_of(&self.key).map(|line| cosignature::verify(note.text(), &self.key, line));
        let oldest = now.as_second() - REFRESH_SECONDS;
        !matches!(time, Some(Ok(time)) if time.micros().div_euclid(1_000_000) >= oldest)
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
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.known.get(origin).copied().unwrap_or(0)
    }

    fn remember(&self, published: &Published, failed: Option<Timestamp>) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.failed = failed;
        if failed.is_none() {
            memory.known.insert(published.checkpoint.origin().to_owned(), published.checkpoint.size());
        }
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
