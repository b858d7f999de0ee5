//! The folder of a witness: made whole, opened by one process, never with a past that cannot be read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::log::Log;
use super::{Folder, NAME, run};
use retoque_tests::programs::{Run, retoque_registry};

#[test]
fn init_makes_a_key_for_this_user_alone() {
    let folder = Folder::of(&[]);
    assert_eq!(folder.vkey.name(), NAME);
    let mode = fs::metadata(folder.path().join("key.pem")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(folder.run("show").expect(0).says(&folder.vkey.to_string()));
    // Not a second time in the same place, and not under a name that no line can carry.
    let again =
        |name: &str, dir| Run::of(retoque_registry().args(["witness", "init", "--name", name, "--dir"]).arg(dir));
    assert!(again(NAME, folder.path()).expect(1).says("folder_not_empty"));
    let elsewhere = folder.temporary.path().join("x");
    assert!(again("two words", elsewhere.clone()).expect(1).says("verifier_key_invalid"));
    assert!(!elsewhere.exists());
}

#[test]
fn one_process_at_a_time() {
    let folder = Folder::of(&[]);
    let witness = folder.serve();
    for verb in ["serve", "show"] {
        assert!(folder.run(verb).expect(7).says("witness_in_use"));
    }
    witness.service.kill();
    folder.run("show").expect(0);
}

#[tokio::test]
async fn a_past_that_cannot_be_read_is_not_an_empty_one() {
    let log = Log::of("log.example/a", 1, 5);
    let folder = Folder::of(&[log.vkey()]);
    let witness = folder.serve();
    assert_eq!(witness.add(log.request(0)).await.status.as_u16(), 200);
    witness.service.kill();
    let state = folder.path().join("state");
    let file = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    let good = fs::read(&file).unwrap();
    let other = Log::of("log.example/b", 1, 5).request(0).checkpoint.note().to_string();
    for bad in [&good[..good.len() / 2], b"", other.as_bytes()] {
        fs::write(&file, bad).unwrap();
        assert!(folder.run("serve").expect(1).says("witness_state"));
    }
    fs::write(&file, good).unwrap();
    folder.run("show").expect(0);
    fs::remove_dir_all(&state).unwrap();
    assert!(folder.run("serve").expect(1).says("witness_state"));
}

#[test]
fn key_and_list_must_fit() {
    let (folder, other) = (Folder::of(&[]), Folder::of(&[]));
    fs::write(folder.path().join("logs"), format!("# mine\n\nnot a key\n{}\n", folder.vkey)).unwrap();
    let refused = folder.run("serve").expect(2);
    assert!(refused.says("witness_logs") && refused.says("line 3") && refused.says("line 4"), "{refused:?}");
    fs::copy(other.path().join("key.pem"), folder.path().join("key.pem")).unwrap();
    assert!(folder.run("serve").expect(1).says("platform_key_mismatch"));
    assert!(run("show", &folder.temporary.path().join("nowhere")).expect(1).says("witness_state"));
}
