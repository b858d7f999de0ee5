//! `config.toml`: the registries that are known here.

use retoque_core::id::AccountName;
use retoque_core::problem::REGISTRY_UNKNOWN;
use serde::{Deserialize, Serialize};

use super::home::{invalid, toml_fault};
use super::{Home, RegistryUrl};
use crate::context::Context;
use crate::error::Failure;

const FILE: &str = "config.toml";

/// One registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// Its address.
    pub url: RegistryUrl,
    /// The origin that its signed documents name. Fixed when it is added; a later answer cannot change it.
    pub origin: String,
    /// Who is logged in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountName>,
}

/// All known registries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registries {
    /// The one that is used when none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<RegistryUrl>,
    /// The registries, in the order in which they were added.
    #[serde(default, rename = "registry", skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<Registry>,
}

impl Registries {
    /// Reads the file; none counts as empty.
    pub fn load(home: &Home) -> Result<Self, Failure> {
        let Some(text) = home.text(FILE)? else { return Ok(Self::default()) };
        let registries: Self = toml::from_str(&text).map_err(|e| toml_fault(FILE, &e))?;
        let mut urls: Vec<_> = registries.list.iter().map(|r| &r.url).collect();
        urls.sort();
        urls.dedup();
        if urls.len() == registries.list.len() { Ok(registries) } else { Err(invalid(FILE, "names a registry twice")) }
    }

    /// Writes the file.
    pub fn save(&self, home: &Home) -> Result<(), Failure> {
        let text = toml::to_string(self).map_err(|e| invalid(FILE, &format!("cannot be written: {e}")))?;
        home.write(FILE, &text)
    }

    /// The registry with this address.
    pub fn get(&self, url: &RegistryUrl) -> Option<&Registry> {
        self.list.iter().find(|r| r.url == *url)
    }

    /// The registry with this address, added when it is new. The first one becomes the default.
    pub fn entry(&mut self, url: &RegistryUrl, origin: &str) -> &mut Registry {
        let at = self.list.iter().position(|r| r.url == *url).unwrap_or_else(|| {
            self.list.push(Registry { url: url.clone(), origin: origin.to_owned(), account: None });
            self.list.len() - 1
        });
        self.default.get_or_insert_with(|| url.clone());
        &mut self.list[at]
    }

    /// The address that a command uses: `--registry`, else `RETOQUE_REGISTRY`, else the default.
    pub fn chosen(&self, ctx: &Context) -> Result<RegistryUrl, Failure> {
        let named = ctx.global.registry.as_ref().or(ctx.environment.registry.as_ref());
        if let Some(text) = named {
            return text.parse();
        }
        self.default.clone().ok_or_else(|| {
            let next = "add one with `retoque trust add URL --root FILE`, or name it with --registry URL";
            Failure::new(REGISTRY_UNKNOWN, "no registry is configured", next)
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::problem::SETTINGS_INVALID;

    #[test]
    fn registries_are_kept_and_read_strictly() {
        let dir = tempfile::tempdir().unwrap();
        let environment = crate::config::Environment { home: Some(dir.path().join("c")), ..Default::default() };
        let home = Home::of(&environment).unwrap();
        let mut registries = Registries::load(&home).unwrap();
        assert_eq!(registries, Registries::default());
        let url = "https://r.example".parse().unwrap();
        registries.entry(&url, "r.example").account = Some("ana".parse().unwrap());
        registries.entry(&url, "evil.example");
        registries.save(&home).unwrap();
        let again = Registries::load(&home).unwrap();
        assert_eq!(again, registries);
        assert_eq!(again.get(&url).unwrap().origin, "r.example");
        assert_eq!(again.default, Some(url));
        for bad in ["registri = []", "default = \"nonsense\"", "[[registry]]\nurl = \"https://a\""] {
            home.write(FILE, bad).unwrap();
            assert!(Registries::load(&home).unwrap_err().is(SETTINGS_INVALID), "{bad}");
        }
    }
}
