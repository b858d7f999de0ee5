//! Decisions, submissions, reviews, licence records and releases: append-only, and what each brings about.
//!
//! A review repeats submitter and pusher, so that the schema itself refuses a review of one's own work.

use jiff::Timestamp;
use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::id::AccountName;
use retoque_core::licence::LicenceState;
use retoque_core::review::Verdict;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, DecisionId, PatchId, ReviewId, SubmissionId, VersionId};
use super::value::{Columns, args, statements};

statements! {
    INSERT_DECISION = "INSERT INTO decisions (id, version_id, n, kind, actor_id, envelope, record, record_sha256, salt, \
        created_at, log_index) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    DECISIONS = "SELECT d.id, d.version_id, d.n, d.kind, d.actor_id, a.name, d.envelope, d.record, d.record_sha256, \
        d.salt, d.created_at, d.log_index FROM decisions d JOIN accounts a ON a.id = d.actor_id WHERE d.version_id = $1 ORDER BY d.n";
    LAST_DECISION = "SELECT d.id, d.version_id, d.n, d.kind, d.actor_id, a.name, d.envelope, d.record, d.record_sha256, \
        d.salt, d.created_at, d.log_index FROM decisions d JOIN accounts a ON a.id = d.actor_id \
        WHERE d.version_id = $1 ORDER BY d.n DESC LIMIT 1";
    // The decision that gave a version the state it is in has the name of that state.
    NOTICES = "SELECT d.version_id, d.envelope, d.created_at FROM versions v JOIN decisions d ON d.version_id = v.id \
        WHERE v.patch_id = $1 AND v.id >= $2 AND v.id <= $3 AND v.state IN ('deprecated', 'withdrawn', 'taken-down') \
        AND d.n = (SELECT MAX(l.n) FROM decisions l WHERE l.version_id = v.id AND l.kind = v.state)";
    INSERT_SUBMISSION = "INSERT INTO submissions (id, version_id, submitter_id, manifest_digest, envelope, registration, \
        registration_index, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    SUBMISSION = "SELECT s.id, s.version_id, s.submitter_id, a.name, s.manifest_digest, s.envelope, s.registration, \
        s.registration_index, s.created_at \
        FROM submissions s JOIN accounts a ON a.id = s.submitter_id WHERE s.id = $1";
    INSERT_REVIEW = "INSERT INTO reviews (id, version_id, submission_id, submitter_id, pusher_id, reviewer_id, \
        manifest_digest, verdict, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    STANDING_APPROVAL = "SELECT r.manifest_digest FROM reviews r JOIN versions v ON v.submission_id = r.submission_id \
        WHERE v.id = $1 AND r.verdict = 'approve' ORDER BY r.created_at DESC, r.id DESC LIMIT 1";
    INSERT_LICENCE = "INSERT INTO licence_records (version_id, n, state, envelope, created_at) VALUES ($1, $2, $3, $4, $5)";
    LICENCES = "SELECT envelope FROM licence_records WHERE version_id = $1 ORDER BY n";
    INSERT_RELEASE = "INSERT INTO releases (version_id, release, draft, license_text, validation_cases, created_at) \
        VALUES ($1, NULL, $2, $3, $4, $5)";
    DRAFT = "SELECT draft FROM releases WHERE version_id = $1 AND release IS NULL";
    FINISH_RELEASE = "UPDATE releases SET release = $2, draft = NULL WHERE version_id = $1 AND release IS NULL";
    OPEN_RELEASES = "SELECT version_id FROM releases WHERE release IS NULL ORDER BY created_at, version_id LIMIT $1";
    RELEASE = "SELECT release, license_text, validation_cases FROM releases WHERE version_id = $1";
    ERASE_CASES = "UPDATE releases SET validation_cases = NULL WHERE version_id = $1";
}

/// One decision with its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    /// Row id.
    pub id: DecisionId,
    /// Its version.
    pub version_id: VersionId,
    /// Its place in the history of the version, from 0.
    pub n: u64,
    /// What happened.
    pub kind: RecordKind,
    /// Who acted.
    pub actor_id: AccountId,
    /// Who acted, by name. Read only.
    pub actor: AccountName,
    /// The signed envelope.
    pub envelope: Vec<u8>,
    /// The decision record.
    pub record: Vec<u8>,
    /// Its digest.
    pub record_sha256: Digest,
    /// For a private patch: with the record, what opens the commitment in the log.
    pub salt: Option<Vec<u8>>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// Its leaf in the log.
    pub log_index: u64,
}

/// Why a version is deprecated, withdrawn or taken down, as it was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRow {
    /// The version.
    pub version_id: VersionId,
    /// The signed decision.
    pub envelope: Vec<u8>,
    /// When it was recorded.
    pub created_at: Timestamp,
}

/// A submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Row id.
    pub id: SubmissionId,
    /// Its version.
    pub version_id: VersionId,
    /// Who submitted.
    pub submitter_id: AccountId,
    /// Who submitted, by name. Read only.
    pub submitter: AccountName,
    /// What was submitted.
    pub manifest_digest: Digest,
    /// The signed envelope.
    pub envelope: Vec<u8>,
    /// The registration of the key that signed it, as it was then.
    pub registration: Vec<u8>,
    /// Its leaf in the log; absent in rows from before that was noted.
    pub registration_index: Option<u64>,
    /// When.
    pub created_at: Timestamp,
}

/// A review act. The schema ties it to what was really submitted and pushed, and refuses one's own work.
#[derive(Debug, Clone)]
pub struct Review {
    /// Row id.
    pub id: ReviewId,
    /// Its version.
    pub version_id: VersionId,
    /// The submission that was reviewed.
    pub submission_id: SubmissionId,
    /// Who submitted.
    pub submitter_id: AccountId,
    /// Who pushed.
    pub pusher_id: AccountId,
    /// Who reviewed.
    pub reviewer_id: AccountId,
    /// What was reviewed.
    pub manifest_digest: Digest,
    /// How it ended.
    pub verdict: Verdict,
    /// When.
    pub created_at: Timestamp,
}

/// What a publication freezes at once; the proofs of its own leaves can only be made after its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRelease {
    /// The release without proofs.
    pub draft: Vec<u8>,
    /// `LICENSE.txt`.
    pub license_text: Vec<u8>,
    /// `validation-cases.json`, when the submitter agreed.
    pub validation_cases: Option<Vec<u8>>,
}

/// What publication froze.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// `release.json`; absent until its proofs are there.
    pub release: Option<Vec<u8>>,
    /// `LICENSE.txt`.
    pub license_text: Vec<u8>,
    /// `validation-cases.json`, when the submitter agreed and it was not erased.
    pub validation_cases: Option<Vec<u8>>,
}

fn decision(c: &mut Columns<'_>) -> Result<DecisionRow, Error> {
    Ok(DecisionRow {
        id: c.take()?,
        version_id: c.take()?,
        n: c.take()?,
        kind: c.take()?,
        actor_id: c.take()?,
        actor: c.take()?,
        envelope: c.take()?,
        record: c.take()?,
        record_sha256: c.take()?,
        salt: c.take()?,
        created_at: c.take()?,
        log_index: c.take()?,
    })
}

impl Tx {
    /// Appends a decision; its number must be the next one.
    pub async fn insert_decision(&mut self, d: &DecisionRow) -> Result<(), Error> {
        let args = args![
            &d.id,
            &d.version_id,
            d.n,
            d.kind,
            &d.actor_id,
            &d.envelope,
            &d.record,
            &d.record_sha256,
            d.salt.as_deref(),
            d.created_at,
            d.log_index
        ];
        self.execute(INSERT_DECISION, args).await.map(drop)
    }

    /// The history of a version, oldest first.
    pub async fn decisions(&mut self, version: VersionId) -> Result<Vec<DecisionRow>, Error> {
        self.rows(DECISIONS, args![&version]).await?.iter().map(|row| decision(&mut Columns::of(row))).collect()
    }

    /// The newest decision of a version.
    pub async fn last_decision(&mut self, version: VersionId) -> Result<Option<DecisionRow>, Error> {
        self.row(LAST_DECISION, args![&version]).await?.map(|row| decision(&mut Columns::of(&row))).transpose()
    }

    /// The decisions that deprecated, withdrew or took down versions of a patch, from `first` to `last`: for each version
    /// that is in such a state now the one that brought it there.
    pub async fn notices(
        &mut self,
        patch: PatchId,
        first: VersionId,
        last: VersionId,
    ) -> Result<Vec<NoticeRow>, Error> {
        let rows = self.rows(NOTICES, args![&patch, &first, &last]).await?;
        let notice = |row| {
            let mut c = Columns::of(row);
            Ok(NoticeRow { version_id: c.take()?, envelope: c.take()?, created_at: c.take()? })
        };
        rows.iter().map(notice).collect()
    }

    /// Notes a submission.
    pub async fn insert_submission(&mut self, s: &Submission) -> Result<(), Error> {
        let args = args![
            &s.id,
            &s.version_id,
            &s.submitter_id,
            &s.manifest_digest,
            &s.envelope,
            &s.registration,
            s.registration_index,
            s.created_at
        ];
        self.execute(INSERT_SUBMISSION, args).await.map(drop)
    }

    /// The submission of that id.
    pub async fn submission(&mut self, id: SubmissionId) -> Result<Option<Submission>, Error> {
        let row = self.row(SUBMISSION, args![&id]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(Submission {
                id: c.take()?,
                version_id: c.take()?,
                submitter_id: c.take()?,
                submitter: c.take()?,
                manifest_digest: c.take()?,
                envelope: c.take()?,
                registration: c.take()?,
                registration_index: c.take()?,
                created_at: c.take()?,
            })
        };
        row.as_ref().map(read).transpose()
    }

    /// Notes a review; [`Error::Refused`] when the schema sees the reviewer's own work.
    pub async fn insert_review(&mut self, r: &Review) -> Result<(), Error> {
        let args = args![
            &r.id,
            &r.version_id,
            &r.submission_id,
            &r.submitter_id,
            &r.pusher_id,
            &r.reviewer_id,
            &r.manifest_digest,
            r.verdict,
            r.created_at
        ];
        self.execute(INSERT_REVIEW, args).await.map(drop)
    }

    /// The manifest digest that the approval of the standing submission is about.
    pub async fn approval(&mut self, version: VersionId) -> Result<Option<Digest>, Error> {
        self.row(STANDING_APPROVAL, args![&version]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// Appends a licence record; its number must be the next one.
    pub async fn insert_licence(
        &mut self,
        version: VersionId,
        n: u64,
        state: LicenceState,
        envelope: &[u8],
        at: Timestamp,
    ) -> Result<(), Error> {
        self.execute(INSERT_LICENCE, args![&version, n, state, envelope, at]).await.map(drop)
    }

    /// The licence records of a version, oldest first.
    pub async fn licences(&mut self, version: VersionId) -> Result<Vec<Vec<u8>>, Error> {
        self.rows(LICENCES, args![&version]).await?.iter().map(|row| Columns::of(row).take()).collect()
    }

    /// Freezes a publication, but for the proofs of its release.
    pub async fn insert_release(&mut self, version: VersionId, r: &NewRelease, at: Timestamp) -> Result<(), Error> {
        let args = args![&version, &r.draft, &r.license_text, r.validation_cases.as_deref(), at];
        self.execute(INSERT_RELEASE, args).await.map(drop)
    }

    /// The release without proofs, as long as it waits for them.
    pub async fn release_draft(&mut self, version: VersionId) -> Result<Option<Vec<u8>>, Error> {
        let row = self.row(DRAFT, args![&version]).await?;
        Ok(row.map(|row| Columns::of(&row).take::<Option<Vec<u8>>>()).transpose()?.flatten())
    }

    /// Freezes a release with its proofs. Answers whether this was the one; a release that is there already stays.
    pub async fn finish_release(&mut self, version: VersionId, release: &[u8]) -> Result<bool, Error> {
        Ok(self.execute(FINISH_RELEASE, args![&version, release]).await? == 1)
    }

    /// At most `limit` versions whose release waits for its proofs, oldest first.
    pub async fn open_releases(&mut self, limit: u32) -> Result<Vec<VersionId>, Error> {
        self.rows(OPEN_RELEASES, args![limit]).await?.iter().map(|row| Columns::of(row).take()).collect()
    }

    /// What publication froze, once there was one.
    pub async fn release(&mut self, version: VersionId) -> Result<Option<Release>, Error> {
        let row = self.row(RELEASE, args![&version]).await?;
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(Release { release: c.take()?, license_text: c.take()?, validation_cases: c.take()? })
        };
        row.as_ref().map(read).transpose()
    }

    /// Erases the published validation cases of a version that is taken down.
    pub async fn erase_validation_cases(&mut self, version: VersionId) -> Result<(), Error> {
        self.execute(ERASE_CASES, args![&version]).await.map(drop)
    }
}
