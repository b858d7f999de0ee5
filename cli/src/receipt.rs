//! Receipts: the proof that a decision stands in the log, kept by who decided.
//!
//! A log cannot keep its operator from leaving a decision out. Who decided gets the proof within moments, or knows that
//! it was withheld and has the signed decision to show. Both are kept in `receipts/<registry>/<org>/<slug>/<version>/`:
//! `<index>-<action>.tlog-proof` and `<digest>-<action>.json`. A receipt is kept only when its record names exactly the
//! signed document, its leaf is in the tree of a checkpoint that the log signed, and that tree continues the one that
//! was remembered. Clause: TRUST, client duties (operator withholds a decision).

use std::path::PathBuf;
use std::time::Duration;

use retoque_core::api::{LogProof, LogProofs};
use retoque_core::decision::{Commitment, Record};
use retoque_core::digest::Digest;
use retoque_core::id::{PatchName, Version};
use retoque_core::log::proof::ProofFile;
use retoque_core::log::{VerifiedCheckpoint, leaf_hash};
use retoque_core::problem::{DOCUMENT_WITHHELD, LOG_ROLLBACK, PROOF_INVALID};
use retoque_core::sign::{Envelope, Role, Time};

use crate::client::{Connection, Sources};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Authority, tiles};

/// How often the proof is asked for, and the wait between: the merge delay that is granted.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_secs(1);

/// The bytes of the leaf: the record, or the commitment to it.
fn leaf(proof: &LogProof) -> Result<Vec<u8>, Failure> {
    let record = proof.record.to_bytes()?;
    let Some(salt) = &proof.salt else { return Ok(record) };
    let salt: Option<[u8; 32]> = hex::decode(salt).ok().and_then(|bytes| bytes.try_into().ok());
    let next = "ask the operator of the registry";
    let salt = salt.ok_or_else(|| Failure::new(PROOF_INVALID, "a salt that is not 32 bytes in hex", next))?;
    Ok(Commitment::to(&salt, &record).to_bytes()?)
}

fn names(proof: &LogProof, envelope: Digest) -> bool {
    matches!(&proof.record, Record::Version(record) if record.envelope == envelope)
}

/// Verifies the place in the log.
fn verify(proof: &LogProof, authority: &Authority<'_>) -> Result<VerifiedCheckpoint, Failure> {
    let file = ProofFile::parse(proof.proof.as_bytes())?;
    let claimed = file.checkpoint().claimed();
    let leaf = leaf_hash(&leaf(proof)?);
    let keys = authority.keys(Role::PlatformLog, claimed.size());
    let checkpoint = file.verify(&leaf, &authority.origin(), &keys)?;
    if file.index() == proof.index {
        return Ok(checkpoint);
    }
    let message = format!("a proof of index {} for index {}", file.index(), proof.index);
    Err(Failure::new(PROOF_INVALID, message, "ask the operator of the registry"))
}

/// The receipts of one version.
pub(crate) struct Receipts<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) patch: &'a PatchName,
    pub(crate) version: &'a Version,
    pub(crate) manifest: Digest,
    /// When the command began.
    pub(crate) now: Time,
}

impl Receipts<'_> {
    /// Fetches, verifies and keeps the receipt of a decision that was handed in, and says so; warns when there is none.
    pub(crate) async fn of(&self, action: &str, envelope: &Envelope, ctx: &mut Context) -> Result<(), Failure> {
        let digest = envelope.digest();
        let signed = self.folder()?.join(format!("{}-{action}.json", &digest.hex()[..16]));
        files::write(&signed, &envelope.to_bytes(), 0o600)?;
        match self.wait_for(digest).await {
            Ok(proof) => {
                let path = self.keep(&proof, action)?;
                ctx.note(format!("receipt: entry {} of the log, kept in {}", proof.index, files::shown(&path)));
                Ok(())
            }
            Err(failure) if failure.exit_status() == 3 && !failure.is(DOCUMENT_WITHHELD) => {
                Err(failure.during(format!("the registry took the decision (kept in {}), but", files::shown(&signed))))
            }
            Err(failure) => {
                ctx.warn(format!(
                    "NO RECEIPT: the registry took the decision, but gives no proof that it stands in the log ({}). The \
                     signed decision is kept in {}; ask again with `retoque decisions REF --receipts`, and if it stays \
                     away show the signed decision to the operator and others: nothing else proves that you decided",
                    failure.message(),
                    files::shown(&signed)
                ));
                Ok(())
            }
        }
    }

    /// Fetches, verifies and keeps the proofs of everything that was ever decided. Answers how many.
    pub(crate) async fn all(&self) -> Result<usize, Failure> {
        let proofs = self.fetch().await?;
        self.check(&proofs).await?;
        for proof in &proofs {
            let kind = match &proof.record {
                Record::Version(record) => record.kind.name(),
                Record::Key(_) | Record::Root(_) => "other",
            };
            self.keep(proof, kind)?;
        }
        Ok(proofs.len())
    }

    /// Where they are kept.
    pub(crate) fn folder(&self) -> Result<PathBuf, Failure> {
        let registry = PathBuf::from("receipts").join(self.connection.url.folder());
        let patch = registry.join(self.patch.org.as_str()).join(self.patch.slug.as_str());
        self.connection.home.make(patch.join(self.version.to_string()))
    }

    fn keep(&self, proof: &LogProof, what: &str) -> Result<PathBuf, Failure> {
        let path = self.folder()?.join(format!("{}-{what}.tlog-proof", proof.index));
        files::write(&path, proof.proof.as_bytes(), 0o600)?;
        Ok(path)
    }

    async fn fetch(&self) -> Result<Vec<LogProof>, Failure> {
        let client = &self.connection.client;
        let url = client.version_url(self.patch, &self.manifest.to_string(), &["proofs"]);
        Ok(client.get::<LogProofs>(url).await?.proofs)
    }

    /// The verified proof of the record that names this document, waiting for it a little.
    async fn wait_for(&self, envelope: Digest) -> Result<LogProof, Failure> {
        let mut tries = 0;
        let proof = loop {
            let found = match self.fetch().await {
                Ok(proofs) => proofs.into_iter().find(|proof| names(proof, envelope)),
                Err(failure) if tries >= TRIES || [5, 6].contains(&failure.exit_status()) => return Err(failure),
                Err(_) => None,
            };
            match found {
                Some(proof) => break proof,
                None if tries >= TRIES => {
                    let message = "no proof names the decision";
                    return Err(Failure::new(DOCUMENT_WITHHELD, message, "ask the operator of the registry"));
                }
                None => tokio::time::sleep(PAUSE).await,
            }
            tries += 1;
        };
        self.check(std::slice::from_ref(&proof)).await?;
        Ok(proof)
    }

    /// The proofs are of the log that is remembered here.
    async fn check(&self, proofs: &[LogProof]) -> Result<(), Failure> {
        let sources = Sources::only(self.connection.client.clone());
        // Whether the head is fresh is no matter here; that it is of the same history is.
        let asking = Asking::new(self.connection, &sources, self.now, true);
        let mut current = asking.ask().await?;
        let origin = self.connection.origin()?;
        for proof in proofs {
            let checkpoint = verify(proof, &Authority::new(&current.trust, origin))?;
            if checkpoint.size() > current.head.checkpoint.size() {
                current = asking.ask().await?;
            }
            if checkpoint.size() > current.head.checkpoint.size() {
                let message = format!("the head of the log is smaller than the proof of entry {}", proof.index);
                return Err(Failure::new(LOG_ROLLBACK, message, "ask the operator of the registry"));
            }
            let note = checkpoint.note().to_string();
            let (older, newer) =
                ((checkpoint.head(), note.as_str()), (current.head.tree(), current.head.note.as_str()));
            if let Some(fork) = tiles(self.connection, sources.clone()).check(older, newer).await? {
                return Err(fork.report(&self.connection.trust_store().folder()));
            }
        }
        Ok(())
    }
}
