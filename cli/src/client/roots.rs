//! Fetching newer roots, one version at a time (TUF 5.3).

use retoque_core::digest::Digest;
use retoque_core::problem::{Finding, Place, ROOT_UNPINNED};
use retoque_core::sign::{Envelope, Root, root};

use super::Client;
use crate::error::Failure;
use crate::trust_store::{MAX_ROOTS, Trust, TrustStore};

impl Client {
    /// The root of this version, as the registry serves it; nothing about it is believed yet.
    pub async fn root(&self, version: u64) -> Result<Option<Vec<u8>>, Failure> {
        let url = self.url.join(&["trust", &format!("{version}.root.json")]);
        Ok(self.optional_bytes(url, root::MAX_BYTES).await?.map(|bytes| bytes.to_vec()))
    }

    /// The newest root, as the registry serves it; nothing about it is believed yet.
    pub async fn newest_root(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.bytes(self.url.join(&["trust", "root.json"]), root::MAX_BYTES).await?.to_vec())
    }

    /// A root with this fingerprint, among the first and the newest.
    pub async fn root_with(&self, fingerprint: Digest) -> Result<Root, Failure> {
        if let Some(first) = self.root(1).await?
            && let Ok(root) = Root::trust(&first, Some(fingerprint))
        {
            return Ok(root);
        }
        Ok(Root::trust(&self.newest_root().await?, Some(fingerprint))?)
    }

    /// Follows the chain to its end. Each root is checked and stored before the next is asked for. Returns how many.
    pub async fn update_roots(&self, store: &TrustStore, trust: &mut Trust) -> Result<u64, Failure> {
        let from = trust.root().version();
        while trust.root().version() < from + MAX_ROOTS {
            let Some(next) = self.root(trust.root().version() + 1).await? else { break };
            store.advance(trust, &next)?;
        }
        // What was signed before the pinned root is verified with the roots of that time.
        while trust.chain.first().version() > 1 {
            let Some(previous) = self.root(trust.chain.first().version() - 1).await? else { break };
            store.go_back(trust, &previous)?;
        }
        Ok(trust.root().version() - from)
    }

    /// Refuses a registry that serves another root than the newest one known here, or none of its version: it was set up
    /// anew, put back to an earlier day, or is not the one that was pinned.
    pub async fn serves(&self, trusted: &Root) -> Result<(), Failure> {
        let served = self.root(trusted.version()).await?;
        let served = served.map(|bytes| Envelope::parse(&bytes)).transpose()?.map(|root| root.payload_digest());
        if served == Some(trusted.fingerprint()) {
            return Ok(());
        }
        let found = served.map_or_else(|| "no such root".to_owned(), |root| format!("root {}", root.hex()));
        let expected = format!("root version {}, {}", trusted.version(), trusted.fingerprint().hex());
        let next = "ask its operator by another way what happened; use nothing from it until then";
        Err(Finding::new(ROOT_UNPINNED, Place::default(), found, expected, next).into())
    }
}
