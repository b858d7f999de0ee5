//! The whole log, from entry 0 to the head: nothing is believed that can be recomputed.
//!
//! Every entry is proven by the tree and parsed; the tree is built again and has to give the root of the checkpoint; the
//! entries of each version have to follow from one another; roots are those of the trusted chain; the signed documents
//! of public versions are those whose digests the entries hold, by keys that could sign at that index; the status that
//! follows from all that is the signed one. What lies is named by its index. Entries of private patches are
//! commitments: that they stand in the tree is all that can be seen of them.
//! Clause: TRUST, client duties (operator rewrites history, forges approval, lies in status).

mod documents;
mod signatures;
mod trail;

use std::collections::{BTreeMap, BTreeSet};

use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::log::{Bundle, Frontier, Head as Tree, leaf_hash};
use retoque_core::problem::{Finding, Findings, LOG_CONTRADICTION, LOG_FORK};
use retoque_core::sign::Envelope;
use retoque_core::status::{Known, Replay};
use serde::Serialize;

use self::documents::Documents;
use self::signatures::{MemberKeys, Signed, at};
use self::trail::{Entry, Trails};
use super::{Entries, Tiles};
use crate::error::Failure;
use crate::head::{Authority, Head};
use crate::output::Progress;

/// What is verified, and with what.
#[derive(Debug)]
pub struct Verification<'a> {
    /// Where entries and tiles come from.
    pub tiles: &'a Tiles,
    /// The trusted roots.
    pub authority: Authority<'a>,
    /// The head whose log it is.
    pub head: &'a Head,
    /// Only the documents of these versions are fetched, beside those that the status repeats; of all when absent.
    pub only: Option<&'a BTreeSet<Digest>>,
}

/// What was verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Entries, all of them proven.
    pub entries: u64,
    /// Of these, of private patches: commitments that stay closed.
    pub private_entries: u64,
    /// Versions of public patches.
    pub versions: u64,
    /// Of these, ever published: their documents were fetched.
    pub published: u64,
    /// Signed documents that are those of their entries.
    pub documents: u64,
    /// Signatures by keys that could sign at that index.
    pub signatures: u64,
    /// Signatures of members whose registration no release shows.
    pub keys_not_shown: u64,
    /// Entries that registered a key.
    pub keys: u64,
    /// Entries that changed the root, each held against the trusted chain as far as that reaches.
    pub roots: u64,
    /// Bundles of entries that were here from an earlier run.
    pub bundles_kept: u64,
}

impl Verification<'_> {
    fn wants(&self, manifest: &Digest) -> bool {
        self.only.is_none_or(|only| only.contains(manifest))
    }

    /// Verifies all of it. Everything that is wrong is reported.
    pub async fn run(&self, bar: &Progress) -> Result<Counts, Failure> {
        let mut work = Work::new(self);
        work.entries(bar).await?;
        work.documents().await?;
        let Work { counts, mut findings, replay, .. } = work;
        if let Some(replay) = replay.filter(|_| !findings.refused())
            && let Err(lies) = replay.check_status(&self.head.status)
        {
            findings.extend(lies);
        }
        if findings.refused() {
            let message = format!("the log of {} does not verify", self.head.checkpoint.origin());
            return Err(Failure::findings(message, &findings));
        }
        Ok(counts)
    }
}

/// A verification on its way.
struct Work<'a> {
    verification: &'a Verification<'a>,
    trails: Trails,
    /// Gone after the first entry that does not follow.
    replay: Option<Replay>,
    /// Documents that were needed early.
    fetched: BTreeMap<Digest, Documents>,
    findings: Findings,
    counts: Counts,
    root: u64,
}

impl<'a> Work<'a> {
    fn new(verification: &'a Verification<'a>) -> Self {
        Self {
            verification,
            trails: Trails::default(),
            replay: Some(Replay::default()),
            fetched: BTreeMap::new(),
            findings: Findings::new(),
            counts: Counts::default(),
            root: 0,
        }
    }

    async fn entries(&mut self, bar: &Progress) -> Result<(), Failure> {
        let Verification { tiles, head, .. } = self.verification;
        let (tree, mut frontier) = (head.tree(), Frontier::new());
        let mut entries = Entries::of(tiles, tree);
        for bundle in Bundle::all(tree.size) {
            let (leaves, kept) = entries.read(bundle).await?;
            self.counts.bundles_kept += u64::from(kept);
            for (n, leaf) in leaves.iter().enumerate() {
                frontier.append(leaf_hash(leaf));
                self.entry(bundle.first() + n as u64, leaf).await?;
            }
            bar.add(leaves.len() as u64);
        }
        self.counts.entries = frontier.size();
        let rebuilt: Tree = frontier.head();
        if rebuilt != tree {
            let message = format!("the entries give the root {}, not {}", rebuilt.root, tree.root);
            return Err(Failure::new(LOG_FORK, message, "keep the checkpoint; the registry cannot show its log"));
        }
        (self.counts.private_entries, self.counts.keys) = (self.trails.closed, self.trails.keys.len() as u64);
        self.counts.versions = self.trails.versions.len() as u64;
        Ok(())
    }

    async fn entry(&mut self, index: u64, leaf: &[u8]) -> Result<(), Failure> {
        let entry = match self.trails.take(index, leaf) {
            Ok(entry) => entry,
            Err(finding) => {
                self.findings.push(finding);
                self.replay = None;
                return Ok(());
            }
        };
        let mut envelope = None;
        match entry {
            Entry::Version(record) if is_against(record.kind) => {
                envelope = self.document(record.manifest, record.envelope).await?;
                if envelope.is_none() {
                    // Reported with the documents of the version; the status cannot be recomputed without.
                    self.replay = None;
                }
            }
            Entry::Root(version, digest) => self.root(index, version, digest),
            Entry::Version(_) | Entry::Key | Entry::Closed => {}
        }
        if let Some(replay) = &mut self.replay
            && let Err(finding) = replay.apply(leaf, Known { opening: None, envelope: envelope.as_ref() })
        {
            self.findings.push(Finding { place: at(index), ..finding });
            self.replay = None;
        }
        Ok(())
    }

    /// The document with this digest, for an entry whose reason the status repeats.
    async fn document(&mut self, manifest: Digest, digest: Digest) -> Result<Option<Envelope>, Failure> {
        let Some(trail) = self.trails.versions.get(&manifest) else { return Ok(None) };
        let client = self.verification.tiles.sources().registry();
        let Ok(documents) = documents::of(trail, manifest, client).await? else { return Ok(None) };
        let found = documents.iter().filter_map(|(_, _, e)| e.as_ref()).find(|e| e.digest() == digest).cloned();
        self.fetched.insert(manifest, documents);
        Ok(found)
    }

    /// Roots come in order, and are those of the trusted chain as far as that reaches.
    fn root(&mut self, index: u64, version: u64, envelope: Digest) {
        let known = self.verification.authority.root_envelope(version);
        let follows = self.root == 0 || version == self.root + 1;
        self.counts.roots += 1;
        self.root = version;
        if !follows || known.is_some_and(|known| known != envelope) {
            let found = format!("root version {version} with envelope {envelope}");
            let expected =
                known.map_or_else(|| "the version after the one before".to_owned(), |d| format!("envelope {d}"));
            let next = "ask the operator of the registry: the log names a root that was not trusted here";
            self.findings.push(Finding::new(LOG_CONTRADICTION, at(index), found, expected, next));
        }
    }

    /// Fetches and checks the documents of every version that everybody may see.
    async fn documents(&mut self) -> Result<(), Failure> {
        let client = self.verification.tiles.sources().registry();
        let mut members = MemberKeys::new();
        let published: Vec<Digest> = (self
            .trails
            .versions
            .iter()
            .filter(|(manifest, trail)| trail.published && self.verification.wants(manifest)))
        .map(|(manifest, _)| *manifest)
        .collect();
        for manifest in &published {
            let Some(trail) = self.trails.versions.get(manifest) else { continue };
            for envelope in documents::registrations(trail, *manifest, client).await? {
                let Some(key) = self.trails.keys.get(&envelope.digest()) else { continue };
                let (index, account) = (key.index, (&key.account, key.key));
                match signatures::registration(index, account, &envelope, &self.verification.authority) {
                    Ok(public) => members.entry(key.account.clone()).or_default().push((public, index)),
                    Err(finding) => self.findings.push(finding),
                }
            }
        }
        for manifest in &published {
            let Some(trail) = self.trails.versions.get(manifest) else { continue };
            let documents = match self.fetched.remove(manifest) {
                Some(documents) if documents.len() == trail.records.len() => Ok(documents),
                _ => documents::of(trail, *manifest, client).await?,
            };
            let documents = match documents {
                Ok(documents) => documents,
                Err(finding) => {
                    self.findings.push(finding);
                    continue;
                }
            };
            self.counts.published += 1;
            for (index, record, envelope) in documents {
                let Some(envelope) = envelope else {
                    self.findings.push(documents::withheld(trail, index));
                    continue;
                };
                match signatures::check((index, &record), &envelope, &members, &self.verification.authority) {
                    Ok(Signed::Good) => self.counts.signatures += 1,
                    Ok(Signed::KeyNotShown) => self.counts.keys_not_shown += 1,
                    Err(finding) => {
                        self.findings.push(finding);
                        continue;
                    }
                }
                self.counts.documents += 1;
            }
        }
        Ok(())
    }
}

/// Whether the status repeats the reason of such an entry.
const fn is_against(kind: RecordKind) -> bool {
    matches!(kind, RecordKind::Deprecated | RecordKind::Withdrawn | RecordKind::TakenDown)
}
