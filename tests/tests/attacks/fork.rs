//! Two registries with the same keys show two clients two histories.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use retoque_core::log::SignedCheckpoint;
use retoque_core::sign::{KeySet, Signer as _};
use retoque_tests::programs::Service;

use super::scene::{Scene, check};

/// The second registry: a copy of the first whose database went another way, at another address.
struct Twin {
    url: String,
    _service: Service,
}

impl Twin {
    /// Lets the copy publish a version of its own, then the first registry another.
    fn of(scene: &Scene) -> Self {
        let (town, here) = (&scene.town, scene.town.dir());
        let (first, second) = (town.path("first"), town.path("second"));
        town.kill();
        let copied = Command::new("cp").arg("-r").arg(&here).arg(&first).status().unwrap();
        assert!(copied.success());
        town.start();
        scene.publish("2.0.0");
        town.kill();
        fs::rename(&here, &second).unwrap();
        fs::rename(&first, &here).unwrap();
        town.start();
        scene.accomplices_forget();
        scene.publish("3.0.0");
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let settings = second.join("config.toml");
        let text = fs::read_to_string(&settings).unwrap();
        let listen = format!("listen = \"{}\"", town.url.strip_prefix("http://").unwrap());
        assert!(text.contains(&listen), "{text}");
        fs::write(&settings, text.replace(&listen, &format!("listen = \"{free}\""))).unwrap();
        let service = Service::start(&second, &town.path("second.log"));
        Self { url: format!("http://{free}"), _service: service }
    }
}

#[test]
fn clients_that_compare_find_the_fork_and_can_prove_it() {
    let scene = Scene::new();
    scene.pulled("1.0.0");
    let twin = Twin::of(&scene);
    // Each history is consistent in itself.
    scene.pulled("3.0.0");
    let root = scene.town.dir().join("root.json").display().to_string();
    scene.town.ok("other", &["trust", "add", &twin.url, "--root", &root, "--origin", &scene.town.url]);
    let pulled = scene.town.path("elsewhere").display().to_string();
    scene.town.ok("other", &["pull", &Scene::version("2.0.0"), "--dir", &pulled]);
    // By asking the address that the other one uses.
    let run = scene.refused(&["log", "watch", "--once", "--compare", &twin.url], "log_fork", 3);
    assert!(run.says("two histories"), "{run:?}");
    let proofs = scene.proofs();
    assert_eq!(proofs.len(), 1, "{proofs:?}");
    // Anybody who has the log's key can check the proof.
    let key = scene.stolen("log").public().clone();
    let keys = KeySet::new("log", [key], 1);
    let notes: Vec<&str> = proofs[0].split("===\n\n").skip(1).map(|part| part.split("\n===").next().unwrap()).collect();
    assert_eq!(notes.len(), 2);
    for note in notes {
        let note = SignedCheckpoint::parse(format!("{}\n", note.trim_end()).as_bytes()).unwrap();
        note.verify(&scene.origin(), &keys).unwrap();
    }
    // By the file that the other one remembers, and into a folder of choice.
    let state = remembered(&scene);
    let folder = scene.town.path("proof");
    fs::create_dir(&folder).unwrap();
    let args = ["log", "watch", "--once", "--compare", &state, "--proof", folder.to_str().unwrap()];
    scene.refused(&args, "log_fork", 3);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // Oneself, and a mirror that is behind, is no fork.
    scene.run(&["log", "watch", "--once", "--compare", &scene.town.url]).expect(0);
}

#[test]
fn a_client_that_is_moved_to_the_other_history_notices() {
    let scene = Scene::new();
    let twin = Twin::of(&scene);
    let folder = scene.pulled("3.0.0").display().to_string();
    let to = twin.url.clone();
    scene.lie(move |path, _| {
        let body = retoque_tests::proxy::fetch(&to, path);
        body.map_or(retoque_tests::proxy::Lie::Missing, retoque_tests::proxy::Lie::Body)
    });
    scene.refused_pull("2.0.0", "log_fork", 3);
    // A folder that was proven in the other history does not pass for one of this.
    let root = scene.town.dir().join("root.json").display().to_string();
    scene.town.ok("other", &["trust", "add", &twin.url, "--root", &root, "--origin", &scene.town.url]);
    let foreign = scene.town.path("elsewhere").display().to_string();
    scene.town.ok("other", &["pull", &Scene::version("2.0.0"), "--dir", &foreign]);
    scene.be_honest();
    scene.run(&["verify", &folder]).expect(0);
    check(&scene.run(&["--json", "verify", &foreign]), "log_fork", 3);
}

/// The other client's file.
fn remembered(scene: &Scene) -> String {
    let trust = scene.town.home("other").join("trust");
    let registry = fs::read_dir(trust).unwrap().next().unwrap().unwrap().path();
    let log = fs::read_dir(registry.join("logs")).unwrap().next().unwrap().unwrap().path();
    log.join("log.json").display().to_string()
}
