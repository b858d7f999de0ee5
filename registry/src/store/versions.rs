//! Versions: what was pushed (frozen by trigger) and where it stands (moved only from the state that was read).

use jiff::Timestamp;
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::{AccountName, Version};
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, PatchId, SubmissionId, VersionId};
use super::page::{Listing, Page};
use super::value::{Columns, args, statements};

/// The columns of [`VersionRow`], in its order.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT v.id, v.patch_id, v.version, v.manifest_digest, v.package_sha256, v.package_size, v.adapter_sha256, ",
            "v.acknowledgement, ",
            "v.evidence_state, v.pusher_id, a.name, v.created_at, v.state, v.licence_state, v.head, v.submission_id, ",
            "v.publish_validation_cases, EXISTS (SELECT 1 FROM releases r WHERE r.version_id = v.id) ",
            "FROM versions v JOIN accounts a ON a.id = v.pusher_id ",
            $rest
        )
    };
}

statements! {
    INSERT_VERSION = "INSERT INTO versions (id, patch_id, version, manifest_digest, manifest, package_sha256, package_size, \
        seek_table, adapter_sha256, cases_sha256, acknowledgement, attestation, pusher_id, created_at, evidence_state, state, licence_state, head, \
        submission_id, publish_validation_cases, release_order) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'candidate', 'none', $16, NULL, $17, $18)";
    BY_NAME = select!("WHERE v.patch_id = $1 AND v.version = $2");
    BY_DIGEST = select!("WHERE v.patch_id = $1 AND v.manifest_digest = $2");
    BY_ID = select!("WHERE v.id = $1");
    // Row ids are made in the order of time, so they are the order of the list.
    OF_PATCH = select!("WHERE v.patch_id = $1 AND v.id > $2 ORDER BY v.id LIMIT $3");
    IN_STATE = select!("WHERE v.state = $1 AND v.id > $2 ORDER BY v.id LIMIT $3");
    MANIFEST = "SELECT manifest FROM versions WHERE id = $1";
    ATTESTATION = "SELECT attestation FROM versions WHERE id = $1";
    SEEK_TABLE = "SELECT seek_table FROM versions WHERE id = $1";
    MOVE = "UPDATE versions SET state = $3, head = $4, licence_state = $5, submission_id = $6, publish_validation_cases = $7 \
        WHERE id = $1 AND state = $2 AND head = $8";
    INSERT_RECORD_FILE = "INSERT INTO record_files (version_id, name, sha256, size) VALUES ($1, $2, $3, $4)";
    RECORD_FILES = "SELECT name, sha256, size FROM record_files WHERE version_id = $1 ORDER BY name";
    // Bytes of a version that was taken down are on their way out and keep nothing in place.
    IN_USE = "SELECT EXISTS (SELECT 1 FROM versions v WHERE v.state <> 'taken-down' AND (v.package_sha256 = $1 \
        OR v.cases_sha256 = $1 OR EXISTS (SELECT 1 FROM record_files r WHERE r.version_id = v.id AND r.sha256 = $1))) \
        OR EXISTS (SELECT 1 FROM suites s WHERE s.sha256 = $1)";
}

/// A version as it is first written. Its state is `candidate`, its licence state `none`.
#[derive(Debug, Clone)]
pub struct NewVersion {
    /// Row id.
    pub id: VersionId,
    /// Its patch.
    pub patch_id: PatchId,
    /// Its name.
    pub version: Version,
    /// Digest of the manifest.
    pub manifest_digest: Digest,
    /// The manifest.
    pub manifest: Vec<u8>,
    /// Digest of the stored archive.
    pub package_sha256: Digest,
    /// Its size.
    pub package_size: u64,
    /// The archive's seek table.
    pub seek_table: Vec<u8>,
    /// Digest of the weights.
    pub adapter_sha256: Digest,
    /// Digest of `validation-cases.json`.
    pub cases_sha256: Digest,
    /// The acknowledgement of personal data in the dataset, when the push gave one.
    pub acknowledgement: Option<Digest>,
    /// The build statement's envelope.
    pub attestation: Vec<u8>,
    /// Who pushed.
    pub pusher_id: AccountId,
    /// When.
    pub created_at: Timestamp,
    /// Evidence state.
    pub evidence_state: EvidenceState,
    /// Payload digest of the build statement: what the first decision names as its predecessor.
    pub head: Digest,
}

/// A version, without its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    /// Row id.
    pub id: VersionId,
    /// Its patch.
    pub patch_id: PatchId,
    /// Its name.
    pub version: Version,
    /// Digest of the manifest.
    pub manifest_digest: Digest,
    /// Digest of the stored archive.
    pub package_sha256: Digest,
    /// Its size.
    pub package_size: u64,
    /// Digest of the weights.
    pub adapter_sha256: Digest,
    /// The acknowledgement of personal data in the dataset, when the push gave one.
    pub acknowledgement: Option<Digest>,
    /// Evidence state.
    pub evidence_state: EvidenceState,
    /// Who pushed.
    pub pusher_id: AccountId,
    /// Who pushed, by name.
    pub pusher: AccountName,
    /// When.
    pub created_at: Timestamp,
    /// Where it stands.
    pub state: State,
    /// Licence state.
    pub licence_state: LicenceState,
    /// Payload digest of the latest decision, or of the build statement: what the next decision names.
    pub head: Digest,
    /// The submission that stands.
    pub submission_id: Option<SubmissionId>,
    /// Whether the submitter agreed to publish the validation cases.
    pub publish_validation_cases: bool,
    /// Whether it was ever published.
    pub released: bool,
}

/// What a decision changes about a version.
#[derive(Debug, Clone)]
pub struct Move {
    /// The state that was read: the move happens only from there.
    pub from: State,
    /// The new state.
    pub to: State,
    /// The decision that was read as the latest: a move follows it and no other.
    pub after: Digest,
    /// Payload digest of the decision.
    pub head: Digest,
    /// The licence state from now on.
    pub licence_state: LicenceState,
    /// The submission that stands from now on.
    pub submission_id: Option<SubmissionId>,
    /// Whether the validation cases may be published.
    pub publish_validation_cases: bool,
}

/// One file of the private record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub sha256: Digest,
    /// Its size.
    pub size: u64,
}

fn version(c: &mut Columns<'_>) -> Result<VersionRow, Error> {
    Ok(VersionRow {
        id: c.take()?,
        patch_id: c.take()?,
        version: c.take()?,
        manifest_digest: c.take()?,
        package_sha256: c.take()?,
        package_size: c.take()?,
        adapter_sha256: c.take()?,
        acknowledgement: c.take()?,
        evidence_state: c.take()?,
        pusher_id: c.take()?,
        pusher: c.take()?,
        created_at: c.take()?,
        state: c.take()?,
        licence_state: c.take()?,
        head: c.take()?,
        submission_id: c.take()?,
        publish_validation_cases: c.take()?,
        released: c.take()?,
    })
}

impl Tx {
    /// Makes a version. Name and manifest must be new within the patch: the schema decides races about them.
    pub async fn insert_version(&mut self, v: &NewVersion) -> Result<(), Error> {
        let args = args![
            &v.id,
            &v.patch_id,
            &v.version,
            &v.manifest_digest,
            &v.manifest,
            &v.package_sha256,
            v.package_size,
            &v.seek_table,
            &v.adapter_sha256,
            &v.cases_sha256,
            v.acknowledgement.as_ref(),
            &v.attestation,
            &v.pusher_id,
            v.created_at,
            v.evidence_state,
            &v.head,
            false,
            v.version.release_order().as_deref()
        ];
        self.execute(INSERT_VERSION, args).await.map(drop)
    }

    /// The version of that name.
    pub async fn version_by_name(&mut self, patch: PatchId, name: &Version) -> Result<Option<VersionRow>, Error> {
        self.row(BY_NAME, args![&patch, name]).await?.map(|row| version(&mut Columns::of(&row))).transpose()
    }

    /// The version with that manifest.
    pub async fn version_by_digest(&mut self, patch: PatchId, digest: &Digest) -> Result<Option<VersionRow>, Error> {
        self.row(BY_DIGEST, args![&patch, digest]).await?.map(|row| version(&mut Columns::of(&row))).transpose()
    }

    /// The version of that row id.
    pub async fn version(&mut self, id: VersionId) -> Result<Option<VersionRow>, Error> {
        self.row(BY_ID, args![&id]).await?.map(|row| version(&mut Columns::of(&row))).transpose()
    }

    /// All versions of a patch, in the order in which they were pushed.
    pub async fn versions_of(&mut self, patch: PatchId, page: &Page) -> Result<Listing<VersionRow>, Error> {
        let rows = self.rows(OF_PATCH, &[(&patch).into(), page.after_arg(), page.limit_arg()]).await?;
        let items = rows.iter().map(|row| version(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |v: &VersionRow| v.id.to_string()))
    }

    /// All versions in a state, in the order in which they were pushed.
    pub async fn versions_in(&mut self, state: State, page: &Page) -> Result<Listing<VersionRow>, Error> {
        let rows = self.rows(IN_STATE, &[state.name().into(), page.after_arg(), page.limit_arg()]).await?;
        let items = rows.iter().map(|row| version(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |v: &VersionRow| v.id.to_string()))
    }

    /// The manifest, as it was pushed.
    pub async fn manifest(&mut self, id: VersionId) -> Result<Vec<u8>, Error> {
        self.document(MANIFEST, id).await
    }

    /// The build statement's envelope.
    pub async fn attestation(&mut self, id: VersionId) -> Result<Vec<u8>, Error> {
        self.document(ATTESTATION, id).await
    }

    /// The archive's seek table.
    pub async fn seek_table(&mut self, id: VersionId) -> Result<Vec<u8>, Error> {
        self.document(SEEK_TABLE, id).await
    }

    async fn document(&mut self, sql: &'static str, id: VersionId) -> Result<Vec<u8>, Error> {
        let row = self.row(sql, args![&id]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }

    /// Moves a version on; [`Error::Stale`] when it is no longer in the state that was read.
    pub async fn move_version(&mut self, id: VersionId, m: &Move) -> Result<(), Error> {
        let args = args![
            &id,
            m.from.name(),
            m.to.name(),
            &m.head,
            m.licence_state,
            m.submission_id.as_ref(),
            m.publish_validation_cases,
            &m.after
        ];
        if self.execute(MOVE, args).await? == 1 { Ok(()) } else { Err(Error::Stale) }
    }

    /// Notes one file of the private record.
    pub async fn insert_record_file(&mut self, version: VersionId, f: &RecordFile) -> Result<(), Error> {
        self.execute(INSERT_RECORD_FILE, args![&version, &f.name, &f.sha256, f.size]).await.map(drop)
    }

    /// The private record, by name.
    pub async fn record_files(&mut self, version: VersionId) -> Result<Vec<RecordFile>, Error> {
        let rows = self.rows(RECORD_FILES, args![&version]).await?;
        let file = |row| {
            let mut c = Columns::of(row);
            Ok(RecordFile { name: c.take()?, sha256: c.take()?, size: c.take()? })
        };
        rows.iter().map(file).collect()
    }

    /// Whether a version that still has its bytes, or a regression suite, needs this object.
    pub async fn object_in_use(&mut self, object: &Digest) -> Result<bool, Error> {
        let row = self.row(IN_USE, args![object]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }
}
