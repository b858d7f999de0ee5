//! One byte changed anywhere: every byte of the small files, and of large weights the edges of the pieces and seeded
//! places. The file is named, and the piece.

use std::fs;

use retoque_core::archive::PIECE;
use retoque_core::digest::Digest;
use retoque_core::problem::Findings;
use retoque_core::release::{verify_digest, verify_file};
use retoque_tests::database::Engine;
use retoque_tests::town::Town;

use super::folder::{Folder, Pinned, big, pulled};

const WEIGHTS: &str = "adapter_model.safetensors";

/// The finding names the file; of two files that hold the same statement, either may be the one that was changed.
fn names(findings: &Findings, file: &str) -> bool {
    findings.refused() && findings.list().iter().any(|f| f.place.file.as_deref() == Some(file))
}

#[test]
fn every_byte_of_the_small_files_counts() {
    let town = Town::found(Engine::Sqlite);
    let path = pulled(&town);
    let (mut folder, pinned) = (Folder::read(&path), Pinned::of(&town));
    let verified = pinned.open(&folder).unwrap();
    // What the manifest and the release cover by digest.
    for entry in verified.manifest.files.iter().filter(|entry| entry.path != WEIGHTS) {
        let mut bytes = folder.0[&entry.path].clone();
        every(&mut bytes, 1, |bytes, at| {
            let findings = verify_file(entry, &mut &*bytes, &mut |_| ());
            assert!(names(&findings, &entry.path), "{} byte {at}: {findings:?}", entry.path);
        });
    }
    let files = &verified.release.files;
    for (name, digest) in [("LICENSE.txt", files.license), ("validation-cases.json", files.validation_cases.unwrap())] {
        let mut bytes = folder.0[name].clone();
        let length = bytes.len();
        every(&mut bytes, 1, |bytes, at| {
            let one = Folder([(name.to_owned(), bytes.to_vec())].into());
            assert!(names(&verify_digest(&one, name, digest, length), name), "{name} byte {at}");
        });
    }
    // The manifest, whose digest is signed.
    let mut bytes = folder.0["manifest.json"].clone();
    every(&mut bytes, 1, |bytes, at| {
        let findings = pinned.documents(&verified.release, bytes).unwrap_err();
        assert!(names(&findings, "manifest.json"), "manifest.json byte {at}: {findings:?}");
    });
    // What signatures and the one form of a document cover.
    for name in ["manifest.json", "attestation.json", "release.json"] {
        let mut bytes = folder.0[name].clone();
        // Each try reads every document and checks every signature, so these go in steps.
        every(&mut bytes, 7, |bytes, at| {
            folder.0.insert(name.to_owned(), bytes.to_vec());
            let findings = pinned.open(&folder).map(|_| ()).unwrap_err();
            // A statement that is changed in release.json no longer is the one in attestation.json, which is named then.
            assert!(findings.refused() && !findings.list().is_empty(), "{name} byte {at}");
            assert!(names(&findings, name), "{name} byte {at}: {findings:?}");
        });
        folder.0.insert(name.to_owned(), bytes);
    }
    assert!(pinned.open(&folder).is_ok(), "it was put back");
    // The command says the same.
    for name in folder.0.keys() {
        let file = path.join(name);
        let good = fs::read(&file).unwrap();
        let mut bad = good.clone();
        let middle = bad.len() / 2;
        bad[middle] ^= 1;
        fs::write(&file, bad).unwrap();
        let run = town.run("consumer", &["verify", path.to_str().unwrap()]).expect(3);
        assert!(run.says(name), "{name}: {run:?}");
        fs::write(&file, good).unwrap();
    }
    town.ok("consumer", &["verify", path.to_str().unwrap()]);
}

/// Changes one bit of every `step`-th byte and puts it back.
fn every(bytes: &mut [u8], step: usize, mut check: impl FnMut(&[u8], usize)) {
    for at in (0..bytes.len()).step_by(step) {
        bytes[at] ^= 1 << (at % 7);
        check(bytes, at);
        bytes[at] ^= 1 << (at % 7);
    }
}

#[test]
fn a_changed_piece_is_named() {
    let town = Town::found(Engine::Sqlite);
    let reference = big(&town);
    town.ok("consumer", &["pull", &reference, "--dir", "pulled"]);
    let path = town.path("pulled");
    let folder = Folder::read(&path);
    let verified = Pinned::of(&town).open(&folder).unwrap();
    let entry = verified.manifest.files.iter().find(|entry| entry.path == WEIGHTS).unwrap();
    let mut weights = folder.0[WEIGHTS].clone();
    let (size, pieces) = (entry.size, entry.pieces.as_ref().unwrap());
    assert!(pieces.len() >= 3 && weights.len() as u64 == size);
    assert_eq!(pieces[0], Digest::of(&weights[..usize::try_from(PIECE).unwrap()]));
    let mut places: Vec<u64> = vec![0, size - 1];
    for edge in (1..pieces.len() as u64).map(|n| n * PIECE) {
        places.extend([edge - 1, edge]);
    }
    let mut seed = 7_u64;
    places.extend((0..64).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 20) % size
    }));
    for place in places {
        let at = usize::try_from(place).unwrap();
        weights[at] ^= 0x10;
        let findings = verify_file(entry, &mut weights.as_slice(), &mut |_| ());
        let piece = findings.list().iter().find(|f| f.code.name() == "piece_mismatch").unwrap();
        assert_eq!(piece.place.piece, Some(place / PIECE), "byte {place}");
        assert!(names(&findings, WEIGHTS));
        weights[at] ^= 0x10;
    }
    // The command says so too, and the next pull mends only what is damaged.
    let at = usize::try_from(PIECE).unwrap();
    weights[at] ^= 1;
    fs::write(path.join(WEIGHTS), &weights).unwrap();
    let run = town.run("consumer", &["--json", "verify", path.to_str().unwrap()]).expect(3);
    assert!(run.says(WEIGHTS) && run.says("piece_mismatch"), "{run:?}");
    let mended = town.json("consumer", &["pull", &reference, "--dir", "pulled"]);
    assert_eq!(mended["fetched_bytes"], PIECE, "{mended}");
    weights[at] ^= 1;
    assert!(fs::read(path.join(WEIGHTS)).unwrap() == weights);
    town.ok("consumer", &["verify", path.to_str().unwrap()]);
}
