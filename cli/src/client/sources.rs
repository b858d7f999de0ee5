//! Where bytes may come from: mirrors in the order in which they were named, then the registry itself.
//!
//! A mirror is any server with the routes of a registry. It is given no token and no trust: whoever asks here also says
//! how the answer proves itself, and an answer that does not is the next mirror's turn. What each mirror did wrong is
//! kept for the report. Clause: TRUST, client duties (malicious mirror).

use std::sync::{Arc, Mutex, PoisonError};

use retoque_core::problem::RESPONSE_TOO_LARGE;
use serde::Serialize;

use super::{Client, Pace};
use crate::config::RegistryUrl;
use crate::error::Failure;

/// How often a mirror is asked again when it does not answer.
const RETRIES: u32 = 1;

/// What a mirror did wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Address of the mirror.
    pub mirror: String,
    /// What it was asked for.
    pub what: String,
    /// Whether its answer was wrong, and not only missing.
    pub lied: bool,
    /// Code of the refusal.
    pub code: String,
    /// What was wrong.
    pub message: String,
}

/// Mirrors and the registry.
#[derive(Debug, Clone)]
pub struct Sources {
    mirrors: Vec<Client>,
    registry: Client,
    faults: Arc<Mutex<Vec<Fault>>>,
}

impl Sources {
    /// The registry alone.
    pub fn only(registry: Client) -> Self {
        Self { mirrors: Vec::new(), registry, faults: Arc::default() }
    }

    /// Mirrors before the registry.
    pub fn with_mirrors(registry: Client, mirrors: &[RegistryUrl]) -> Result<Self, Failure> {
        let pace = Pace { retries: RETRIES, ..registry.pace };
        let mirrors = mirrors.iter().map(|url| Client::new(url.clone(), None, false, pace));
        Ok(Self { mirrors: mirrors.collect::<Result<_, _>>()?, ..Self::only(registry) })
    }

    /// The registry.
    pub const fn registry(&self) -> &Client {
        &self.registry
    }

    /// All of them, the registry last.
    pub fn each(&self) -> impl Iterator<Item = &Client> {
        self.mirrors.iter().chain([&self.registry])
    }

    /// What `get` makes of the first source that it succeeds with. `get` fetches and proves: an answer that proves
    /// nothing has to be a failure. The registry comes last, and its failure is the one that is given back.
    pub async fn first<T, F>(&self, what: &str, get: impl Fn(Client) -> F) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        for mirror in &self.mirrors {
            match get(mirror.clone()).await {
                Ok(value) => return Ok(value),
                Err(failure) => self.note(mirror, what, &failure),
            }
        }
        get(self.registry.clone()).await
    }

    /// What mirrors did wrong so far; each fault once.
    pub fn faults(&self) -> Vec<Fault> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps for the report what a mirror did wrong.
    pub fn note(&self, mirror: &Client, what: &str, failure: &Failure) {
        let lied = failure.exit_status() == 3 || failure.is(RESPONSE_TOO_LARGE);
        let fault = Fault {
            mirror: mirror.address().to_string(),
            what: what.to_owned(),
            lied,
            code: failure.code().to_owned(),
            message: failure.message().to_owned(),
        };
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
}

impl Fault {
    /// The fault as a line of text.
    pub fn line(&self) -> String {
        let verb = if self.lied { "LIED about" } else { "did not give" };
        format!("mirror {} {verb} {}: {} [{}]", self.mirror, self.what, self.message, self.code)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::client::scripted::{Reply, Scripted};
    use crate::runtime::block_on;
    use retoque_core::problem::DIGEST_MISMATCH;

    #[test]
    fn the_next_source_is_asked_and_the_liar_is_named() {
        let liar = Scripted::start(|_, head| {
            assert!(!head.to_lowercase().contains("authorization"), "a mirror got the token: {head}");
            Reply::ok("wrong")
        });
        let absent = Scripted::start(|_, _| Reply::Whole("404 Not Found", String::new(), Vec::new()));
        let registry = Scripted::start(|_, _| Reply::ok("right"));
        let sources = Sources::with_mirrors(registry.client(), &[absent.url.clone(), liar.url.clone()]).unwrap();
        let get = |client: Client| async move {
            let bytes = client.bytes(client.api(&["x"]), 10).await?;
            if bytes == "right" { Ok(bytes) } else { Err(Failure::new(DIGEST_MISMATCH, "other bytes", "")) }
        };
        assert_eq!(block_on(sources.first("x", get)).unwrap(), "right");
        let faults = sources.faults();
        assert_eq!(faults.iter().map(|f| f.lied).collect::<Vec<_>>(), [false, true]);
        assert!(faults[1].line().contains(&format!("{} LIED about x", liar.url)), "{faults:?}");
        block_on(sources.first("x", get)).unwrap();
        assert_eq!(sources.faults().len(), 2, "each fault once");
        let wrong = Scripted::start(|_, _| Reply::ok("wrong"));
        assert!(block_on(Sources::only(wrong.client()).first("x", get)).unwrap_err().is(DIGEST_MISMATCH));
    }
}
