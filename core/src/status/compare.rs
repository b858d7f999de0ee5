//! A signed status or listing against the log that it names. What differs is proof: both are signed.

use std::collections::BTreeMap;

use super::fresh::AsOf;
use super::listing::Listing;
use super::replay::{Life, Replay};
use super::snapshot::{Status, VersionState};
use crate::digest::Digest;
use crate::licence::LicenceState;
use crate::problem::{Code, Finding, Findings, Place, STATUS_LIE};
use crate::sign::excerpt;

impl Replay {
    /// Refuses a status that says anything else than the entries. What is said of private versions that stayed closed is only held against what exists.
    pub fn check_status(&self, status: &Status) -> Result<(), Findings> {
        self.check_head(&status.as_of())?;
        let mut findings = Findings::new();
        let closed = status.private().iter().filter(|p| self.closed.contains(&p.commitment)).cloned();
        let computed = self.lists_with(closed);
        let by_manifest = |list: &[VersionState]| -> BTreeMap<Digest, VersionState> {
            list.iter().map(|v| (v.manifest, v.clone())).collect()
        };
        for (manifest, said, true_) in differences(by_manifest(status.versions()), by_manifest(&computed.versions)) {
            findings.push(lie(&self.name(manifest), text(said.as_ref()), &text(true_.as_ref())));
        }
        let by_commitment = |list: &[super::PrivateState]| list.iter().map(|p| (p.commitment, p.state)).collect();
        for (commitment, said, true_) in differences(by_commitment(status.private()), by_commitment(&computed.private))
        {
            let text =
                |state: Option<crate::lifecycle::State>| state.map_or("published", crate::lifecycle::State::name);
            findings.push(lie(&format!("private {commitment}"), text(said).to_owned(), text(true_)));
        }
        if findings.refused() { Err(findings) } else { Ok(()) }
    }

    /// Refuses a listing that leaves out a published version, invents one, or says something else of one.
    pub fn check_listing(&self, listing: &Listing) -> Result<(), Findings> {
        self.check_head(&listing.as_of())?;
        let listed = listing.versions().iter().map(|v| {
            let open = !matches!(v.licence, LicenceState::None | LicenceState::Ended);
            (v.version.clone(), (v.manifest, v.state, open, v.commitment))
        });
        let published = |life: &&Life| life.history.patch() == listing.patch() && life.history.was_published();
        let lives = self.versions.values().filter(published).map(|life| {
            let history = &life.history;
            (history.version().clone(), (history.manifest(), life.state(), history.is_licensed(), life.commitment))
        });
        let mut findings = Findings::new();
        for (version, said, true_) in differences(listed.collect(), lives.collect()) {
            let text = |v: Option<(Digest, crate::lifecycle::State, bool, Option<Digest>)>| match v {
                Some((manifest, state, open, _)) => {
                    format!("{state}, licence {}, {manifest}", if open { "granted" } else { "not granted" })
                }
                None => "nothing".to_owned(),
            };
            findings.push(lie(&format!("{} {version}", listing.patch()), text(said), &text(true_)));
        }
        if findings.refused() { Err(findings) } else { Ok(()) }
    }

    fn check_head(&self, as_of: &AsOf) -> Result<(), Finding> {
        as_of.check_log(&as_of.origin, self.head())
    }

    /// `org/slug 1.2.0`, where the log tells.
    fn name(&self, manifest: Digest) -> String {
        self.versions
            .get(&manifest)
            .map_or_else(|| manifest.to_string(), |life| format!("{} {}", life.history.patch(), life.history.version()))
    }
}

type Difference<K, V> = (K, Option<V>, Option<V>);

/// Every key whose values differ, with both.
fn differences<K: Ord + Clone, V: Eq>(mut said: BTreeMap<K, V>, computed: BTreeMap<K, V>) -> Vec<Difference<K, V>> {
    let mut all: Vec<_> = Vec::new();
    for (key, value) in computed {
        let other = said.remove(&key);
        if other.as_ref() != Some(&value) {
            all.push((key, other, Some(value)));
        }
    }
    all.extend(said.into_iter().map(|(key, value)| (key, Some(value), None)));
    all
}

fn text(version: Option<&VersionState>) -> String {
    version.map_or_else(
        || "published".to_owned(),
        |v| {
            let instead = v.replacement.as_ref().map_or_else(String::new, |r| format!(", use {r}"));
            format!("{} since {} ({}: {}{instead})", v.state, v.since, excerpt(&v.code), excerpt(&v.text))
        },
    )
}

fn lie(field: &str, found: String, expected: &str) -> Finding {
    finding(STATUS_LIE, field.to_owned(), found, format!("what the log says: {expected}"))
}

pub(super) fn finding(code: Code, field: String, found: String, expected: String) -> Finding {
    let next = "keep the signed status and the log: together they prove that the registry lied; do not go on";
    Finding::new(code, Place::field(field), found, expected, next)
}
