//! The root of trust: TUF root metadata in a DSSE envelope. It names the keys of every role.
//!
//! TUF's four roles are mapped (`targets` is platform-build, `snapshot` platform-log, `timestamp`
//! platform-status); the roles of people and witnesses stand in `x-roles`, revocations in `x-revoked`. A root is
//! pinned by file or fingerprint and moves on one version at a time, signed by the thresholds of the old and the
//! new one. Refuses roots over 64 KiB, keys shared between roles, and skipped versions.
//! Clause: specification, section 8.

mod build;
mod metadata;
mod role;

#[cfg(test)]
mod tests;

pub use build::RootBuilder;
pub use metadata::{Revoked, RoleKeys};
pub use role::Role;

use metadata::Metadata;

use super::dsse::{Envelope, TUF};
use super::key::{KeyId, PublicKey};
use super::time::Time;
use super::verified::KeySet;
use crate::digest::Digest;
use crate::problem::{ENVELOPE_INVALID, Finding, Place, ROOT_EXPIRED, ROOT_INVALID, ROOT_UNPINNED, ROOT_VERSION};

/// The largest root file that is read.
pub const MAX_BYTES: usize = 64 << 10;

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
        let wanted = self.version() + 1;
        if new.version() != wanted {
            return Err(Finding::new(
                ROOT_VERSION,
                Place::field("version"),
                format!("root version {}", new.version()),
                format!("exactly version {wanted}"),
                "fetch every root in order; if the registry serves no other, report it to its operator",
            ));
        }
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

    /// The newest root of a chain: envelopes of versions that are already known are passed over.
    pub fn update_along(&self, chain: &[Envelope]) -> Result<Self, Finding> {
        let mut newest = self.clone();
        for envelope in chain {
            if Self::read(envelope)?.version() > newest.version() {
                newest = newest.update(envelope)?;
            }
        }
        Ok(newest)
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
        let revoked = |key: &&PublicKey| self.is_revoked(key.id());
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

    /// Whether the root revokes this key.
    pub fn is_revoked(&self, id: KeyId) -> bool {
        self.metadata.revoked().iter().any(|r| r.keyid == id)
    }

    /// The roles in which this key stands.
    pub fn roles_of(&self, id: KeyId) -> Vec<Role> {
        Role::ALL.into_iter().filter(|role| self.metadata.role(*role).keyids.contains(&id)).collect()
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
