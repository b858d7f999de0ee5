//! What the entries say, version by version: which entries there are, which keys and which roots.

use std::collections::BTreeMap;

use retoque_core::decision::{Commitment, Record, VersionRecord};
use retoque_core::digest::Digest;
use retoque_core::id::{AccountName, PatchName, Version};
use retoque_core::problem::Finding;
use retoque_core::sign::KeyId;

use super::signatures::at;

/// The entries of one version of a public patch.
#[derive(Debug)]
pub(super) struct Trail {
    pub(super) patch: PatchName,
    pub(super) version: Version,
    /// Whether it was ever published, so that everybody may see it.
    pub(super) published: bool,
    /// Index and digest of each record.
    pub(super) records: Vec<(u64, Digest)>,
}

/// A key that the log says was registered.
#[derive(Debug)]
pub(super) struct Registered {
    pub(super) index: u64,
    pub(super) account: AccountName,
    pub(super) key: KeyId,
}

/// An entry, parsed.
#[derive(Debug)]
pub(super) enum Entry {
    /// About a version of a public patch.
    Version(Box<VersionRecord>),
    /// A root became the newest: its version and the digest of its envelope.
    Root(u64, Digest),
    /// A key was registered.
    Key,
    /// About a private patch.
    Closed,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Trails {
    /// By manifest digest.
    pub(super) versions: BTreeMap<Digest, Trail>,
    /// By digest of the registration.
    pub(super) keys: BTreeMap<Digest, Registered>,
    /// How many entries of private patches there are.
    pub(super) closed: u64,
}

impl Trails {
    /// Takes the next entry; it must be a record or a commitment in their one form.
    pub(super) fn take(&mut self, index: u64, leaf: &[u8]) -> Result<Entry, Finding> {
        let placed = |finding: Finding| Finding { place: at(index), ..finding };
        if leaf.starts_with(b"{\"commitment\"") {
            Commitment::parse(leaf).map_err(placed)?;
            self.closed += 1;
            return Ok(Entry::Closed);
        }
        Ok(match Record::parse(leaf).map_err(placed)? {
            Record::Version(record) => {
                let trail = self.versions.entry(record.manifest).or_insert_with(|| Trail {
                    patch: record.patch.clone(),
                    version: record.version.clone(),
                    published: false,
                    records: Vec::new(),
                });
                trail.published |= record.kind == retoque_core::decision::RecordKind::Published;
                trail.records.push((index, Digest::of(leaf)));
                Entry::Version(Box::new(record))
            }
            Record::Key(record) => {
                let registered = Registered { index, account: record.account, key: record.key };
                self.keys.insert(record.envelope, registered);
                Entry::Key
            }
            Record::Root(record) => Entry::Root(record.root, record.envelope),
        })
    }
}
