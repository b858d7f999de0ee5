//! The folder of a witness: `key.pem`, `witness.vkey` (its name and public key), `logs` (whom it watches) and `state/`.
//!
//! Refuses a key that is not that of the verifier key, a list with anything but verifier keys of logs in it, and a
//! folder without `state/`: a witness that has forgotten what it cosigned must not start anew under its name.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use retoque_core::log::note::is_name;
use retoque_core::log::{Algorithm, VerifierKey};
use retoque_core::problem::{
    self, Finding, Findings, PLATFORM_KEY_MISMATCH, VERIFIER_KEY_INVALID, WITNESS_IN_USE, WITNESS_LOGS, WITNESS_STATE,
    quote,
};
use retoque_core::sign::{SecretKey, Signer as _};

use crate::clock::Chance;
use crate::install::folder::Folder;
use crate::install::internal;
use crate::keys;

const KEY: &str = "key.pem";
const VKEY: &str = "witness.vkey";
const LOGS: &str = "logs";
const STATE: &str = "state";

/// Makes the folder of a new witness and answers its verifier key.
pub fn init(dir: &Path, name: &str, logs: &[String], chance: &Chance) -> Result<VerifierKey, Findings> {
    if !is_name(name) {
        let expected = "a name without spaces, control characters and `+`, such as `witness.example/w1`";
        let next = "choose another name with --name";
        return Err(Finding::new(VERIFIER_KEY_INVALID, at("--name"), quote(name), expected, next).into());
    }
    let list = logs.iter().map(|log| format!("{log}\n")).collect::<Vec<_>>().concat();
    read_logs(&list)?;
    let secret = SecretKey::from_seed(&chance.bytes::<32>().map_err(|e| internal(&e))?)?;
    let vkey = VerifierKey::cosigner(name, secret.public().clone())?;
    let folder = Folder::begin(dir, &hex::encode(chance.bytes::<4>().map_err(|e| internal(&e))?))?;
    folder.private(KEY, secret.to_pem()?.as_bytes())?;
    folder.public(VKEY, format!("{vkey}\n").as_bytes())?;
    folder.public(LOGS, format!("{HEADER}{list}").as_bytes())?;
    folder.folder(STATE)?;
    folder.finish()?;
    Ok(vkey)
}

const HEADER: &str = "# The logs that this witness watches: one verifier key (name+hash+key) per line.\n\
    # Several lines with one name are keys of one log. Read when the witness starts.\n";

/// The folder of a witness, opened. While this value lives, no other process can open it.
pub struct Place {
    /// Its name and public key.
    pub vkey: VerifierKey,
    /// Its private key.
    pub secret: SecretKey,
    /// The keys of the logs that it watches.
    pub logs: Vec<VerifierKey>,
    state: PathBuf,
    _lock: File,
}

impl Place {
    /// Opens a folder that [`init`] made.
    pub fn open(dir: &Path) -> Result<Self, Findings> {
        let vkey: VerifierKey = read(dir, VKEY)?.trim_ascii_end().parse()?;
        let secret = keys::load(&dir.join(KEY), "key", None)?;
        if vkey.algorithm() != Algorithm::Cosignature || vkey.key() != secret.public() {
            let (found, expected) = (format!("a key with id {}", secret.public().id()), vkey.to_string());
            let next = "put the key back that `witness init` made with this verifier key";
            return Err(Finding::new(PLATFORM_KEY_MISMATCH, at(KEY), found, expected, next).into());
        }
        let state = dir.join(STATE);
        let lock = File::open(&state).map_err(|error| {
            let next = "restore the folder from a backup, or make a new witness under another name";
            Finding::new(WITNESS_STATE, at(STATE), error.kind().to_string(), "what the witness cosigned before", next)
        })?;
        if lock.try_lock().is_err() {
            let next = "end the other process first: two of them could cosign different histories";
            return Err(
                Finding::new(WITNESS_IN_USE, at(STATE), "a locked folder", "a folder that is free", next).into()
            );
        }
        Ok(Self { vkey, secret, logs: read_logs(&read(dir, LOGS)?)?, state, _lock: lock })
    }

    /// Where it keeps what it cosigned.
    pub(super) fn state(&self) -> &Path {
        &self.state
    }
}

fn read(dir: &Path, name: &str) -> Result<String, Finding> {
    fs::read_to_string(dir.join(name)).map_err(|error| {
        let next = "name the folder that `retoque-registry witness init` made with --dir";
        Finding::new(WITNESS_STATE, at(name), error.kind().to_string(), "a file that can be read", next)
    })
}

/// Every line that is no verifier key of a log is reported.
fn read_logs(text: &str) -> Result<Vec<VerifierKey>, Findings> {
    let (mut logs, mut findings) = (Vec::new(), Findings::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.parse::<VerifierKey>() {
            Ok(key) if key.algorithm() == Algorithm::Ed25519 => logs.push(key),
            _ => {
                let expected = "the verifier key of a log: name+hash+key";
                let next = "copy it from who runs the log";
                findings.push(Finding::new(WITNESS_LOGS, at(LOGS).at_line(number), quote(line), expected, next));
            }
        }
    }
    if findings.refused() { Err(findings) } else { Ok(logs) }
}

pub(super) fn at(name: &str) -> problem::Place {
    problem::Place::file(name)
}
