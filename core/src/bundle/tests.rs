#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{self, Read};

use super::*;
use crate::archive::header::BLOCK;
use crate::digest::Digest;
use crate::problem::{
    BUNDLE_ENTRY, BUNDLE_HEADER, BUNDLE_LINK, BUNDLE_SIZE, BUNDLE_TRAILING, BUNDLE_TRUNCATED, Code, PROOF_INVALID,
};
use crate::release::VALIDATION_CASES;

const FOLDER: &str = "tiny-desk-1.2.0";

/// A bundle of entries that each hold their name.
fn bundle(cases: bool) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), FOLDER.to_owned());
    for member in Member::all().filter(|member| cases || member.name() != VALIDATION_CASES) {
        let content = member.name().as_bytes();
        writer.add(member.name(), content.len() as u64, &mut &*content).unwrap();
    }
    writer.finish().unwrap()
}

/// Names and contents, to the end.
fn walk(source: impl Read) -> Result<Vec<(String, Vec<u8>)>, crate::problem::Finding> {
    let (mut reader, mut found) = (Reader::new(source), Vec::new());
    while let Some((member, mut content)) = reader.entry()? {
        found.push((member.name().to_owned(), content.whole()?));
    }
    assert_eq!(reader.folder(), Some(FOLDER));
    Ok(found)
}

fn code(bytes: &[u8]) -> Code {
    walk(bytes).unwrap_err().code
}

#[test]
fn what_is_written_is_what_is_read() {
    for cases in [true, false] {
        let bytes = bundle(cases);
        assert_eq!(bytes, bundle(cases), "the same input gives the same bytes");
        let found = walk(&*bytes).unwrap();
        assert_eq!(found.len(), if cases { 13 } else { 12 });
        assert!(found.iter().all(|(name, content)| name.as_bytes() == content));
        // Skipping is reading as well.
        let mut reader = Reader::new(&*bytes);
        while reader.entry().unwrap().is_some() {}
    }
}

#[test]
fn every_byte_that_is_no_content_counts() {
    let good = bundle(true);
    let mut content = vec![false; good.len()];
    let mut at = 0;
    for member in Member::all() {
        at += BLOCK;
        content[at..at + member.name().len()].fill(true);
        at += BLOCK;
    }
    for at in (0..good.len()).filter(|at| !content[*at]) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x15;
        // One folder name for another is only seen by whoever knows the release; the header must still be whole.
        assert!(walk(&*bytes).is_err(), "byte {at}");
    }
    for end in (0..good.len()).step_by(7) {
        assert_eq!(code(&good[..end]), BUNDLE_TRUNCATED, "cut at {end}");
    }
    assert_eq!(code(&[&*good, b"\0"].concat()), BUNDLE_TRAILING);
    assert_eq!(code(&[&*good, &*good].concat()), BUNDLE_TRAILING);
}

#[test]
fn other_names_orders_and_kinds_are_refused() {
    let good = bundle(true);
    let entry = |n: usize| &good[n * 2 * BLOCK..(n + 1) * 2 * BLOCK];
    let rest = |n: usize| &good[n * 2 * BLOCK..];
    assert_eq!(code(&[entry(1), entry(0), rest(2)].concat()), BUNDLE_ENTRY, "another order");
    assert_eq!(code(rest(1)), BUNDLE_ENTRY, "one is missing");
    assert_eq!(code(&[entry(0), rest(0)].concat()), BUNDLE_ENTRY, "one twice");
    let with = |block: [u8; BLOCK], n: usize| [&good[..n * 2 * BLOCK], &block, &good[n * 2 * BLOCK + BLOCK..]].concat();
    let header = |folder: &str, name: &str, size| crate::archive::header::encode_in(folder, name, size).unwrap();
    for (folder, name) in [("", "../x"), ("", "/etc/passwd"), (FOLDER, ROOTS), ("", "x")] {
        assert_eq!(code(&with(header(folder, name, 10), 0)), BUNDLE_ENTRY, "{folder}/{name}");
    }
    for folder in ["..", "a/b", "/", ".", "-x", "other-1.0.0"] {
        let found = code(&with(header(folder, "manifest.json", 13), 5));
        assert_eq!(found, BUNDLE_ENTRY, "{folder}");
    }
    // The name not divided as the writer divides it.
    let whole = crate::archive::header::encode(&format!("{FOLDER}/manifest.json"), 13).unwrap();
    assert_eq!(code(&with(whole, 5)), BUNDLE_HEADER);
    for (kind, wanted) in
        [(b'1', BUNDLE_LINK), (b'2', BUNDLE_LINK), (b'5', BUNDLE_LINK), (b'x', BUNDLE_HEADER), (b'L', BUNDLE_HEADER)]
    {
        let mut block = header("", ROOTS, 10);
        block[156] = kind;
        let sum: u64 = (0..BLOCK).map(|n| if (148..156).contains(&n) { 32 } else { u64::from(block[n]) }).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        assert_eq!(code(&with(block, 0)), wanted, "type {}", char::from(kind));
    }
}

#[test]
fn a_claim_of_size_reserves_nothing() {
    let header = crate::archive::header::encode_in("", ROOTS, 100 << 20).unwrap();
    assert_eq!(code(&[&header[..], &[b' '; 600]].concat()), BUNDLE_SIZE);
    // Eight gigabytes of a file that is not there: what comes is read, and the end is noticed.
    let mut bytes = bundle(true);
    let weights = bytes.len() - 4 * BLOCK;
    let claim =
        crate::archive::header::encode_in(FOLDER, "adapter_model.safetensors", crate::archive::header::MAX_SIZE);
    bytes[weights..weights + BLOCK].copy_from_slice(&claim.unwrap());
    assert_eq!(code(&bytes), BUNDLE_TRUNCATED);
    let endless = io::Read::chain(&bytes[..weights + BLOCK], io::repeat(0).take(1 << 20));
    let mut reader = Reader::new(endless);
    let refused = loop {
        match reader.entry() {
            Ok(Some(_)) => {}
            Ok(None) => unreachable!("an end"),
            Err(finding) => break finding.code,
        }
    };
    assert_eq!(refused, BUNDLE_TRUNCATED);
}

#[test]
fn the_writer_keeps_the_order() {
    let mut writer = Writer::new(Vec::new(), FOLDER.to_owned());
    assert_eq!(writer.add(STATUS, 1, &mut &b"x"[..]).unwrap_err().code, BUNDLE_ENTRY);
    writer.add(ROOTS, 1, &mut &b"x"[..]).unwrap();
    assert!(writer.add(CHECKPOINT, 3, &mut &b"x"[..]).is_err(), "less content than announced");
    assert!(writer.finish().is_err(), "not complete");
}

#[test]
fn a_proof_has_one_text() {
    let proof = [Digest::of(b"a"), Digest::of(b"b")];
    let text = write_consistency(&proof);
    assert_eq!(parse_consistency(text.as_bytes()).unwrap(), proof);
    assert_eq!(parse_consistency(b"").unwrap(), []);
    for bad in [text.trim_end(), &text.replace('\n', "\r\n"), "\n", "AAAA\n", &text.repeat(32)] {
        assert_eq!(parse_consistency(bad.as_bytes()).unwrap_err().code, PROOF_INVALID, "{bad:?}");
    }
}
