//! A package made by the writer is read, sought and refused as it should be.

use std::io::Read as _;

use super::fault::finding_of;
use super::read::{NoVisitor, PackageReader, Visitor};
use super::seek::{FOOTER, Index, SeekTable};
use super::write::{Compressor, Facts, PackageWriter};
use super::{FILES, Limits, MANIFEST, PIECE, WEIGHTS, frame, header, layer};
use crate::digest::Digest;
use crate::manifest::sample;
use crate::problem::{self, Code, Findings};

/// Bytes that do not compress well and differ everywhere.
fn noise(size: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..size).map(|_| next()).collect()
}

/// Files of a package with a manifest that fits them.
fn files(weights: usize) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = vec![
        (FILES[0], b"# readme\n".to_vec()),
        (FILES[1], b"{}".to_vec()),
        (FILES[2], noise(weights, 7)),
        (FILES[3], noise(700, 9)),
    ];
    let (_, facts) = pack(&files);
    let mut manifest = sample::manifest();
    manifest.adapter.sha256 = facts.files[2].sha256;
    manifest.files = facts.files;
    files.push((MANIFEST, manifest.to_bytes().unwrap()));
    files
}

fn pack(files: &[(&str, Vec<u8>)]) -> (Vec<u8>, Facts) {
    pack_with(files, 1)
}

/// Takes several pieces at a time, last one first.
struct Several(usize);

impl Compressor for Several {
    fn width(&self) -> usize {
        self.0
    }

    fn compress(&self, pieces: &[Vec<u8>], meanwhile: &mut dyn FnMut()) -> Vec<std::io::Result<Vec<u8>>> {
        let mut frames: Vec<_> = pieces.iter().rev().map(|piece| frame::compress(piece)).collect();
        meanwhile();
        frames.reverse();
        frames
    }
}

fn pack_with(files: &[(&str, Vec<u8>)], width: usize) -> (Vec<u8>, Facts) {
    let mut writer = PackageWriter::new(Vec::new()).with(Several(width));
    for (name, content) in files {
        writer.add(name, content.len() as u64, &mut content.as_slice()).unwrap();
    }
    writer.finish().unwrap()
}

#[derive(Default)]
struct Keep(Vec<(String, Vec<u8>)>);

impl Visitor for Keep {
    fn file(&mut self, path: &str, size: u64, content: &mut dyn std::io::Read) -> Findings {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, size);
        self.0.push((path.to_owned(), bytes));
        Findings::new()
    }
}

fn read(archive: &[u8]) -> Result<Facts, Findings> {
    PackageReader::new(archive, &Limits::default()).run(&mut NoVisitor).map(|(package, _)| package.facts)
}

fn code(archive: &[u8]) -> Code {
    let findings = read(archive).unwrap_err();
    findings.first_error().unwrap().code
}

#[test]
fn what_is_written_is_read() {
    let piece = usize::try_from(PIECE).unwrap();
    for weights in [0, 1, 511, 512, 513, piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 77] {
        let files = files(weights);
        let (archive, facts) = pack(&files);
        assert_eq!(Digest::of(&archive), facts.sha256);
        let mut keep = Keep::default();
        let limits = Limits::default();
        let (package, _) = PackageReader::new(archive.as_slice(), &limits).run(&mut keep).unwrap();
        assert_eq!(package.facts, facts, "{weights}");
        assert_eq!(package.manifest_digest, Digest::of(&files[4].1));
        assert!(keep.0.iter().map(|(n, b)| (n.as_str(), b)).eq(files[..4].iter().map(|(n, b)| (*n, b))));
        assert_eq!(layer::check(archive.as_slice(), &limits).unwrap().len(), 5);
        assert_eq!(pack(&files).0, archive, "the same input gives the same bytes");
        assert_eq!(pack_with(&files, 3).0, archive, "whatever is compressed at a time");
    }
}

#[test]
fn any_range_of_any_file_is_found() {
    let piece = PIECE;
    let files = files(usize::try_from(2 * piece).unwrap() + 77);
    let (archive, facts) = pack(&files);
    let footer: [u8; FOOTER] = *archive.last_chunk().unwrap();
    let length = SeekTable::len_from_footer(footer).unwrap();
    let table = SeekTable::parse(&archive[archive.len() - length..]).unwrap();
    assert_eq!(table, facts.table);
    let index = Index::new(table, files.iter().map(|(n, b)| (*n, b.len() as u64))).unwrap();
    assert_eq!(index.archive_size(), archive.len() as u64);
    let size = |name: &str| index.file(name).unwrap().size;
    let ranges = [
        (WEIGHTS, 0..size(WEIGHTS)),
        (WEIGHTS, 0..0),
        (WEIGHTS, 0..1),
        (WEIGHTS, piece - 1..piece + 1),
        (WEIGHTS, piece..2 * piece),
        (WEIGHTS, 2 * piece - 3..2 * piece + 77),
        (WEIGHTS, size(WEIGHTS)..size(WEIGHTS)),
        (FILES[0], 2..5),
        (MANIFEST, 0..size(MANIFEST)),
    ];
    for (name, range) in ranges {
        let cut = index.cut(name, range.clone()).unwrap();
        let (from, to) = (usize::try_from(cut.stored.start).unwrap(), usize::try_from(cut.stored.end).unwrap());
        let mut out = Vec::new();
        cut.extract(&mut &archive[from..to], &mut out).unwrap();
        let whole = &files.iter().find(|f| f.0 == name).unwrap().1;
        assert!(out == whole[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()]);
        assert!(cut.frames.len() as u64 <= (range.end - range.start).div_ceil(PIECE) + 1);
    }
    assert_eq!(index.cut(WEIGHTS, 0..size(WEIGHTS) + 1), None);
    assert_eq!(index.cut("other", 0..1), None);
}

#[test]
fn every_cut_and_every_changed_byte_is_refused() {
    let (archive, _) = pack(&files(3000));
    for length in (0..archive.len()).step_by(7) {
        assert!(read(&archive[..length]).is_err(), "cut at {length}");
    }
    for at in 0..archive.len() {
        let mut bad = archive.clone();
        bad[at] ^= 0x41;
        // Two bits of each frame descriptor mean nothing, and block headers may code the same content
        // differently; what comes out must then be the same files, as another compression of them.
        if let Ok(facts) = read(&bad) {
            assert_eq!(facts.files, read(&archive).unwrap().files, "byte {at}");
        }
    }
}

#[test]
fn other_archives_are_not_packages() {
    let good = files(3000);
    let (archive, facts) = pack(&good);
    let with = |bytes: &[u8]| [archive.as_slice(), bytes].concat();
    assert_eq!(code(&with(b"\0")), problem::TRAILING_DATA);
    assert_eq!(code(&with(&archive)), problem::TRAILING_DATA);
    let table = SeekTable::encoded_len(facts.table.frames.len());
    let bare = &archive[..archive.len() - table];
    assert_eq!(code(bare), problem::SEEK_TABLE);
    assert_eq!(code(&[bare, &frame::compress(b"x").unwrap()].concat()), problem::TRAILING_DATA);
    assert_eq!(code(b""), problem::EMPTY);
    assert_eq!(code(b"\x1f\x8b\x08\0\0\0"), problem::COMPRESSION);

    let without = |name: &str| good.iter().filter(|f| f.0 != name).cloned().collect::<Vec<_>>();
    for name in FILES {
        assert_eq!(code(&pack(&without(name)).0), problem::PACKAGE_FILE_MISSING, "{name}");
    }
    for name in ["zzz.py", "adapter_model.bin", "adapter_model.safetensors.old"] {
        let mut more = good.clone();
        more.push((name, b"x".to_vec()));
        more.sort_unstable();
        assert_eq!(code(&pack(&more).0), problem::PACKAGE_FILE_UNKNOWN, "{name}");
    }
    let mut large = good.clone();
    large[0].1 = vec![b'x'; 300 << 10];
    assert_eq!(code(&pack(&large).0), problem::PACKAGE_FILE_TOO_LARGE);
    let mut other = good.clone();
    other[0].1 = b"# readmf\n".to_vec();
    assert_eq!(code(&pack(&other).0), problem::PACKAGE_MISMATCH);

    // The same tar stream in one frame: fine for `tar`, but nothing can be read alone.
    let mut tar = Vec::new();
    for (name, content) in &good {
        tar.extend_from_slice(&header::encode(name, content.len() as u64).unwrap());
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    assert_eq!(layer::check(tar.as_slice(), &Limits::default()).unwrap().len(), 5);
    assert_eq!(code(&frame::compress(&tar).unwrap()), problem::PACKAGE_LAYOUT);
    assert_eq!(code(&tar), problem::COMPRESSION);
}

#[test]
fn limits_hold_before_decoding() {
    let (archive, _) = pack(&files(3000));
    let small = Limits { archive: archive.len() as u64 - 1, ..Limits::default() };
    let run = |limits: &Limits| PackageReader::new(archive.as_slice(), limits).run(&mut NoVisitor).map(|_| ());
    assert!(run(&small).unwrap_err().has(problem::PACKAGE_TOO_LARGE));
    let weights = Limits { weights: 2999, ..Limits::default() };
    assert!(run(&weights).unwrap_err().has(problem::PACKAGE_FILE_TOO_LARGE));
    let tar = Limits { tar: 4000, ..Limits::default() };
    assert!(run(&tar).unwrap_err().has(problem::OUTPUT_LIMIT));
    assert!(run(&Limits::default()).is_ok());
}

#[test]
fn a_source_that_fails_is_not_the_packages_fault() {
    struct Fails;
    impl std::io::Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("/home/somebody/secret"))
        }
    }
    let (archive, _) = pack(&files(10));
    let limits = Limits::default();
    let findings = PackageReader::new(archive[..900].chain(Fails), &limits).run(&mut NoVisitor).unwrap_err();
    let finding = findings.first_error().unwrap();
    assert_eq!(finding.code, problem::PACKAGE_UNREADABLE);
    assert!(!finding.found.contains("home"));
    assert_eq!(finding_of(&std::io::Error::from(std::io::ErrorKind::UnexpectedEof)).code, problem::TRUNCATED);
}

#[test]
fn the_writer_keeps_the_order_and_the_sizes() {
    let mut writer = PackageWriter::new(Vec::new());
    writer.add("b", 1, &mut b"x".as_slice()).unwrap();
    for (name, size, content) in [("a", 1, "x"), ("b", 1, "x"), ("../c", 1, "x"), ("c", 2, "x"), ("d", 1, "xy")] {
        assert!(writer.add(name, size, &mut content.as_bytes()).is_err(), "{name}");
    }
}

/// Counts what is read.
struct Counting<'c>(std::io::Cursor<&'c [u8]>, u64);

impl std::io::Read for Counting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1 += read as u64;
        Ok(read)
    }
}

impl std::io::Seek for Counting<'_> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn the_manifest_is_found_without_the_rest() {
    let files = files(3 * PIECE as usize);
    let (archive, _) = pack(&files);
    let mut source = Counting(std::io::Cursor::new(&archive), 0);
    let manifest = super::peek::manifest(&mut source).unwrap().unwrap();
    assert_eq!(manifest.to_bytes().unwrap(), files[4].1);
    assert!(source.1 < 20_000, "{} of {} bytes were read", source.1, archive.len());
    for end in [0, 1, FOOTER, 4000, archive.len() - 1] {
        let found = super::peek::manifest(&mut std::io::Cursor::new(&archive[..end])).unwrap();
        assert!(found.is_none(), "the first {end} bytes");
    }
    let mut longer = archive.clone();
    longer.splice(0..0, [0]);
    assert!(super::peek::manifest(&mut std::io::Cursor::new(&longer)).unwrap().is_none(), "a byte before it");
}
