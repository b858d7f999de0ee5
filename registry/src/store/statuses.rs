//! Signed statuses, and what they are made from: where versions stand that are not simply published, and what of a
//! patch was ever published. One transaction sees all of it as of one head of the log.

use jiff::Timestamp;
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::Version;
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;

use super::db::Tx;
use super::error::Error;
use super::id::PatchId;
use super::value::{Columns, args, statements};

statements! {
    // The decision that gave a version the state it is in has the name of that state.
    PUBLIC = "SELECT v.manifest_digest, v.state, d.envelope, d.created_at FROM versions v \
        JOIN patches p ON p.id = v.patch_id JOIN decisions d ON d.version_id = v.id \
        WHERE v.state IN ('deprecated', 'withdrawn', 'taken-down') AND p.visibility = 'public' \
        AND d.n = (SELECT MAX(l.n) FROM decisions l WHERE l.version_id = v.id AND l.kind = v.state)";
    PRIVATE = "SELECT v.state, d.record, d.salt FROM versions v JOIN patches p ON p.id = v.patch_id \
        JOIN decisions d ON d.version_id = v.id AND d.kind = 'published' \
        WHERE v.state IN ('deprecated', 'withdrawn', 'taken-down') AND p.visibility = 'private'";
    PUBLISHED = "SELECT v.version, v.manifest_digest, v.state, v.evidence_state, v.licence_state, d.record, d.salt \
        FROM versions v JOIN decisions d ON d.version_id = v.id AND d.kind = 'published' WHERE v.patch_id = $1";
    INSERT_STATUS = "INSERT INTO statuses (origin, size, issued_at, expires_at, envelope) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (origin, size, issued_at) DO NOTHING";
    STATUS = "SELECT envelope FROM statuses WHERE origin = $1 AND size = $2 AND issued_at >= $3 \
        ORDER BY issued_at DESC LIMIT 1";
    LAST_ISSUED = "SELECT MAX(issued_at) FROM statuses WHERE origin = $1";
    FORGET = "DELETE FROM statuses WHERE expires_at < $1";
}

/// A version of a public patch that is deprecated, withdrawn or taken down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicState {
    /// Its manifest digest.
    pub manifest: Digest,
    /// Where it stands.
    pub state: State,
    /// The signed decision that brought it there.
    pub envelope: Vec<u8>,
    /// When that was recorded.
    pub since: Timestamp,
}

/// The publication of a version of a private patch: what opens its leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The record.
    pub record: Vec<u8>,
    /// The salt; absent for public patches.
    pub salt: Option<Vec<u8>>,
}

/// A version that was published at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedVersion {
    /// Its name.
    pub version: Version,
    /// Its manifest digest.
    pub manifest: Digest,
    /// Where it stands.
    pub state: State,
    /// Evidence state.
    pub evidence: EvidenceState,
    /// Licence state.
    pub licence: LicenceState,
    /// Its publication.
    pub publication: Opening,
}

impl Tx {
    /// Versions of public patches that are deprecated, withdrawn or taken down.
    pub async fn public_states(&mut self) -> Result<Vec<PublicState>, Error> {
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(PublicState { manifest: c.take()?, state: c.take()?, envelope: c.take()?, since: c.take()? })
        };
        self.rows(PUBLIC, &[]).await?.iter().map(read).collect()
    }

    /// The same of private patches, as far as they were published.
    pub async fn private_states(&mut self) -> Result<Vec<(State, Opening)>, Error> {
        let read = |row| {
            let mut c = Columns::of(row);
            Ok((c.take()?, Opening { record: c.take()?, salt: c.take()? }))
        };
        self.rows(PRIVATE, &[]).await?.iter().map(read).collect()
    }

    /// Every version of a patch that was ever published.
    pub async fn published_versions(&mut self, patch: PatchId) -> Result<Vec<PublishedVersion>, Error> {
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(PublishedVersion {
                version: c.take()?,
                manifest: c.take()?,
                state: c.take()?,
                evidence: c.take()?,
                licence: c.take()?,
                publication: Opening { record: c.take()?, salt: c.take()? },
            })
        };
        self.rows(PUBLISHED, args![&patch]).await?.iter().map(read).collect()
    }

    /// Stores a signed status, unless one of that moment is there.
    pub async fn insert_status(
        &mut self,
        origin: &str,
        size: u64,
        (issued, expires): (Timestamp, Timestamp),
        envelope: &[u8],
    ) -> Result<(), Error> {
        self.execute(INSERT_STATUS, args![origin, size, issued, expires, envelope]).await.map(drop)
    }

    /// The newest status of a head that was issued at `oldest` or later.
    pub async fn status(&mut self, origin: &str, size: u64, oldest: Timestamp) -> Result<Option<Vec<u8>>, Error> {
        self.row(STATUS, args![origin, size, oldest]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// When the newest status of this log was issued.
    pub async fn last_status_at(&mut self, origin: &str) -> Result<Option<Timestamp>, Error> {
        let row = self.row(LAST_ISSUED, args![origin]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }

    /// Forgets statuses that expired before `before`: nobody may rely on them any more.
    pub async fn forget_statuses(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.execute(FORGET, args![before]).await
    }
}
