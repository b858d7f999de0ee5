//! Pieces that come damaged, late, twice, or are there already.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use retoque_core::archive::PIECE;
use retoque_core::digest::Digest;
use retoque_core::manifest::FileEntry;
use retoque_core::problem::PIECE_MISMATCH;

use super::pieces::Target;
use crate::client::scripted::{Reply, Scripted};
use crate::client::{Client, Sources};
use crate::error::Failure;
use crate::output::Progress;
use crate::runtime::block_on;

fn content() -> Vec<u8> {
    (0..=250).cycle().take(3 * usize::try_from(PIECE).unwrap() + 11).collect()
}

fn entry(bytes: &[u8]) -> FileEntry {
    let pieces = bytes.chunks(usize::try_from(PIECE).unwrap()).map(Digest::of).collect();
    FileEntry { path: "w".into(), size: bytes.len() as u64, sha256: Digest::of(bytes), pieces: Some(pieces) }
}

/// The bytes that a request asks for.
fn part(head: &str, bytes: &[u8]) -> (usize, Vec<u8>) {
    let range = head.lines().find_map(|l| l.strip_prefix("range: bytes=")).unwrap();
    let (from, to) = range.split_once('-').unwrap();
    let from: usize = from.parse().unwrap();
    (from / usize::try_from(PIECE).unwrap(), bytes[from..=to.parse().unwrap()].to_vec())
}

fn served(damage: impl Fn(usize, usize) -> bool + Send + Sync + 'static) -> Scripted {
    let bytes = content();
    Scripted::start(move |request, head| {
        let (piece, mut body) = part(head, &bytes);
        if damage(request, piece) {
            body[0] ^= 1;
        }
        Reply::Whole("206 Partial Content", String::new(), body)
    })
}

fn fetch(server: &Scripted, path: &Path) -> Result<u64, Failure> {
    fetch_from(&Sources::only(server.client()), path)
}

fn fetch_from(sources: &Sources, path: &Path) -> Result<u64, Failure> {
    let entry = entry(&content());
    let digests = entry.pieces.clone().unwrap();
    let url = |client: &Client| client.api(&["x"]);
    let target = Target { path: path.to_owned(), entry: &entry, digests: &digests, url: &url };
    block_on(target.fetch(sources, &Progress::hidden()))
}

#[test]
fn a_whole_file_comes_and_is_not_fetched_twice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w");
    let server = served(|_, _| false);
    assert_eq!(fetch(&server, &path).unwrap(), content().len() as u64);
    assert!(std::fs::read(&path).unwrap() == content());
    assert_eq!((fetch(&server, &path).unwrap(), server.seen().len()), (0, 4));
}

#[test]
fn only_what_is_missing_or_damaged_is_fetched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w");
    let mut half = content();
    half[usize::try_from(PIECE).unwrap() + 1] ^= 1;
    half.truncate(2 * usize::try_from(PIECE).unwrap() + 5);
    std::fs::write(&path, &half).unwrap();
    let server = served(|_, _| false);
    assert_eq!(fetch(&server, &path).unwrap(), 2 * PIECE + 11, "the damaged one, the cut one and the last");
    assert!(std::fs::read(&path).unwrap() == content());
    // Longer than the file may be: cut, and nothing fetched.
    std::fs::write(&path, [content(), vec![7; 100]].concat()).unwrap();
    assert_eq!(fetch(&server, &path).unwrap(), 0);
    assert!(std::fs::read(&path).unwrap() == content());
}

#[test]
fn a_piece_that_came_damaged_is_asked_for_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w");
    let server = served(|request, _| request == 0);
    fetch(&server, &path).unwrap();
    assert!(std::fs::read(&path).unwrap() == content());
    assert_eq!(server.seen().len(), 5);
}

#[test]
fn a_lying_server_is_named_and_its_bytes_are_never_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w");
    let server = served(|_, piece| piece == 2);
    let failure = fetch(&server, &path).unwrap_err();
    assert!(failure.is(PIECE_MISMATCH) && failure.exit_status() == 3);
    assert!(failure.message().contains("w, piece 2") && failure.next().contains("127.0.0.1"), "{failure:?}");
    let written = std::fs::read(&path).unwrap();
    let piece = usize::try_from(PIECE).unwrap();
    assert!(written[2 * piece..3 * piece].iter().all(|b| *b == 0), "nothing of the damaged piece");
}

#[test]
fn what_a_mirror_gets_wrong_comes_from_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w");
    let (mirror, registry) = (served(|_, piece| piece == 2), served(|_, _| false));
    let sources = Sources::with_mirrors(registry.client(), std::slice::from_ref(&mirror.url)).unwrap();
    fetch_from(&sources, &path).unwrap();
    assert!(std::fs::read(&path).unwrap() == content());
    assert_eq!(registry.seen().len(), 1, "only the piece that the mirror damaged");
    let faults = sources.faults();
    assert!(faults.len() == 1 && faults[0].lied && faults[0].what == "piece 2 of w", "{faults:?}");
}
