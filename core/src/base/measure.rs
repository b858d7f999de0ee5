//! One file of a base, read once: size, digests, and what the record needs of its content.

use std::io::{self, Read};

use sha1::{Digest as _, Sha1};

use super::path::is_plain;
use crate::digest::Hasher;
use crate::manifest::BaseFile;
use crate::problem::{BASE_FILE_INVALID, BASE_UNREADABLE, Finding, Findings, Place};
use crate::safetensors::{BASE_HEADER, Header, Watched, parse, read_prefix};

/// Most bytes of `config.json` and of the index that are kept while reading.
const KEPT: u64 = 32 << 20;

/// What reading one file told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The pin of the file.
    pub file: BaseFile,
    /// The header of a safetensors file at the top of the repository.
    pub(super) header: Option<Header>,
    /// The content of `config.json` and of the index.
    pub(super) text: Option<Vec<u8>>,
}

/// Reads a file of `size` bytes to its end. `progress` is told how many bytes were read since the last call.
///
/// Files can be measured on any number of threads; the [`Builder`](super::Builder) takes them in any order.
pub fn measure(path: &str, size: u64, reader: impl Read, mut progress: impl FnMut(u64)) -> Result<Measured, Findings> {
    let place = Place::file(path.chars().filter(|c| !c.is_control()).take(200).collect::<String>());
    if !is_plain(path) {
        let expected = "a relative path of plain components";
        return Err(Finding::new(BASE_FILE_INVALID, place, "an unusual path", expected, "remove the file").into());
    }
    let unreadable = |found: String| {
        let next = "try again; the file may have changed meanwhile";
        Finding::new(BASE_UNREADABLE, place.clone(), found, format!("{size} bytes"), next)
    };
    let mut sha256 = Hasher::new();
    let mut sha1 = Sha1::new();
    sha1.update(format!("blob {size}\0"));
    let mut reader = Watched::new(reader, |chunk: &[u8]| {
        sha256.update(chunk);
        sha1.update(chunk);
        progress(chunk.len() as u64);
    });
    let mut header = None;
    let mut text = None;
    if super::weights::is_weights(path) {
        let prefix = read_prefix(&mut reader, size, BASE_HEADER, &place)?;
        let (parsed, findings) = parse(&prefix.text, prefix.data, &place);
        if findings.refused() {
            return Err(findings);
        }
        header = Some(parsed);
    } else if path == "config.json" || path == super::weights::INDEX {
        let mut content = Vec::new();
        (&mut reader).take(KEPT).read_to_end(&mut content).map_err(|e| unreadable(e.kind().to_string()))?;
        text = Some(content);
    }
    let mut buffer = vec![0; 1 << 18];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(unreadable(e.kind().to_string()).into()),
        }
    }
    drop(reader);
    if sha256.len() != size {
        return Err(unreadable(format!("{} bytes", sha256.len())).into());
    }
    let file =
        BaseFile { path: path.to_owned(), size, sha256: sha256.finish(), git_sha1: hex::encode(sha1.finalize()) };
    Ok(Measured { file, header, text })
}
