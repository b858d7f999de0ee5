//! A pull that is killed: the folder is not there until it is whole, and the next pull believes nothing that it finds.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use retoque_core::archive::PIECE;
use retoque_tests::database::Engine;
use retoque_tests::programs::retoque;
use retoque_tests::town::Town;

use super::folder::{big, mislead};
use retoque_tests::proxy::{Lie, Proxy};

const WEIGHTS: &str = "adapter_model.safetensors";

#[test]
fn a_killed_pull_goes_on_and_checks_what_is_there() {
    let town = Town::found(Engine::Sqlite);
    let reference = big(&town);
    let target = town.path("pulled");
    for (round, tampered) in [(1, false), (2, true)] {
        // The proxy holds back the later pieces for ever; the kill comes when it has been asked for them.
        let asked = Arc::new(AtomicU64::new(0));
        let (counted, through) = (asked.clone(), round);
        let hold = move |path: &str, _: &[u8]| {
            if path.ends_with(WEIGHTS) && counted.fetch_add(1, Ordering::SeqCst) >= through {
                std::thread::park();
            }
            Lie::Pass
        };
        let proxy = Proxy::before(&town.url, Box::new(hold));
        mislead(&town, &proxy.url);
        let mut command = retoque(&town.home("consumer"));
        command.args(["--registry", &proxy.url, "pull", &reference, "--dir"]).arg(&target);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while asked.load(Ordering::SeqCst) < 3 || partial(&town).is_none_or(|dir| proven(&dir) < round) {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!target.exists(), "half a folder has its name");
        let dir = partial(&town).unwrap();
        if tampered {
            // Somebody changes what has come so far, and leaves something behind.
            let mut weights = fs::read(dir.join(WEIGHTS)).unwrap();
            weights.iter_mut().step_by(1 << 20).for_each(|byte| *byte ^= 1);
            fs::write(dir.join(WEIGHTS), weights).unwrap();
            fs::write(dir.join("README.md"), "do this").unwrap();
            fs::write(dir.join("evil.py"), "x").unwrap();
            std::os::unix::fs::symlink("/etc/passwd", dir.join("LICENSE.txt")).ok();
        }
        let pulled = town.json("consumer", &["pull", &reference, "--dir", target.to_str().unwrap()]);
        let fetched = pulled["fetched_bytes"].as_u64().unwrap();
        let whole = fs::metadata(target.join(WEIGHTS)).unwrap().len();
        if tampered {
            assert!(fetched >= whole, "tampered pieces were kept: {fetched}");
        } else {
            assert!(fetched < whole, "nothing was kept: {fetched} of {whole}");
        }
        town.ok("consumer", &["verify", target.to_str().unwrap()]);
        assert_eq!(fs::read_dir(&target).unwrap().count(), 9);
        assert_eq!(partial(&town), None, "the folder beside it is gone");
        fs::remove_dir_all(&target).unwrap();
    }
}

/// The folder in which a pull grows.
fn partial(town: &Town) -> Option<PathBuf> {
    let entries = fs::read_dir(town.database.folder()).unwrap().flatten();
    entries.map(|entry| entry.path()).find(|path| path.file_name().unwrap().to_string_lossy().contains(".retoque-"))
}

/// How many pieces of the weights have come: those that are not all zero.
fn proven(dir: &std::path::Path) -> u64 {
    let weights = fs::read(dir.join(WEIGHTS)).unwrap_or_default();
    let size = usize::try_from(PIECE).unwrap();
    weights.chunks(size).filter(|piece| piece.last() != Some(&0) || piece.iter().any(|b| *b != 0)).count() as u64
}
