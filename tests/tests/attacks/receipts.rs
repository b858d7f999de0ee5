//! Decisions that the registry takes and leaves out of its log: who decided knows, and has something to show.

use std::fs;
use std::path::PathBuf;

use retoque_core::log::proof::ProofFile;
use retoque_tests::programs::Run;
use retoque_tests::proxy::Lie;
use serde_json::Value;

use super::scene::Scene;

/// The operator, who reaches the registry through the proxy too.
fn operator(scene: &Scene) {
    let (root, token) = (scene.town.dir().join("root.json"), scene.town.dir().join("operator.token"));
    let (url, origin) = (&scene.proxy.url, &scene.town.url);
    scene.town.ok("operator", &["trust", "add", url, "--root", root.to_str().unwrap(), "--origin", origin]);
    scene.town.ok("operator", &["login", url, "--token-file", token.to_str().unwrap()]);
}

fn decide(scene: &Scene, what: &str) -> Run {
    let key = scene.town.dir().join("keys/operator.pem").display().to_string();
    let reference = Scene::version("1.0.0");
    let reason = if what == "restore" { "issue-resolved" } else { "superseded" };
    let args =
        ["--registry", &scene.proxy.url, what, &reference, "--reason", reason, "--text", "As the code says.", "--key"];
    scene.town.run("operator", &[&args[..], &[&key]].concat())
}

/// The files that the operator keeps of decisions made through the proxy.
fn kept(scene: &Scene) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![scene.town.home("operator").join("receipts")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    files
}

fn proofs(scene: &Scene) -> usize {
    kept(scene).iter().filter(|file| file.extension().is_some_and(|e| e == "tlog-proof")).count()
}

#[test]
fn a_decision_that_is_withheld_is_known_to_who_decided() {
    let scene = Scene::new();
    operator(&scene);
    let before = proofs(&scene);
    let run = decide(&scene, "deprecate").expect(0);
    assert!(run.says("receipt: entry"), "{run:?}");
    assert_eq!(proofs(&scene), before + 1);
    let file = kept(&scene).into_iter().find(|file| file.to_string_lossy().ends_with("deprecate.tlog-proof")).unwrap();
    let proof = ProofFile::parse(&fs::read(file).unwrap()).unwrap();
    assert_eq!(proof.checkpoint().claimed().origin(), scene.origin());
    // No proof at all, and proofs of everything but this decision.
    scene.lie(|path, _| if path.ends_with("/proofs") { Lie::Missing } else { Lie::Pass });
    let run = decide(&scene, "restore").expect(0);
    assert!(run.stderr.contains("NO RECEIPT"), "{run:?}");
    assert_eq!(proofs(&scene), before + 1);
    let signed = kept(&scene).iter().filter(|file| file.to_string_lossy().ends_with("-restore.json")).count();
    assert_eq!(signed, 1, "the signed decision is kept: {:?}", kept(&scene));
}

#[test]
fn a_proof_of_something_else_is_no_receipt() {
    let scene = Scene::new();
    operator(&scene);
    scene.lie(|path, body| {
        if !path.ends_with("/proofs") {
            return Lie::Pass;
        }
        let mut proofs: Value = serde_json::from_slice(body).unwrap();
        let list = proofs["proofs"].as_array_mut().unwrap();
        let first = list[0].clone();
        let last = list.last_mut().unwrap();
        last["index"] = first["index"].clone();
        last["proof"] = first["proof"].clone();
        Lie::Body(proofs.to_string().into_bytes())
    });
    let run = decide(&scene, "deprecate").expect(3);
    assert!(run.says("took the decision"), "{run:?}");
    assert_eq!(proofs(&scene), 0);
}
