//! What a command that talks to a registry starts with.

use super::{Client, Pace, Sources};
use crate::config::{Home, Registries, RegistryUrl, well_formed};
use crate::context::Context;
use crate::error::Failure;
use crate::trust_store::TrustStore;

/// A registry as this machine knows it, and a client that speaks with it.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The client.
    pub client: Client,
    /// The folder of the configuration.
    pub home: Home,
    /// The registry's address.
    pub url: RegistryUrl,
    /// What is known about registries.
    pub registries: Registries,
}

impl Connection {
    /// The connection of the registry that flags, environment and configuration name.
    pub fn open(ctx: &Context) -> Result<Self, Failure> {
        let home = Home::of(&ctx.environment)?;
        let url = Registries::load(&home)?.chosen(ctx)?;
        Self::with(ctx, url)
    }

    /// The connection of this registry.
    pub fn with(ctx: &Context, url: RegistryUrl) -> Result<Self, Failure> {
        let home = Home::of(&ctx.environment)?;
        let registries = Registries::load(&home)?;
        let token = match &ctx.environment.token {
            Some(token) => Some(well_formed(token.clone(), "RETOQUE_TOKEN")?),
            None => home.token(&url)?,
        };
        let client = Client::new(url.clone(), token, ctx.global.allow_http, Pace::DEFAULT)?;
        Ok(Self { client, home, url, registries })
    }

    /// The registry behind these mirrors.
    pub fn sources(&self, mirrors: &[RegistryUrl]) -> Result<Sources, Failure> {
        Sources::with_mirrors(self.client.clone(), mirrors)
    }

    /// The roots pinned for this registry.
    pub fn trust_store(&self) -> TrustStore {
        TrustStore::of(&self.home, &self.url)
    }

    /// The origin that signed documents of this registry name: fixed when it was added.
    pub fn origin(&self) -> Result<&str, Failure> {
        match self.registries.get(&self.url) {
            Some(registry) => Ok(&registry.origin),
            None => Err(self.trust_store().load().err().unwrap_or_else(|| {
                let next = "add it with `retoque trust add URL --root FILE`";
                Failure::new(retoque_core::problem::REGISTRY_UNKNOWN, "this registry is not configured here", next)
            })),
        }
    }
}
