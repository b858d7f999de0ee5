//! The use cases, one per function, whatever door they are called through.
//!
//! Each function takes the [`Service`] and the [`Actor`], asks [`policy::authorize`] before anything else, lets
//! `retoque-core` decide, and commits in one transaction. Knows nothing of HTTP and of database engines. What a caller
//! may not know of is refused exactly as if it did not exist. Clause: specification, sections 6 and 9.

pub mod accounts;
mod actor;
pub mod bases;
pub(crate) mod chain;
pub mod collect;
pub mod decide;
mod effects;
pub mod erasure;
mod error;
mod examine;
pub mod files;
mod history;
pub mod inspect;
pub mod keys;
pub mod orgs;
mod orphans;
pub mod page;
pub mod patches;
pub mod policy;
pub mod publish;
pub mod push;
mod registration;
pub mod reviews;
pub mod root;
mod signers;
mod situation;
pub mod status;
pub mod suites;
pub mod target;
pub mod tokens;
pub mod transparency;
pub mod uploads;
pub mod versions;
mod view;

pub use actor::Actor;
pub use error::Error;
pub use signers::Signers;

use std::sync::Arc;

use retoque_core::adapter::Policy;
use tokio::sync::Semaphore;

use crate::blobs::Blobs;
use crate::clock::Chance;
use crate::log::witnesses::Witnesses;
use crate::store::Store;

/// What this installation says of itself.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The origin that signed documents name, such as `https://patches.example`.
    pub origin: String,
    /// The largest package, in bytes.
    pub max_package_bytes: u64,
    /// Which adapters are taken.
    pub policy: Policy,
    /// How long a signed status counts, in hours; at most 24.
    pub status_hours: u32,
}

/// Everything that the use cases work with. Its parts are private, so that no door reaches around a use case.
pub struct Service {
    store: Store,
    chance: Chance,
    settings: Settings,
    blobs: Blobs,
    signers: Signers,
    witnesses: Arc<Witnesses>,
    /// A check of a package keeps a core busy: there are as many turns as cores.
    checks: Arc<Semaphore>,
    layouts: files::Layouts,
    roots: chain::Roots,
}

impl Service {
    /// Puts the parts together.
    pub fn new(store: Store, blobs: Blobs, signers: Signers, chance: Chance, settings: Settings) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            store,
            chance,
            settings,
            blobs,
            signers,
            witnesses: Arc::default(),
            checks: Arc::new(Semaphore::new(cores)),
            layouts: files::Layouts::default(),
            roots: chain::Roots::default(),
        }
    }

    /// The same, with these witnesses of its log.
    #[must_use]
    pub fn with_witnesses(mut self, witnesses: Arc<Witnesses>) -> Self {
        self.witnesses = witnesses;
        self
    }

    /// An id for one request, to find it in the log.
    pub fn request_id(&self) -> String {
        self.chance.uuid().map_or_else(|_| "no-entropy".to_owned(), |id| id.simple().to_string())
    }

    /// Now, for measuring how long a request took.
    pub fn now(&self) -> jiff::Timestamp {
        self.chance.now()
    }

    /// Whether everything behind the service answers.
    pub async fn ready(&self) -> Result<(), Error> {
        self.store.ping().await?;
        let nothing = retoque_core::digest::Digest::of(b"");
        self.blobs.size(&nothing).await?;
        Ok(())
    }
}
