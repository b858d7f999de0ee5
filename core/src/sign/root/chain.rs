//! Consecutive trusted roots, and whose signatures count at which place in the log.
//!
//! One root is pinned. Forwards the chain goes by the thresholds of TUF; backwards by `x-previous`, so that nobody can
//! put other roots before a pinned one, whatever signatures they add to it. A statement about leaf `i` of the log is
//! good when its keys stood in the role in any root of the chain and the newest root does not revoke them from `i` or
//! earlier on: what was signed before a rotation stays good, and a retired key signs nothing new.
//! Clause: specification, section 8.

use super::role::Role;
use super::{Root, succession};
use crate::problem::{Finding, Place, ROOT_UNPINNED, ROOT_VERSION};
use crate::sign::dsse::TUF;
use crate::sign::verified::Rule;
use crate::sign::{Envelope, KeyId, KeySet, PublicKey};

/// Trusted roots without a gap, never empty.
#[derive(Debug, Clone)]
pub struct Chain {
    earlier: Vec<Root>,
    newest: Root,
}

impl Chain {
    /// The chain of one root that is trusted.
    pub const fn pinned(root: Root) -> Self {
        Self { earlier: Vec::new(), newest: root }
    }

    /// Goes one root forwards. Refuses what [`Root::update_exact`] refuses, and then stays as it was.
    pub fn extend(&mut self, next: &Envelope) -> Result<(), Finding> {
        let next = self.newest.update_exact(next)?;
        self.earlier.push(std::mem::replace(&mut self.newest, next));
        Ok(())
    }

    /// Goes one root backwards: the one that the first root of the chain names, and whose rules that root keeps.
    pub fn prepend(&mut self, previous: &Envelope) -> Result<(), Finding> {
        let older = Root::read(previous)?;
        let first = self.first();
        if older.version() + 1 != first.version() {
            return Err(Finding::new(
                ROOT_VERSION,
                Place::field("version"),
                format!("root version {}", older.version()),
                format!("the root before version {}", first.version()),
                "fetch every root in order",
            ));
        }
        // Before any signature: what the first root does not name is nobody's root, however it is signed.
        succession::linked(&older, first)?;
        previous.verify(TUF, &older.keys(Role::Root))?;
        older.update(first.envelope())?;
        self.earlier.insert(0, older);
        Ok(())
    }

    /// This chain and another one together: the roots `1` to `k` that a release carries, which must be sound by
    /// themselves. They must hold a root of this chain, or lead up to its first one.
    pub fn join(&self, chain: &[Envelope]) -> Result<Self, Finding> {
        let theirs = sound(chain)?;
        for root in theirs.roots() {
            if let Some(own) = self.get(root.version())
                && own.fingerprint() != root.fingerprint()
            {
                return Err(foreign(root, own));
            }
        }
        let (first, last) = (self.first().version(), theirs.newest().version());
        if last + 1 < first {
            return Err(Finding::new(
                ROOT_VERSION,
                Place::default(),
                format!("roots up to version {last}, and trusted ones from version {first} on"),
                "chains without a gap between them",
                "fetch the roots in between with `retoque trust update`",
            ));
        }
        let mut union = self.clone();
        for older in theirs.roots().filter(|root| root.version() < first).collect::<Vec<_>>().into_iter().rev() {
            union.prepend(older.envelope())?;
        }
        for newer in theirs.roots().filter(|root| root.version() > self.newest().version()) {
            union.extend(newer.envelope())?;
        }
        Ok(union)
    }

    /// The oldest root.
    pub fn first(&self) -> &Root {
        self.earlier.first().unwrap_or(&self.newest)
    }

    /// The newest root.
    pub const fn newest(&self) -> &Root {
        &self.newest
    }

    /// The root of this version.
    pub fn get(&self, version: u64) -> Option<&Root> {
        self.roots().find(|root| root.version() == version)
    }

    /// All roots, oldest first.
    pub fn roots(&self) -> impl DoubleEndedIterator<Item = &Root> {
        self.earlier.iter().chain(std::iter::once(&self.newest))
    }

    /// The envelopes of all roots, oldest first.
    pub fn envelopes(&self) -> Vec<Envelope> {
        self.roots().map(|root| root.envelope().clone()).collect()
    }

    /// The keys whose signatures count for `role` at this index of the log: for a leaf its own index, for a checkpoint
    /// its size, for "now" the size of the log.
    ///
    /// A threshold is that of the newest root in which a signing key stood. So a raised threshold is asked of every key
    /// that is still in the role, and the old one of keys that have left it, whose signatures end at their revocation.
    pub fn keys_at(&self, role: Role, index: u64) -> KeySet {
        let counts = |id: &KeyId| !self.is_revoked(*id, index);
        let mut keys: Vec<PublicKey> = Vec::new();
        let mut rules = Vec::new();
        for root in self.roots().rev() {
            let here = root.metadata.role_keys(role).into_iter().filter(|key| counts(&key.id()));
            let members: Vec<KeyId> = here.clone().map(PublicKey::id).collect();
            let latest: Vec<PublicKey> = here.filter(|key| !keys.contains(key)).cloned().collect();
            if !latest.is_empty() {
                let ids = latest.iter().map(PublicKey::id).collect();
                rules.push(Rule { latest: ids, members, threshold: root.threshold(role) });
                keys.extend(latest);
            }
        }
        let all = || self.roots().rev().flat_map(|root| root.metadata.keys());
        let others = Role::ALL.into_iter().filter(|other| *other != role).flat_map(|other| {
            let keys = self.roots().rev().flat_map(move |root| root.metadata.role_keys(other));
            keys.map(move |key| (other.name().to_owned(), key.clone()))
        });
        KeySet::new(role.name(), keys, self.newest.threshold(role))
            .with_rules(rules)
            .with_others(others)
            .with_revoked(all().filter(|key| !counts(&key.id())).cloned())
    }

    /// Whether signatures of these keys would be enough for `role` at this index. Verifies none.
    pub fn accepts(&self, role: Role, index: u64, signers: &[KeyId]) -> bool {
        let keys = self.keys_at(role, index);
        let mut counted: Vec<KeyId> = signers.iter().copied().filter(|id| keys.get(*id).is_some()).collect();
        counted.sort_unstable();
        counted.dedup();
        keys.is_met_by(&counted)
    }

    /// Whether signatures of this key count no more at this index of the log.
    pub fn is_revoked(&self, id: KeyId, index: u64) -> bool {
        self.newest.is_revoked(id, index)
    }

    /// The roles in which this key ever stood.
    pub fn roles_of(&self, id: KeyId) -> Vec<Role> {
        let stood = |role: &Role| self.roots().any(|root| root.metadata.role(*role).keyids.contains(&id));
        Role::ALL.into_iter().filter(stood).collect()
    }
}

/// The chain from version 1 on, each root the proper successor of the one before, none with a signature too many.
fn sound(chain: &[Envelope]) -> Result<Chain, Finding> {
    let refuse = |found: String| {
        let (expected, next) = ("every root from version 1 on", "pull the version again");
        Finding::new(ROOT_VERSION, Place::default(), found, expected, next)
    };
    let Some((first, later)) = chain.split_first() else { return Err(refuse("no root".to_owned())) };
    let root = Root::trust(&first.to_bytes(), None)?;
    first.verify_exact(TUF, &root.keys(Role::Root))?;
    if root.version() != 1 {
        return Err(refuse(format!("a chain that begins with root version {}", root.version())));
    }
    let mut sound = Chain::pinned(root);
    for next in later {
        sound.extend(next)?;
    }
    Ok(sound)
}

fn foreign(theirs: &Root, own: &Root) -> Finding {
    Finding::new(
        ROOT_UNPINNED,
        Place::default(),
        format!("another root version {} ({})", theirs.version(), theirs.fingerprint().hex()),
        format!("the trusted one ({})", own.fingerprint().hex()),
        "these files belong to another registry, or somebody replaced its root; do not use them",
    )
}
