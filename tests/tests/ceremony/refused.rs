//! Roots that neither the registry, nor a client, nor an off-the-shelf TUF client takes.

use std::fs;
use std::path::Path;

use retoque_core::sign::root::Proposal;
use retoque_core::sign::{Envelope, SecretKey};
use retoque_tests::database::Engine;
use retoque_tests::peers::script;
use retoque_tests::town::Town;

use super::desk::{Ceremony, Key, generate, installed, size};

fn secret(key: &Key) -> SecretKey {
    SecretKey::from_pem(&fs::read_to_string(&key.file).unwrap()).unwrap()
}

/// The next root as drafted, signed by whomever: the commands would not.
fn forged(ceremony: &Ceremony<'_>, keys: &[&Key]) -> Vec<u8> {
    let draft = Proposal::open(&fs::read(ceremony.next_file()).unwrap()).unwrap();
    let mut envelope: Envelope = draft.root().envelope().clone();
    for key in keys {
        envelope.add_signature(&secret(key)).unwrap();
    }
    envelope.to_bytes()
}

#[test]
fn bad_rotations_are_refused_by_everybody() {
    let town = &Town::found(Engine::Sqlite);
    let mut ceremony = Ceremony::of(town);
    let folder = ceremony.folder();
    let old = [1, 2, 3].map(|n| installed(town, &format!("root-{n}")));
    let new = ["d", "e", "f"].map(|name| generate(&folder, name, None));
    let changes: Vec<String> = (new.iter().map(|key| format!("--add=root={}", key.public)))
        .chain(old.iter().map(|key| format!("--remove=root={}", key.id)))
        .chain(["--threshold=root=2".to_owned()])
        .collect();
    ceremony.draft(&changes.iter().map(String::as_str).collect::<Vec<_>>()).expect(0);
    let attacks: [(&str, &[&Key]); 4] = [
        ("new keys only", &[&new[0], &new[1]]),
        ("one old key", &[&old[0], &new[0], &new[1]]),
        ("one new key", &[&old[0], &old[1], &new[0]]),
        ("one old key twice", &[&old[0], &old[0], &new[0], &new[1]]),
    ];
    for (attack, keys) in attacks {
        let bytes = forged(&ceremony, keys);
        refused(&ceremony, attack, &bytes);
    }
    let honest = forged(&ceremony, &[&old[0], &old[1], &new[0], &new[1]]);
    let surplus = forged(&ceremony, &[&old[0], &old[1], &new[0], &new[1], &installed(town, "operator")]);
    assert_eq!(post(town, surplus).0, 422, "a signature too many");

    // A root that skips one: made on top of the honest one, which the registry has not seen.
    fs::write(ceremony.next_file(), &honest).unwrap();
    ceremony.roots.push(ceremony.next_file());
    ceremony.draft(&[]).expect(0);
    let skipping = forged(&ceremony, &[&new[0], &new[1]]);
    let before = ceremony.roots.pop().unwrap();
    refused(&ceremony, "a skipped version", &skipping);
    fs::write(&before, &honest).unwrap();
    assert_eq!(post(town, honest).0, 201, "the honest one is good");
}

#[test]
fn a_key_does_not_leave_without_its_revocation() {
    let town = &Town::found(Engine::Sqlite);
    let ceremony = Ceremony::of(town);
    let shown = town.json("rob", &["key", "show"]);
    let rob = shown["keyid"].as_str().unwrap();
    let goes = format!("review={rob}");
    assert!(ceremony.draft(&["--remove", &goes]).expect(3).says("not in `x-revoked`"));
    assert!(ceremony.draft(&["--remove", &format!("operate={rob}")]).expect(2).says("does not stand in the role"));
    let build = installed(town, "platform-build");
    let gone = [format!("platform-build={}", build.id), format!("{}@{}", build.id, size(town))];
    assert_eq!(ceremony.draft(&["--remove", &gone[0], "--revoke", &gone[1]]).status, 3, "a role without a key");
    let fresh = generate(&ceremony.folder(), "fresh", None);
    let add = format!("platform-build={}", fresh.public);
    ceremony.draft(&["--add", &add, "--remove", &gone[0], "--revoke", &gone[1]]).expect(0);
    ceremony.sign(&ceremony.signers.iter().collect::<Vec<_>>());
    let refused = ceremony.publish(&[]).expect(1);
    assert!(refused.says("the key that this registry signs with"), "{refused:?}");
}

fn post(town: &Town, bytes: Vec<u8>) -> (u16, Vec<u8>) {
    let request = town.request(reqwest::Method::POST, "/api/v1/root", "operator");
    let answer = town.send(request.header("content-type", "application/json").body(bytes));
    (answer.status.as_u16(), answer.body)
}

/// The registry, our command line and python-tuf all refuse it.
#[track_caller]
fn refused(ceremony: &Ceremony<'_>, attack: &str, bytes: &[u8]) {
    let (status, body) = post(ceremony.town, bytes.to_vec());
    assert_eq!(status, 422, "the registry takes {attack}: {}", String::from_utf8_lossy(&body));
    let file = ceremony.folder().join("attack.root.json");
    fs::write(&file, bytes).unwrap();
    let run = ceremony.town.run("operator", &["key", "root", "publish", file.to_str().unwrap()]);
    assert_eq!(run.status, 3, "the command line takes {attack}: {run:?}");
    let mut chain: Vec<_> = ceremony.roots.iter().map(Path::new).collect();
    assert!(script("root_chain.py", &chain).0, "the honest chain");
    chain.push(&file);
    assert!(!script("root_chain.py", &chain).0, "python-tuf takes {attack}");
}
