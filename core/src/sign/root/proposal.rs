//! A root on its way through a ceremony: made, carried from one holder of a root key to the next, and signed, before
//! anybody trusts it.
//!
//! Its form and its succession are checked at once, its signatures are counted. Refuses signatures of keys that have no
//! say in it: every client would refuse the root for them. A proposal is never trusted; [`Root::update_exact`] and
//! [`Root::trust`] are.

use super::{Root, RootBuilder, envelope_of, succession};
use crate::problem::{ALREADY_EXISTS, Finding, Place, ROOT_VERSION, WRONG_ROLE};
use crate::sign::dsse::TUF;
use crate::sign::{Envelope, KeyId, KeySet, Role, Signer};

/// A root that waits for signatures.
#[derive(Debug, Clone)]
pub struct Proposal {
    root: Root,
}

/// How many root keys of one root have signed a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Which root's keys.
    pub version: u64,
    /// How many must sign.
    pub threshold: u32,
    /// Which did.
    pub signed: Vec<KeyId>,
    /// Which have not.
    pub missing: Vec<KeyId>,
}

impl Standing {
    /// Whether enough have signed.
    pub fn is_met(&self) -> bool {
        self.signed.len() >= self.threshold as usize
    }
}

impl Proposal {
    /// What a builder says, without a signature.
    pub fn of(builder: RootBuilder) -> Result<Self, Finding> {
        Ok(Self { root: Root::read(&builder.sign(&[])?)? })
    }

    /// Reads a root file without trusting it.
    pub fn open(bytes: &[u8]) -> Result<Self, Finding> {
        Ok(Self { root: Root::read(&envelope_of(bytes)?)? })
    }

    /// What it says: to show it and to sign it, never to trust it.
    pub const fn root(&self) -> &Root {
        &self.root
    }

    /// The root file as it is now.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.root.to_bytes()
    }

    /// Refuses unless it may follow on `previous`, whoever signs it.
    pub fn check_succession(&self, previous: &Root) -> Result<(), Finding> {
        succession::check(previous, &self.root)
    }

    /// Whose signatures it has and needs: of its own root keys, and of those of the root before it.
    pub fn standing(&self, previous: Option<&Root>) -> Vec<Standing> {
        previous.into_iter().chain([&self.root]).map(|root| self.signed_by(root)).collect()
    }

    fn signed_by(&self, root: &Root) -> Standing {
        let keys = root.keys(Role::Root);
        let one = |key| KeySet::new(Role::Root.name(), [key], 1);
        let made = |key| self.root.envelope().verify(TUF, &one(key)).is_ok();
        let (signed, missing) = keys.keys().iter().partition::<Vec<_>, _>(|key| made((*key).clone()));
        let ids = |keys: Vec<&crate::sign::PublicKey>| keys.into_iter().map(crate::sign::PublicKey::id).collect();
        Standing { version: root.version(), threshold: keys.threshold(), signed: ids(signed), missing: ids(missing) }
    }

    /// Adds a signature. A root after the first one needs the root before it, whose keys have a say as well.
    pub fn sign(&mut self, signer: &dyn Signer, previous: Option<&Root>) -> Result<(), Finding> {
        match previous {
            Some(previous) => self.check_succession(previous)?,
            None if self.root.version() > 1 => {
                return Err(Finding::new(
                    ROOT_VERSION,
                    Place::field("version"),
                    format!("root version {} without the root before it", self.root.version()),
                    format!("root version {} too", self.root.version() - 1),
                    "name the root before it with --previous, so that what changes can be checked",
                ));
            }
            None => {}
        }
        let id = signer.public().id();
        let standing = self.standing(previous);
        if standing.iter().any(|standing| standing.signed.contains(&id)) {
            let found = format!("a second signature of key {id}");
            return Err(refuse(ALREADY_EXISTS, found, "one of another root key", "hand the file to the next holder"));
        }
        if !standing.iter().any(|standing| standing.missing.contains(&id)) {
            let found = format!("key {id}, which is no root key");
            let expected = "a root key of this root or of the one before it";
            return Err(refuse(WRONG_ROLE, found, expected, "sign with a root key; others would spoil the root"));
        }
        let mut envelope: Envelope = self.root.envelope().clone();
        envelope.add_signature(signer)?;
        self.root = Root::read(&envelope)?;
        Ok(())
    }
}

fn refuse(code: crate::problem::Code, found: String, expected: &str, next: &str) -> Finding {
    Finding::new(code, Place::field("signatures"), found, expected, next)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::tests::{builder, first, key, publics, time};
    use super::*;
    use crate::problem::ROOT_UNLINKED;

    #[test]
    fn a_proposal_is_signed_by_those_who_have_a_say() {
        let mut one = Proposal::of(builder()).unwrap();
        let met = |p: &Proposal, previous: Option<&Root>| p.standing(previous).iter().all(Standing::is_met);
        one.sign(&key(1), None).unwrap();
        assert!(!met(&one, None));
        assert_eq!(one.sign(&key(1), None).unwrap_err().code, ALREADY_EXISTS);
        assert_eq!(one.sign(&key(10), None).unwrap_err().code, WRONG_ROLE);
        let mut one = Proposal::open(&one.to_bytes()).unwrap();
        one.sign(&key(3), None).unwrap();
        assert!(met(&one, None) && Root::trust(&one.to_bytes(), None).is_ok());

        let next = RootBuilder::after(&first(), time("2028-11-30T00:00:00Z")).role(Role::Root, publics(&[2, 4, 5]), 2);
        let mut next = Proposal::of(next).unwrap();
        assert_eq!(next.sign(&key(2), None).unwrap_err().code, ROOT_VERSION);
        let other = builder().role(Role::Review, publics(&[14]), 1);
        let other = Root::trust(&other.sign(&[&key(1), &key(2)]).unwrap().to_bytes(), None).unwrap();
        assert_eq!(next.sign(&key(2), Some(&other)).unwrap_err().code, ROOT_UNLINKED);
        let before = first();
        for n in [2, 1, 5] {
            assert!(!met(&next, Some(&before)));
            next.sign(&key(n), Some(&before)).unwrap();
        }
        assert!(met(&next, Some(&before)));
        let missing = &next.standing(Some(&before))[0].missing;
        assert_eq!(missing, &[key(3).public().id()]);
        assert!(first().update_exact(next.root().envelope()).is_ok());
    }
}
