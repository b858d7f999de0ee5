//! Asking for the newest roots and the newest head, checking them against what is remembered, and remembering them.
//!
//! One command at a time does this for a registry (see [`super::Lock`]). Mirrors may answer too: each answer is checked the
//! same, and what a mirror holds back is asked of the next. Roots are stored one by one as they are checked; a head
//! only when all of it holds, so that a refusal leaves the state as it was.

use retoque_core::api::LogHead;
use retoque_core::json::{self, Limits};
use retoque_core::problem::{Finding, RESPONSE_INVALID};
use retoque_core::release;
use retoque_core::sign::{Envelope, Role, Time, Verified};
use retoque_core::status::Status;

use super::{Authority, Head, LogState, MAX_AGE, MAX_HEAD, Protections, State};
use crate::client::{Client, Connection, Sources};
use crate::error::Failure;
use crate::log::{Cache, Tiles};
use crate::trust_store::{Trust, TrustStore};

/// How a command asks.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The registry as it is known here.
    pub connection: &'a Connection,
    /// Mirrors and the registry.
    pub sources: &'a Sources,
    /// The start time of the command.
    pub now: Time,
    /// Whether what is too old is let through.
    pub allow_stale: bool,
    /// How old is too old, in seconds.
    pub max_age: i64,
}

/// What is known now: the newest roots and the newest head.
#[derive(Debug, Clone)]
pub struct Current {
    /// The roots.
    pub trust: Trust,
    /// The head.
    pub head: Head,
    /// Whether it was asked for now; otherwise it is the remembered one.
    pub asked: bool,
    /// What was too old and let through.
    pub stale: Vec<String>,
}

impl Current {
    /// Which protections that gives.
    pub fn protections(&self, now: Time) -> Protections {
        Protections::of(self.trust.root(), Some((&self.head, self.asked)), self.stale.clone(), now)
    }
}

/// What was remembered of the origin.
struct Memory {
    state: State,
    log: Option<LogState>,
    status: Option<Status>,
}

impl Memory {
    /// Reads it. A remembered status whose keys no longer count says nothing any more; a remembered size always does.
    fn of(store: &TrustStore, authority: &Authority<'_>) -> Result<Self, Failure> {
        let state = store.state(&authority.origin());
        let log = state.log()?;
        let status = state.status()?.map(|bytes| Envelope::parse(&bytes)).transpose()?;
        let status = status.and_then(|e| Status::verify(&e, |size| authority.keys(Role::PlatformStatus, size)).ok());
        Ok(Self { state, log, status: status.map(Verified::into_inner) })
    }
}

impl<'a> Asking<'a> {
    /// Asks as `pull` does: a day is the oldest.
    pub const fn new(connection: &'a Connection, sources: &'a Sources, now: Time, allow_stale: bool) -> Self {
        Self { connection, sources, now, allow_stale, max_age: MAX_AGE }
    }

    /// The newest roots and head.
    pub async fn ask(&self) -> Result<Current, Failure> {
        let store = self.connection.trust_store();
        let lock = store.lock().await?;
        let trust = self.roots(&store).await?;
        let mut stale: Vec<Finding> = trust.root().check_expiry(self.now).err().into_iter().collect();
        if let (Some(expired), false) = (stale.first(), self.allow_stale) {
            return Err(expired.clone().into());
        }
        let authority = Authority::new(&trust, self.connection.origin()?);
        let memory = &Memory::of(&store, &authority)?;
        let (authority, store) = (&authority, &store);
        // A source with an old head is passed over while another may have a newer one.
        let strict = self.sources.first("the head of the log", |client| async move {
            let head = self.head(&client, store, authority, memory).await?;
            head.check_fresh(self.now, self.max_age)?;
            Ok(head)
        });
        let head = match strict.await {
            Err(failure) if self.allow_stale && failure.exit_status() == 8 => {
                let any = self.sources.first("the head of the log", |client| async move {
                    self.head(&client, store, authority, memory).await
                });
                any.await?
            }
            other => other?,
        };
        stale.extend(head.staleness(self.now, self.max_age));
        memory.state.store(&lock, &head.log_state(), &head.envelope.to_bytes())?;
        let stale = stale.iter().map(|finding| format!("{} [{}]", finding.found, finding.code)).collect();
        Ok(Current { trust, head, asked: true, stale })
    }

    /// The remembered head, when nothing need be asked because it is fresh: with these roots, which are the newest known.
    pub fn remembered(&self, trust: Trust) -> Result<Option<Current>, Failure> {
        let authority = Authority::new(&trust, self.connection.origin()?);
        let head = Head::remembered(&self.connection.trust_store(), &authority)?;
        let fresh = |head: &Head| head.staleness(self.now, self.max_age).is_empty();
        if trust.root().check_expiry(self.now).is_err() {
            return Ok(None);
        }
        let head = head.filter(fresh);
        Ok(head.map(|head| Current { trust, head, asked: false, stale: Vec::new() }))
    }

    /// What a release is verified with under these roots, and as of this head.
    pub fn trust<'t>(&'t self, trust: &'t Trust, head: Option<&'t Head>) -> Result<release::Trust<'t>, Failure> {
        let (registry, now, allow_expired) = (Some(self.connection.origin()?), self.now, self.allow_stale);
        let (policy, status) = (trust.policy.as_ref(), head.map(|head| &head.status));
        Ok(release::Trust { registry, allow_expired, policy, status, ..release::Trust::new(&trust.chain, now) })
    }

    /// The newest roots alone.
    pub async fn ask_roots(&self) -> Result<Trust, Failure> {
        let store = self.connection.trust_store();
        let _lock = store.lock().await?;
        self.roots(&store).await
    }

    /// Follows the roots as far as any source leads.
    async fn roots(&self, store: &TrustStore) -> Result<Trust, Failure> {
        let mut trust = store.load()?;
        for client in self.sources.each() {
            let before = trust.root().version();
            let followed = client.update_roots(store, &mut trust).await;
            match followed {
                Ok(_) => {}
                // A mirror alone may fail, and the registry where a mirror has led on.
                Err(failure) if client.address() != self.sources.registry().address() => {
                    self.sources.note(client, "newer roots", &failure);
                }
                Err(failure) if failure.exit_status() == 7 && trust.root().version() > before => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(trust)
    }

    /// The head as this source shows it, checked against itself and against what is remembered.
    async fn head(
        &self,
        client: &Client,
        store: &TrustStore,
        authority: &Authority<'_>,
        memory: &Memory,
    ) -> Result<Head, Failure> {
        let bytes = client.bytes(client.api(&["head"]), MAX_HEAD).await.map_err(|f| f.during("the head of the log"))?;
        let limits = Limits { bytes: MAX_HEAD, depth: 16 };
        let shown: LogHead = json::decode(&bytes, limits).map_err(|e| {
            let next = "check that the address is that of a registry, and update this program";
            Failure::new(RESPONSE_INVALID, format!("the head of the log cannot be read: {e}"), next)
        })?;
        let head = Head::verify(&shown.checkpoint, shown.status, authority)?;
        if let Some(old) = &memory.log {
            let tiles = tiles(self.connection, Sources::only(client.clone()));
            let fork = tiles.check((old.tree(), &old.note), (head.tree(), &head.note)).await?;
            if let Some(fork) = fork {
                return Err(fork.report(&store.folder()));
            }
        }
        if let Some(old) = &memory.status {
            head.status.check_follows(old)?;
        }
        Ok(head)
    }
}

/// The tiles of the registry's log.
pub fn tiles(connection: &Connection, sources: Sources) -> Tiles {
    let folder = connection.trust_store().place("tiles");
    Tiles::new(sources, Cache::new(&connection.home, folder))
}
