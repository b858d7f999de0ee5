//! One pinned file against one file on this machine.

use std::io::{self, Read as _};

use retoque_core::digest::Hasher;
use retoque_core::manifest::BaseFile;
use retoque_core::problem::{BASE_FILE_DIFFERS, Finding, Place};

use crate::snapshot::{Snapshot, Unopened};

/// What a file on this machine is to its pin.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The same bytes.
    Same,
    /// Not there.
    Absent,
    /// Other bytes, or unreadable.
    Other(Box<Finding>),
}

/// Reads the whole file and compares its digest with the pin.
pub(super) fn compare(snapshot: &Snapshot, pin: &BaseFile, progress: &(dyn Fn(u64) + Sync)) -> Outcome {
    let opened = match snapshot.open(&pin.path) {
        Ok(opened) => opened,
        Err(unopened) => return unopened.finding(&pin.path).map_or(Outcome::Absent, |f| Outcome::Other(Box::new(f))),
    };
    let differs = |found: String| {
        Outcome::Other(Box::new(Finding::new(
            BASE_FILE_DIFFERS,
            Place::file(pin.path.clone()),
            found,
            format!("{} in {} bytes", pin.sha256, pin.size),
            "download this file again at the pinned commit",
        )))
    };
    if opened.size != pin.size {
        progress(pin.size);
        return differs(format!("{} bytes", opened.size));
    }
    let mut hasher = Hasher::new();
    let mut file = opened.file;
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                hasher.update(&buffer[..n]);
                progress(n as u64);
                if hasher.len() > pin.size {
                    return differs("a file that grows while it is read".to_owned());
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                let finding = Unopened::Unreadable(e.kind().to_string()).finding(&pin.path);
                return finding.map_or(Outcome::Absent, |f| Outcome::Other(Box::new(f)));
            }
        }
    }
    let digest = hasher.finish();
    if digest == pin.sha256 {
        return Outcome::Same;
    }
    // The name is right and the bytes are not: damage or tampering, not another version.
    let named = opened.label.is_some_and(|name| name == pin.sha256.hex() || name == pin.git_sha1);
    let remark = if named { ", under the right name in the cache: damaged or changed" } else { "" };
    differs(format!("{digest}{remark}"))
}
