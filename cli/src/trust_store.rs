//! The roots of trust that are pinned on this machine: `trust/<registry>/`.
//!
//! `pin.json` names the version and fingerprint of the root that was pinned; `<n>.root.json` is the chain from there,
//! and before it, as far as each root names the one before. `policy` says which witnesses count here. Every load
//! verifies the whole chain again, from the pin; nothing is written before it was checked; a stored root is never
//! replaced. Trust never comes from the thing that is verified.
//! Clause: specification, section 8 (TUF 5.3 for updates).

use std::path::PathBuf;

use retoque_core::digest::Digest;
use retoque_core::json::{self, Limits};
use retoque_core::log::policy::{self, Policy};
use retoque_core::problem::{REGISTRY_UNTRUSTED, TRUST_PINNED, TRUST_STORE};
use retoque_core::sign::{Chain, Envelope, Root, root};
use serde::{Deserialize, Serialize};

use crate::config::{Home, RegistryUrl};
use crate::error::Failure;
use crate::files;
use crate::head::{Lock, State};

/// The most roots of a chain.
pub const MAX_ROOTS: u64 = 1024;

/// What was pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Version of the pinned root.
    pub version: u64,
    /// Its fingerprint.
    pub fingerprint: Digest,
    /// Whether it was taken from the registry itself, because the user said so.
    pub first_use: bool,
}

/// A pinned root, those that follow from it, and those that it names before it.
#[derive(Debug, Clone)]
pub struct Trust {
    /// What was pinned.
    pub pin: Pin,
    /// The roots.
    pub chain: Chain,
    /// Which witnesses count here, when that was set on this machine.
    pub policy: Option<Policy>,
}

impl Trust {
    /// The newest known root.
    pub const fn root(&self) -> &Root {
        self.chain.newest()
    }
}

/// The roots of one registry.
#[derive(Debug, Clone)]
pub struct TrustStore {
    home: Home,
    folder: PathBuf,
}

impl TrustStore {
    /// The store of a registry; nothing need be in it yet.
    pub fn of(home: &Home, url: &RegistryUrl) -> Self {
        Self { home: home.clone(), folder: PathBuf::from("trust").join(url.folder()) }
    }

    /// The trust in this registry, or a refusal that says how to pin a root.
    pub fn load(&self) -> Result<Trust, Failure> {
        self.load_optional()?.ok_or_else(|| {
            let next = "pin its root with `retoque trust add URL --root FILE` (or --fingerprint HEX)";
            Failure::new(REGISTRY_UNTRUSTED, "no root of trust is pinned for this registry", next)
        })
    }

    /// The trust in this registry, if a root is pinned: the whole chain is verified again.
    pub fn load_optional(&self) -> Result<Option<Trust>, Failure> {
        let path = self.path("pin.json");
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            return Ok(None);
        }
        let pin: Pin = json::decode(&files::read(&path, 4 << 10)?, Limits::DOCUMENT)
            .map_err(|e| broken(&format!("pin.json: {e}")))?;
        let first = self.read(pin.version)?.ok_or_else(|| broken("the pinned root is missing"))?;
        let root = Root::trust(&first, Some(pin.fingerprint)).map_err(Failure::from)?;
        if root.version() != pin.version {
            return Err(broken("the pinned root has another version than the pin says"));
        }
        let mut chain = Chain::pinned(root);
        while let Some(bytes) = self.read(chain.newest().version() + 1)? {
            chain.extend(&Envelope::parse(bytes.trim_ascii_end())?)?;
        }
        while let Some(bytes) = self.read(chain.first().version() - 1)? {
            chain.prepend(&Envelope::parse(bytes.trim_ascii_end())?)?;
        }
        Ok(Some(Trust { pin, chain, policy: self.policy()? }))
    }

    /// Pins a root. Pinning the same one again changes nothing; another one is refused.
    pub fn pin(&self, root: &Root, first_use: bool) -> Result<Trust, Failure> {
        let pin = Pin { version: root.version(), fingerprint: root.fingerprint(), first_use };
        if let Some(old) = self.load_optional()? {
            if (old.pin.version, old.pin.fingerprint) == (pin.version, pin.fingerprint) {
                return Ok(old);
            }
            return Err(Failure::new(
                TRUST_PINNED,
                format!(
                    "root version {} with fingerprint {} is pinned already; this one is version {} with {}",
                    old.pin.version,
                    old.pin.fingerprint.hex(),
                    pin.version,
                    pin.fingerprint.hex()
                ),
                format!("to trust anew, remove the folder {}", files::shown(&self.path(""))),
            ));
        }
        self.home.make(&self.folder)?;
        self.write(root)?;
        let text = serde_json::to_vec(&pin).map_err(|e| broken(&e.to_string()))?;
        files::write(&self.path("pin.json"), &text, 0o600)?;
        Ok(Trust { pin, chain: Chain::pinned(root.clone()), policy: self.policy()? })
    }

    /// Takes the next root: checked against the newest known one first, then stored.
    pub fn advance(&self, trust: &mut Trust, next: &[u8]) -> Result<(), Failure> {
        if next.len() > root::MAX_BYTES {
            return Err(broken("the next root is too large"));
        }
        let mut chain = trust.chain.clone();
        chain.extend(&Envelope::parse(next.trim_ascii_end())?)?;
        self.write(chain.newest())?;
        trust.chain = chain;
        Ok(())
    }

    /// Takes the root before the oldest known one, which names it: checked first, then stored.
    pub fn go_back(&self, trust: &mut Trust, previous: &[u8]) -> Result<(), Failure> {
        let mut chain = trust.chain.clone();
        chain.prepend(&Envelope::parse(previous.trim_ascii_end())?)?;
        self.write(chain.first())?;
        trust.chain = chain;
        Ok(())
    }

    /// The policy that was set on this machine: which witnesses count, and how many.
    fn policy(&self) -> Result<Option<Policy>, Failure> {
        let path = self.path("policy");
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            return Ok(None);
        }
        let policy = Policy::parse(&files::read(&path, policy::MAX_BYTES as u64)?);
        policy.map(Some).map_err(|finding| Failure::from(finding).during(files::shown(&path)))
    }

    /// Sets the policy of this machine, after it was read as it will be read.
    pub fn set_policy(&self, bytes: &[u8]) -> Result<(), Failure> {
        Policy::parse(bytes)?;
        files::write(&self.path("policy"), bytes, 0o600)
    }

    /// Forgets the policy of this machine; without one nothing changes.
    pub fn remove_policy(&self) -> Result<(), Failure> {
        let path = self.path("policy");
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(files::unwritable(&path, &error)),
            _ => {
                files::sync_folder(&path);
                Ok(())
            }
        }
    }

    /// The lock under which what is remembered of the registry may change.
    pub async fn lock(&self) -> Result<Lock, Failure> {
        self.home.make(&self.folder)?;
        Lock::take(&self.path("lock")).await
    }

    /// What is remembered of the log of this origin.
    pub fn state(&self, origin: &str) -> State {
        State::of(&self.home, &self.folder, origin)
    }

    /// The folder of this registry.
    pub fn folder(&self) -> PathBuf {
        self.home.path(&self.folder)
    }

    /// A place in the folder of this registry, as a path below the home.
    pub fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, root: &Root) -> Result<(), Failure> {
        let bytes = root.to_bytes();
        match self.read(root.version())? {
            Some(old) if old == bytes => Ok(()),
            Some(_) if self.path("pin.json").exists() => Err(broken("another root of this version is stored already")),
            _ => files::write(&self.path(&format!("{}.root.json", root.version())), &bytes, 0o600),
        }
    }

    fn read(&self, version: u64) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.path(&format!("{version}.root.json"));
        if !path.try_exists().map_err(|e| files::unreadable(&path, &e))? {
            return Ok(None);
        }
        files::read(&path, root::MAX_BYTES as u64).map(Some)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path(&self.folder).join(name)
    }
}

fn broken(found: &str) -> Failure {
    let next = "remove the folder of this registry under `trust` and pin its root again";
    Failure::new(TRUST_STORE, found, next)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::problem::{ROOT_VERSION, THRESHOLD};
    use retoque_core::sign::root::RootBuilder;
    use retoque_core::sign::{Role, SecretKey, Signer as _, Time};

    fn key(n: u8) -> SecretKey {
        SecretKey::from_seed(&[n; 32]).unwrap()
    }

    fn first() -> Root {
        let role = |builder: RootBuilder, role, n| builder.role(role, [key(n).public().clone()], 1);
        let expires = "2030-01-01T00:00:00Z".parse::<Time>().unwrap();
        let mut builder = RootBuilder::first(expires);
        for (n, r) in [(1, Role::Root), (2, Role::PlatformBuild), (3, Role::PlatformLog), (4, Role::PlatformStatus)] {
            builder = role(builder, r, n);
        }
        Root::trust(&builder.sign(&[&key(1)]).unwrap().to_bytes(), None).unwrap()
    }

    fn next(root: &Root, signer: u8) -> Vec<u8> {
        let expires = "2031-01-01T00:00:00Z".parse().unwrap();
        RootBuilder::after(root, expires)
            .add(Role::Review, key(9).public().clone())
            .sign(&[&key(signer)])
            .unwrap()
            .to_bytes()
    }

    fn store() -> (tempfile::TempDir, TrustStore) {
        let dir = tempfile::tempdir().unwrap();
        let environment = crate::config::Environment { home: Some(dir.path().into()), ..Default::default() };
        let store = TrustStore::of(&Home::of(&environment).unwrap(), &"https://r.example".parse().unwrap());
        (dir, store)
    }

    #[test]
    fn a_chain_is_kept_from_the_pin_on() {
        let (_dir, store) = store();
        assert!(store.load().unwrap_err().is(REGISTRY_UNTRUSTED));
        let mut trust = store.pin(&first(), false).unwrap();
        let two = next(trust.root(), 1);
        store.advance(&mut trust, &two).unwrap();
        assert!(store.advance(&mut trust, &two).unwrap_err().is(ROOT_VERSION), "only forwards, one at a time");
        assert_eq!(store.load().unwrap().root().version(), 2);
        assert_eq!(store.pin(&first(), false).unwrap().root().version(), 2, "pinning again keeps what is newer");
    }

    #[test]
    fn nothing_unchecked_is_stored() {
        let (_dir, store) = store();
        let mut trust = store.pin(&first(), false).unwrap();
        let forged = next(trust.root(), 5);
        assert!(store.advance(&mut trust, &forged).is_err());
        assert_eq!(store.load().unwrap().root().version(), 1);
        std::fs::write(store.path("2.root.json"), &forged).unwrap();
        let failure = store.load().unwrap_err();
        assert!(failure.exit_status() == 3 && !failure.is(THRESHOLD), "a planted root is found: {failure:?}");
    }

    #[test]
    fn another_root_is_not_pinned_over_the_first() {
        let (_dir, store) = store();
        let trust = store.pin(&first(), true).unwrap();
        let other = trust.root().update(&Envelope::parse(&next(trust.root(), 1)).unwrap()).unwrap();
        assert!(store.pin(&other, false).unwrap_err().is(TRUST_PINNED));
        std::fs::write(store.path("1.root.json"), other.to_bytes()).unwrap();
        assert_eq!(store.load().unwrap_err().exit_status(), 3, "a replaced pin file is found");
    }
}
