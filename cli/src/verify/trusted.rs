//! Which pinned root a folder is verified with.
//!
//! The folder names its registry; that name only selects among roots that were pinned on this machine before, so
//! nothing in the folder becomes a reason to trust it.

use std::path::Path;

use retoque_core::problem::REGISTRY_UNTRUSTED;
use retoque_core::release::{MAX_BYTES, RELEASE, Release};
use retoque_core::sign::{Chain, Root, root};

use super::DiskFolder;
use crate::config::{Home, Registries, RegistryUrl};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Authority, Head};
use crate::trust_store::{Pin, Trust, TrustStore};

/// A root that was pinned on this machine or given as a file.
#[derive(Debug, Clone)]
pub struct Pinned {
    /// The roots.
    pub chain: Chain,
    /// The registry that it is of, when it came from the trust store.
    pub known: Option<Known>,
}

/// A registry whose root is pinned here.
#[derive(Debug, Clone)]
pub struct Known {
    /// What its signed documents call it.
    pub origin: String,
    /// Its roots.
    pub trust: Trust,
    /// Where they and what is remembered of its log lie.
    pub store: TrustStore,
}

impl Pinned {
    /// The remembered head of the log, verified again.
    pub fn head(&self) -> Result<Option<Head>, Failure> {
        match &self.known {
            Some(Known { origin, trust, store }) => Head::remembered(store, &Authority::new(trust, origin)),
            None => Ok(None),
        }
    }

    /// How the root came to be trusted.
    pub fn pin(&self) -> Option<&Pin> {
        self.known.as_ref().map(|known| &known.trust.pin)
    }
}

/// The root for a folder: the given file, else that of the named registry, else that of the registry that the folder
/// says it is from.
pub fn pinned(folder: &Path, file: Option<&Path>, ctx: &Context) -> Result<Pinned, Failure> {
    pinned_for(|| claimed_origin(folder), file, ctx)
}

/// The same for what says in another way which registry it is from.
pub fn pinned_for(
    claims: impl FnOnce() -> Option<String>,
    file: Option<&Path>,
    ctx: &Context,
) -> Result<Pinned, Failure> {
    if let Some(file) = file {
        let root = Root::trust(&files::read(file, root::MAX_BYTES as u64)?, None)?;
        return Ok(Pinned { chain: Chain::pinned(root), known: None });
    }
    let home = Home::of(&ctx.environment)?;
    let registries = Registries::load(&home)?;
    let named = ctx.global.registry.as_deref().map(str::parse::<RegistryUrl>).transpose()?;
    let claimed = if named.is_none() { claims() } else { None };
    let mut pinned = Vec::new();
    for registry in &registries.list {
        let wanted = match (&named, &claimed) {
            (Some(url), _) => registry.url == *url,
            (None, Some(origin)) => registry.origin == *origin,
            (None, None) => true,
        };
        let store = TrustStore::of(&home, &registry.url);
        if wanted && let Some(trust) = store.load_optional()? {
            let known = Known { origin: registry.origin.clone(), trust, store };
            pinned.push(Pinned { chain: known.trust.chain.clone(), known: Some(known) });
        }
    }
    pinned.into_iter().next().ok_or_else(|| {
        let from = claimed.map_or_else(String::new, |origin| format!("; it says that it is from {origin}"));
        Failure::new(
            REGISTRY_UNTRUSTED,
            format!("no root of trust is pinned for the registry that this is from{from}"),
            "pin its root with `retoque trust add URL --root FILE`, or give a root with --root FILE",
        )
    })
}

/// The registry that the folder says it is from. Believed by nobody: it only selects.
pub fn claimed_origin(folder: &Path) -> Option<String> {
    let (file, size) = DiskFolder::new(folder).file(RELEASE).ok()?;
    if size > MAX_BYTES as u64 {
        return None;
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_BYTES as u64), &mut bytes).ok()?;
    Release::parse(&bytes).ok().map(|release| release.registry)
}
