//! What the witness cosigned last, per log: one file each, replaced and on the disk before the signature leaves.
//!
//! Whoever can change these files can make the witness cosign a second history. Judging, keeping and signing of one log
//! happen under its lock, so of two requests at once the second sees what the first has kept. Refuses to start from a
//! file that it cannot read: an unknown past is not an empty one.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use retoque_core::digest::Digest;
use retoque_core::log::note::Line;
use retoque_core::log::witness::{AddCheckpoint, Refusal, judge};
use retoque_core::log::{Head, SignedCheckpoint, cosignature};
use retoque_core::problem::{Finding, Findings, WITNESS_STATE};
use retoque_core::sign::{KeySet, PublicKey, Time};

use super::folder::{Place, at};

/// A witness that remembers.
pub struct Keep {
    place: Place,
    logs: BTreeMap<String, Watched>,
}

/// One log.
struct Watched {
    keys: KeySet,
    file: PathBuf,
    /// What was cosigned last. Held from the judgement to the signature.
    known: Mutex<Option<Head>>,
}

/// Why there is no cosignature.
#[derive(Debug)]
pub enum Refused {
    /// No key of a log with this origin is listed.
    UnknownLog,
    /// The protocol has a status for it.
    Refusal(Refusal),
    /// It could not be kept, so it was not signed.
    Failed(Finding),
}

impl Keep {
    /// Reads what was cosigned before.
    pub fn open(place: Place) -> Result<Self, Findings> {
        let mut keys: BTreeMap<&str, Vec<PublicKey>> = BTreeMap::new();
        for key in &place.logs {
            keys.entry(key.name()).or_default().push(key.key().clone());
        }
        let (mut logs, mut findings) = (BTreeMap::new(), Findings::new());
        for (origin, keys) in keys {
            let file = place.state().join(format!("{}.checkpoint", Digest::of(origin.as_bytes()).hex()));
            match read(&file, origin) {
                Ok(known) => {
                    let keys = KeySet::new("log", keys, 1);
                    logs.insert(origin.to_owned(), Watched { keys, file, known: Mutex::new(known) });
                }
                Err(finding) => findings.push(finding),
            }
        }
        if findings.refused() { Err(findings) } else { Ok(Self { place, logs }) }
    }

    /// Who this is.
    pub fn vkey(&self) -> &retoque_core::log::VerifierKey {
        &self.place.vkey
    }

    /// The logs, and what was cosigned last of each.
    pub fn known(&self) -> impl Iterator<Item = (&str, Option<Head>)> {
        self.logs.iter().map(|(origin, log)| (origin.as_str(), *lock(&log.known)))
    }

    /// Judges a request, keeps the checkpoint and then cosigns it. Waits for the disk.
    pub fn add(&self, request: &AddCheckpoint, now: Time) -> Result<Line, Refused> {
        let log = self.logs.get(request.checkpoint.claimed().origin()).ok_or(Refused::UnknownLog)?;
        let mut known = lock(&log.known);
        let checkpoint = judge(request, &log.keys, *known).map_err(|refusal| {
            if let Refusal::Forked(..) = refusal {
                log.keep_evidence(request);
            }
            Refused::Refusal(refusal)
        })?;
        if *known != Some(checkpoint.head()) {
            replace(&log.file, checkpoint.note().to_string().as_bytes())
                .map_err(|error| Refused::Failed(failed(&error)))?;
            *known = Some(checkpoint.head());
        }
        cosignature::sign(&checkpoint, self.place.vkey.name(), &self.place.secret, now).map_err(Refused::Failed)
    }
}

impl Watched {
    /// The first checkpoint that contradicts a cosigned one is put beside it: together they prove what the log did.
    fn keep_evidence(&self, request: &AddCheckpoint) {
        let origin = request.checkpoint.claimed().origin();
        tracing::error!(origin, "the log signed two histories; the second is kept beside the cosigned one");
        let file = self.file.with_extension("fork");
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).open(file)?;
            file.write_all(request.checkpoint.note().to_string().as_bytes())?;
            file.sync_all()
        };
        if let Err(error) = write()
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            tracing::error!(%error, "the second history could not be kept");
        }
    }
}

/// The head in a file that [`Keep::add`] wrote; none when there is no file.
fn read(file: &Path, origin: &str) -> Result<Option<Head>, Finding> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let found = match SignedCheckpoint::parse(&bytes) {
        Ok(signed) if signed.claimed().origin() == origin => return Ok(Some(signed.claimed().head())),
        Ok(_) => "a checkpoint of another log".to_owned(),
        Err(finding) => finding.found,
    };
    let next = "restore the file from a backup; without it the witness cannot know what it cosigned";
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Err(Finding::new(WITNESS_STATE, at(&name), found, "the checkpoint that was cosigned last", next))
}

/// Puts `bytes` in the place of `file`, whole or not at all, and returns once they would survive a fault of the machine.
fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = file.with_extension("partial");
    let mut new = File::create(&partial)?;
    new.write_all(bytes)?;
    new.sync_all()?;
    fs::rename(&partial, file)?;
    File::open(file.parent().unwrap_or_else(|| Path::new(".")))?.sync_all()
}

/// A thread that ended while it held the lock left a head that is kept already or is still the older one.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(error: &io::Error) -> Finding {
    let next = "see that the disk has room and the folder can be written";
    Finding::new(WITNESS_STATE, at("state"), error.kind().to_string(), "a folder that can be read and written", next)
}
