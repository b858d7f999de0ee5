//! Policies of C2SP tlog-policy: which logs are known, which witnesses, and how many of them must have cosigned.
//!
//! A policy comes from a file (`parse`) or from the witnesses that a root of trust names. What it says about a
//! checkpoint is in `quorum`. Refuses the same key twice, a witness whose key is that of a log, names that are not
//! defined before they are used, and members that count twice.

mod parse;
mod quorum;

use std::fmt;

use super::vkey::{Algorithm, VerifierKey};
use crate::problem::{Finding, POLICY_INVALID, Place, quote};
use crate::sign::{KeySet, PublicKey, Role, Root};

pub use quorum::{Cosigner, Evaluation};

/// The largest policy file that is read.
pub const MAX_BYTES: usize = 64 * 1024;
/// The most logs, witnesses and groups, each.
pub const MAX_OF_EACH: usize = 64;

/// The name that demands nobody.
const NONE: &str = "none";

/// Which logs are known, which witnesses, and how many of them must have cosigned. Displayed as a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    logs: Vec<Log>,
    witnesses: Vec<Witness>,
    groups: Vec<Group>,
    quorum: Option<Member>,
}

/// A log that may be relied on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// How it signs; the name is its origin.
    pub key: VerifierKey,
    /// Where it is, when the policy says so.
    pub url: Option<String>,
}

/// A witness that may count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// Its name within the policy.
    pub name: String,
    /// How it cosigns.
    pub key: VerifierKey,
    /// Where it takes checkpoints, when the policy says so.
    pub url: Option<String>,
}

/// Members of which at least `threshold` must have witnessed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    name: String,
    threshold: usize,
    members: Vec<Member>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Witness(usize),
    Group(usize),
}

impl Policy {
    /// The policy that demands no witness.
    pub const fn without_witnesses() -> Self {
        Self { logs: Vec::new(), witnesses: Vec::new(), groups: Vec::new(), quorum: None }
    }

    /// At least `threshold` of these witnesses, each with the name it cosigns under. Without witnesses, or with a
    /// threshold of zero, nobody is demanded. Which keys sign as the log is for others to say.
    pub fn of_witnesses(
        witnesses: impl IntoIterator<Item = (String, PublicKey, Option<String>)>,
        threshold: usize,
    ) -> Result<Self, Finding> {
        let mut policy = Self::without_witnesses();
        for (name, key, url) in witnesses {
            let key = VerifierKey::cosigner(&name, key)?;
            policy.add_witness(Witness { name, key, url })?;
        }
        let members: Vec<Member> = (0..policy.witnesses.len()).map(Member::Witness).collect();
        if threshold > members.len() {
            let found = format!("a threshold of {threshold} of {} witnesses", members.len());
            return Err(refuse(found, "a threshold that can be met"));
        }
        if threshold > 0 {
            policy.groups.push(Group { name: "witnesses".to_owned(), threshold, members });
            policy.quorum = Some(Member::Group(0));
        }
        Ok(policy)
    }

    /// What a root demands: its witnesses, as many of them as its role `witness` says.
    pub fn of_root(root: &Root) -> Result<Self, Finding> {
        let witnesses = root.witnesses();
        let threshold = usize::try_from(root.threshold(Role::Witness)).unwrap_or(usize::MAX).min(witnesses.len());
        Self::of_witnesses(witnesses.into_iter().map(|w| (w.name, w.key, w.url)), threshold)
    }

    /// The logs; empty when the policy leaves them to others.
    pub fn logs(&self) -> &[Log] {
        &self.logs
    }

    /// The witnesses, also those that the quorum does not ask.
    pub fn witnesses(&self) -> &[Witness] {
        &self.witnesses
    }

    /// Whether anybody must have cosigned.
    pub const fn demands_witnesses(&self) -> bool {
        self.quorum.is_some()
    }

    /// The keys by which the log of this origin may sign; `None` when the policy does not know it.
    pub fn log_keys(&self, origin: &str) -> Option<KeySet> {
        let keys: Vec<_> =
            self.logs.iter().filter(|log| log.key.name() == origin).map(|l| l.key.key().clone()).collect();
        (!keys.is_empty()).then(|| KeySet::new("log", keys, 1))
    }

    fn add_log(&mut self, log: Log) -> Result<(), Finding> {
        if log.key.algorithm() != Algorithm::Ed25519 {
            return Err(refuse(format!("the key of a witness for log {}", quote(log.key.name())), "algorithm 1"));
        }
        self.is_new(log.key.key())?;
        has_room(self.logs.len())?;
        self.logs.push(log);
        Ok(())
    }

    fn add_witness(&mut self, witness: Witness) -> Result<(), Finding> {
        if witness.key.algorithm() != Algorithm::Cosignature {
            return Err(refuse(format!("the key of a log for witness {}", quote(&witness.name)), "algorithm 4"));
        }
        self.is_new(witness.key.key())?;
        self.is_free(&witness.name)?;
        has_room(self.witnesses.len())?;
        self.witnesses.push(witness);
        Ok(())
    }

    fn add_group(&mut self, group: Group) -> Result<(), Finding> {
        self.is_free(&group.name)?;
        has_room(self.groups.len())?;
        if let Some(twice) = group.members.iter().enumerate().find(|(i, member)| {
            group.members[..*i].contains(member) || self.groups.iter().any(|other| other.members.contains(member))
        }) {
            let name = quote(self.name(*twice.1));
            return Err(refuse(format!("{name} as a member a second time"), "each name in one group, once"));
        }
        if !(1..=group.members.len()).contains(&group.threshold) {
            let found = format!("{} of {} members", group.threshold, group.members.len());
            return Err(refuse(found, "at least one of the members, at most all"));
        }
        self.groups.push(group);
        Ok(())
    }

    /// One key is one party: it is not listed twice, nor as a log that witnesses itself.
    fn is_new(&self, key: &PublicKey) -> Result<(), Finding> {
        let mut known = self.logs.iter().map(|l| &l.key).chain(self.witnesses.iter().map(|w| &w.key));
        match known.find(|other| other.key() == key) {
            None => Ok(()),
            Some(other) => Err(refuse(format!("the key of {} again", quote(other.name())), "each key once")),
        }
    }

    fn is_free(&self, name: &str) -> Result<(), Finding> {
        if name == NONE || self.member(name).is_some() {
            return Err(refuse(format!("the name {} again", quote(name)), "a new name, and not `none`"));
        }
        Ok(())
    }

    fn member(&self, name: &str) -> Option<Member> {
        let witness = self.witnesses.iter().position(|w| w.name == name).map(Member::Witness);
        witness.or_else(|| self.groups.iter().position(|g| g.name == name).map(Member::Group))
    }

    fn name(&self, member: Member) -> &str {
        let (witness, group) = match member {
            Member::Witness(i) => (self.witnesses.get(i).map(|w| &w.name), None),
            Member::Group(i) => (None, self.groups.get(i).map(|g| &g.name)),
        };
        witness.or(group).map_or("", String::as_str)
    }
}

fn has_room(count: usize) -> Result<(), Finding> {
    if count < MAX_OF_EACH {
        Ok(())
    } else {
        Err(refuse(format!("more than {MAX_OF_EACH} of one kind"), "fewer lines"))
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = |url: &Option<String>| url.as_ref().map(|url| format!(" {url}")).unwrap_or_default();
        for log in &self.logs {
            writeln!(f, "log {}{}", log.key, url(&log.url))?;
        }
        for witness in &self.witnesses {
            writeln!(f, "witness {} {}{}", witness.name, witness.key, url(&witness.url))?;
        }
        for group in &self.groups {
            let members: Vec<&str> = group.members.iter().map(|member| self.name(*member)).collect();
            writeln!(f, "group {} {} {}", group.name, group.threshold, members.join(" "))?;
        }
        writeln!(f, "quorum {}", self.quorum.map_or(NONE, |member| self.name(member)))
    }
}

fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "correct the policy; `retoque trust policy` shows the one in force";
    Finding::new(POLICY_INVALID, Place::default(), found, expected, next)
}

#[cfg(test)]
mod tests;
