//! The root of trust: TUF root metadata in a DSSE envelope. It names the keys of every role.
//!
//! TUF's four roles are mapped (`targets` is platform-build, `snapshot` platform-log, `timestamp`
//! platform-status); the roles of people and witnesses stand in `x-roles`, revocations in `x-revoked`. A root is
//! pinned by file or fingerprint and moves on one version at a time, signed by the thresholds of the old and the
//! new one. Each names the one before it, so that a pinned root also says which ones were before ([`Chain`]).
//! Refuses roots over 64 KiB, keys shared between roles, skipped versions, and keys that leave a role without being
//! revoked. Clause: specification, section 8.

mod build;
mod chain;
mod log;
mod metadata;
mod proposal;
mod role;
mod succession;

#[cfg(test)]
mod chain_tests;
#[cfg(test)]
mod tests;

pub use build::RootBuilder;
pub use chain::Chain;
pub use log::default_origin;
pub use metadata::{Revoked, RoleKeys};
pub use proposal::{Proposal, Standing};
pub use role::Role;

use metadata::Metadata;

use super::dsse::{Envelope, TUF};
use super::key::{KeyId, PublicKey};
use super::time::Time;
use super::verified::KeySet;
use crate::digest::Digest;
use crate::problem::{ENVELOPE_INVALID, Finding, Place, ROOT_EXPIRED, ROOT_INVALID, ROOT_UNPINNED};

/// The largest root file that is read.
pub const MAX_BYTES: usize = 64 << 10;

/// A witness of the log, as the root names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// Its key.
    pub key: PublicKey,
    /// The name under which it cosigns.
    pub name: String,
    /// Where it can be asked for a cosignature.
    pub url: Option<String>,
}

/// A root that is trusted: it was pinned, or followed from one that was.
#[derive(Debug, Clone)]
pub struct Root {
    metadata: Metadata,
    envelope: Envelope,
}

impl Root {
    /// Trusts a root file. Give the fingerprint when one is known; without it the file itself is the pin, and the
    /// caller must have got it from somewhere else than the thing that it verifies.
    pub fn trust(bytes: &[u8], fingerprint: Option<Digest>) -> Result<Self, Finding> {
        let root = Self::read(&envelope_of(bytes)?)?;
        root.envelope.verify(TUF, &root.keys(Role::Root))?;
        match fingerprint {
            Some(pin) if pin != root.fingerprint() => Err(Finding::new(
                ROOT_UNPINNED,
                Place::default(),
                format!("a root with fingerprint {}", root.fingerprint().hex()),
                format!("the pinned root {}", pin.hex()),
                "ask the operator for the right fingerprint by another way than this registry",
            )),
            _ => Ok(root),
        }
    }

    /// The next root, which the thresholds of this one and of itself have signed.
    pub fn update(&self, next: &Envelope) -> Result<Self, Finding> {
        let new = Self::read(next)?;
        succession::check(self, &new)?;
        next.verify(TUF, &self.keys(Role::Root))?;
        next.verify(TUF, &new.keys(Role::Root))?;
        Ok(new)
    }

    /// As [`Root::update`], and refuses every signature that neither this root nor the next one has a use for. A chain
    /// of roots travels in each release and must not have a byte that can change unnoticed, so only such a root may
    /// be taken in.
    pub fn update_exact(&self, next: &Envelope) -> Result<Self, Finding> {
        let new = self.update(next)?;
        let signers = [self, &new].into_iter().flat_map(|root| root.keys(Role::Root).keys().to_vec());
        next.verify_exact(TUF, &KeySet::new(Role::Root.name(), signers, 1))?;
        Ok(new)
    }

    /// As [`Root::update_exact`], from the bytes in which the next root arrived. They are stored as they are, so they
    /// must be the envelope's one form.
    pub fn update_from(&self, received: &[u8]) -> Result<Self, Finding> {
        let next = Envelope::parse(received)?;
        if next.to_bytes() == received {
            return self.update_exact(&next);
        }
        Err(Finding::new(
            ENVELOPE_INVALID,
            Place::default(),
            "an envelope that is not in its one form",
            "canonical JSON without white space, as it was signed",
            "send the file that was written when the root was signed, unchanged",
        ))
    }

    /// Reads a root that is not trusted yet.
    fn read(envelope: &Envelope) -> Result<Self, Finding> {
        if envelope.to_bytes().len() > MAX_BYTES {
            return Err(metadata::invalid("", &format!("more than {MAX_BYTES} bytes")));
        }
        Ok(Self { metadata: Metadata::parse(envelope.payload_unverified())?, envelope: envelope.clone() })
    }

    /// Refuses when the root has expired at `now`. Only the newest root of a chain is asked.
    pub fn check_expiry(&self, now: Time) -> Result<(), Finding> {
        if now < self.expires() {
            return Ok(());
        }
        Err(Finding::new(
            ROOT_EXPIRED,
            Place::field("expires"),
            format!("a root that expired at {}", self.expires()),
            format!("a root that is valid at {now}"),
            "fetch the newest root with `retoque trust update`",
        ))
    }

    /// The keys that sign for `role`, without revoked ones. Refusals can name the role of a key that is not among them.
    pub fn keys(&self, role: Role) -> KeySet {
        let revoked = |key: &&PublicKey| self.revoked_from(key.id()).is_some();
        let own = self.metadata.role_keys(role);
        let others = Role::ALL.into_iter().filter(|other| *other != role).flat_map(|other| {
            self.metadata.role_keys(other).into_iter().map(move |key| (other.name().to_owned(), key.clone()))
        });
        KeySet::new(
            role.name(),
            own.iter().copied().filter(|key| !revoked(key)).cloned(),
            self.metadata.role(role).threshold,
        )
        .with_others(others)
        .with_revoked(self.metadata.keys().filter(revoked).cloned())
    }

    /// Whether this root revokes the key at this index of the log: the signature of leaf `index`, or, with the size of
    /// the log, a signature that is made now.
    pub fn is_revoked(&self, id: KeyId, index: u64) -> bool {
        self.revoked_from(id).is_some_and(|from| from <= index)
    }

    /// The first index of the log at which signatures of this key do not count, when the root revokes it.
    pub fn revoked_from(&self, id: KeyId) -> Option<u64> {
        self.metadata.revoked().iter().find(|r| r.keyid == id).map(|r| r.from_index)
    }

    /// What the root revokes, in the order of the keys.
    pub fn revoked(&self) -> &[Revoked] {
        self.metadata.revoked()
    }

    /// The keys that stand in a role, revoked or not: to show them. For verifying there is [`Root::keys`].
    pub fn members(&self, role: Role) -> Vec<&PublicKey> {
        self.metadata.role_keys(role)
    }

    /// How many keys of the role must sign.
    pub const fn threshold(&self, role: Role) -> u32 {
        self.metadata.role(role).threshold
    }

    /// The name of the log's checkpoints; the address of the registry is asked when the root gives none.
    pub fn log_origin(&self, registry_url: &str) -> String {
        self.metadata.log().origin.clone().unwrap_or_else(|| default_origin(registry_url))
    }

    /// Every name that the log has or had, the current one first.
    pub fn log_origins(&self, registry_url: &str) -> Vec<String> {
        std::iter::once(self.log_origin(registry_url)).chain(self.metadata.log().former.iter().cloned()).collect()
    }

    /// Whether the root itself names the log, whatever the registry's address is.
    pub fn names_log(&self) -> bool {
        self.metadata.log().origin.is_some()
    }

    /// The witnesses of the log that are not revoked. How many of them make a quorum is the threshold of
    /// [`Role::Witness`].
    pub fn witnesses(&self) -> Vec<Witness> {
        let named = self.metadata.log().witnesses.iter().filter(|named| self.revoked_from(named.keyid).is_none());
        let whole = |named: &log::WitnessName| {
            let key = self.metadata.key(named.keyid)?.clone();
            Some(Witness { key, name: named.name.clone(), url: named.url.clone() })
        };
        named.filter_map(whole).collect()
    }

    /// The roles in which this key stands.
    pub fn roles_of(&self, id: KeyId) -> Vec<Role> {
        Role::ALL.into_iter().filter(|role| self.metadata.role(*role).keyids.contains(&id)).collect()
    }

    /// The fingerprint of the root before this one; a first root has none.
    pub const fn previous(&self) -> Option<Digest> {
        self.metadata.previous()
    }

    /// Version of the root.
    pub const fn version(&self) -> u64 {
        self.metadata.version()
    }

    /// When it expires.
    pub const fn expires(&self) -> Time {
        self.metadata.expires()
    }

    /// SHA-256 over the signed payload: what people compare and pin. More signatures do not change it.
    pub fn fingerprint(&self) -> Digest {
        self.envelope.payload_digest()
    }

    /// The envelope that the root came in.
    pub const fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// The root file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.envelope.to_bytes()
    }
}

fn envelope_of(bytes: &[u8]) -> Result<Envelope, Finding> {
    if bytes.len() > MAX_BYTES {
        return Err(metadata::invalid("", &format!("more than {MAX_BYTES} bytes")));
    }
    let envelope = Envelope::parse(bytes.trim_ascii_end())?;
    if envelope.payload_type() == TUF {
        Ok(envelope)
    } else {
        Err(Finding::new(
            ROOT_INVALID,
            Place::field("payloadType"),
            super::excerpt(envelope.payload_type()),
            TUF,
            "give the root file of the registry",
        ))
    }
}
