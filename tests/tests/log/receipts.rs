//! Proofs of a version's records: for everybody of a public patch, for those with rights of a private one, and only
//! they can open its leaves.

use retoque_core::api::{LogProof, LogProofs};
use retoque_core::decision::{Commitment, Record, RecordKind};
use retoque_core::log::leaf_hash;
use retoque_core::log::proof::ProofFile;
use retoque_core::sign::{Role, Root};
use retoque_tests::database::Engine;
use retoque_tests::town::{PATCH, PRIVATE, Town};

use super::reader::{Log, Served};

#[test]
fn every_record_has_a_proof_and_only_its_readers_open_it() {
    let town = Town::found(Engine::Sqlite);
    let root = Root::trust(&std::fs::read(town.dir().join("root.json")).unwrap(), None).unwrap();
    let log = Log { origin: root.log_origin(&town.url), keys: root.keys(Role::PlatformLog) };
    let (public, private) = (format!("{PATCH}@1.0.0"), format!("{PRIVATE}@1.0.0"));
    town.publish(&town.pack(PATCH, "1.0.0", &[]), &public);
    town.push(&town.pack(PRIVATE, "1.0.0", &[])).expect(0);
    let leaves =
        town.wait(Served::fetch(&reqwest::Client::builder().no_proxy().build().unwrap(), &town.url, &log)).leaves;

    let proofs = |reference: &str, who: &str| -> Vec<LogProof> {
        let answer = town.get(&format!("{}/proofs", Town::at(reference)), who).expect(200);
        serde_json::from_slice::<LogProofs>(&answer.body).unwrap().proofs
    };
    let shown = proofs(&public, "consumer");
    let kinds: Vec<_> = shown.iter().map(|proof| kind(&proof.record)).collect();
    use RecordKind::{Approved, Attested, LicenceGranted, Published, Submitted};
    assert_eq!(kinds, [Attested, Submitted, Approved, Published, LicenceGranted]);
    for (n, proof) in shown.iter().enumerate() {
        let leaf = proof.record.to_bytes().unwrap();
        assert_eq!(leaves[usize::try_from(proof.index).unwrap()], leaf);
        assert_eq!(proof.salt, None);
        verify(&log, proof, &leaf);
        // The receipt is the same file.
        let receipt = town.get(&format!("{}/proofs/{n}", Town::at(&public)), "consumer").expect(200);
        assert_eq!(String::from_utf8_lossy(&receipt.body), proof.proof);
        assert_eq!(receipt.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(receipt.header("cache-control"), "public, no-cache");
    }
    for n in ["5", "05", "-1", "x", "18446744073709551616"] {
        let answer = town.get(&format!("{}/proofs/{n}", Town::at(&public)), "consumer");
        answer.refused(if n == "5" { 404 } else { 422 });
    }

    // Hidden from those without rights, in words that tell nothing.
    for who in ["consumer", "eve"] {
        for path in ["proofs", "proofs/0"] {
            let hidden = town.get(&format!("{}/{path}", Town::at(&private)), who);
            let absent = town.get(&format!("{}/{path}", Town::at("acme/no-such-patch@1.0.0")), who);
            assert_eq!(
                (hidden.refused(404), hidden.json()["detail"].clone()),
                (absent.refused(404), absent.json()["detail"].clone())
            );
        }
    }
    let answer = town.get(&format!("{}/proofs", Town::at(&private)), "ada");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    let opened = proofs(&private, "ada");
    assert_eq!(opened.len(), 1);
    let (proof, leaf) = (&opened[0], &leaves[usize::try_from(opened[0].index).unwrap()]);
    let salt: [u8; 32] = hex::decode(proof.salt.as_deref().unwrap()).unwrap().try_into().unwrap();
    let commitment = Commitment::parse(leaf).unwrap();
    assert!(commitment.opens(&salt, &proof.record.to_bytes().unwrap()));
    assert!(!commitment.opens(&[0; 32], &proof.record.to_bytes().unwrap()));
    verify(&log, proof, leaf);
    assert!(!String::from_utf8_lossy(leaf).contains("secret-router"));
}

fn kind(record: &Record) -> RecordKind {
    match record {
        Record::Version(record) => record.kind,
        other => panic!("{other:?}"),
    }
}

fn verify(log: &Log, proof: &LogProof, leaf: &[u8]) {
    let file = ProofFile::parse(proof.proof.as_bytes()).unwrap();
    assert_eq!(file.index(), proof.index);
    let checkpoint = file.verify(&leaf_hash(leaf), &log.origin, &log.keys).unwrap();
    assert!(checkpoint.size() > proof.index);
    assert!(file.verify(&leaf_hash(b"another"), &log.origin, &log.keys).is_err());
}
