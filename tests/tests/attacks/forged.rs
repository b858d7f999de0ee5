//! Stolen keys: what each of them is not enough for.

use std::collections::BTreeSet;

use retoque_core::digest::Digest;
use retoque_core::lifecycle::Action;
use retoque_core::log::{Checkpoint, Frontier, Head, Tile, bundle, cosignature, leaf_hash};
use retoque_core::manifest::Manifest;
use retoque_core::release::Release;
use retoque_core::sign::provenance::{Build, Provenance};
use retoque_core::sign::root::RootBuilder;
use retoque_core::sign::statement::Statement;
use retoque_core::sign::{Root, SecretKey, Signer};
use retoque_core::status::{AsOf, Lists, Status};
use retoque_tests::proxy::Lie;
use serde_json::{Value, json};

use super::scene::Scene;

/// The release of version 1.0.0 and its manifest, as the registry serves them.
fn genuine(scene: &Scene) -> (Release, Manifest) {
    let at = "/api/v1/patches/acme/ticket-router/versions/1.0.0";
    let release = Release::parse(&scene.get(&format!("{at}/release"))).unwrap();
    (release, Manifest::from_bytes(&scene.get(&format!("{at}/manifest"))).unwrap())
}

/// Answers release and manifest of this digest with these.
fn serve(scene: &Scene, release: &Release, manifest: &Manifest) -> String {
    let (release_bytes, manifest_bytes) = (release.to_bytes().unwrap(), manifest.to_bytes().unwrap());
    let digest = Digest::of(&manifest_bytes);
    let at = format!("/api/v1/patches/acme/ticket-router/versions/{digest}");
    scene.lie(move |path, _| match path.strip_prefix(at.as_str()) {
        Some("/release") => Lie::Body(release_bytes.clone()),
        Some("/manifest") => Lie::Body(manifest_bytes.clone()),
        _ => Lie::Pass,
    });
    format!("acme/ticket-router@{digest}")
}

/// Another build statement over a manifest, by the stolen key.
fn attest(scene: &Scene, release: &mut Release, manifest: &Manifest) {
    let said = Statement::<Provenance>::parse_unverified(release.attestation.payload_unverified()).unwrap();
    let package = said.subject("package.tar.zst").unwrap();
    let said = said.into_predicate();
    let build = Build {
        registry: &release.registry,
        manifest,
        manifest_digest: release.manifest_digest,
        package,
        pusher: &said.build_definition.external_parameters.pusher,
        time: said.run_details.metadata.finished_on.plus_seconds(1),
    };
    release.attestation = build.statement().sign(&[&scene.stolen("build")]).unwrap();
}

/// The codes of all findings of a refused pull.
#[track_caller]
fn codes(scene: &Scene, reference: &str) -> BTreeSet<String> {
    let before = scene.remembered();
    let run = scene.pull(reference, &[]).expect(3);
    // The honest head is remembered; of the forgery nothing is.
    let logs = |all: std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| {
        all.into_iter().filter(|(path, _)| path.ends_with("pin.json")).collect::<Vec<_>>()
    };
    assert_eq!(logs(before), logs(scene.remembered()));
    let said = run.json();
    let findings = said["findings"].as_array().cloned().unwrap_or_default();
    let codes = findings.iter().map(|f| f["code"].as_str().unwrap().to_owned());
    codes.chain([said["code"].as_str().unwrap().to_owned()]).collect()
}

#[test]
fn a_stolen_build_key_makes_nothing_acceptable() {
    let scene = Scene::new();
    let (release, manifest) = genuine(&scene);
    // The same package, signed again: the log has the other signature.
    let mut again = release.clone();
    attest(&scene, &mut again, &manifest);
    let found = codes(&scene, &serve(&scene, &again, &manifest));
    assert!(found.contains("leaf_mismatch"), "{found:?}");
    // Another package, which depends on another base: nobody approved it, and it is not in the log.
    let mut evil = manifest;
    evil.base.files[0].size += 1;
    let mut forged = release;
    forged.manifest_digest = Digest::of(&evil.to_bytes().unwrap());
    attest(&scene, &mut forged, &evil);
    let reference = serve(&scene, &forged, &evil);
    let found = codes(&scene, &reference);
    assert!(found.contains("subject_mismatch") && found.contains("leaf_mismatch"), "{found:?}");
    // With the log's key and the status key too there is still no reviewer's.
    let now = scene.now();
    let name = (forged.patch.clone(), forged.version.clone());
    let decision = retoque_core::decision::Decision::new(
        &scene.town.url,
        Action::Approve,
        "rita".parse().unwrap(),
        name,
        forged.attestation.payload_digest(),
        now,
    );
    forged.approval = decision.sign(forged.manifest_digest, &scene.stolen("log")).unwrap();
    let found = codes(&scene, &serve(&scene, &forged, &evil));
    assert!(found.contains("wrong_role"), "{found:?}");
}

/// A head by stolen keys.
struct Forger<'a> {
    scene: &'a Scene,
    log: SecretKey,
    status: SecretKey,
}

impl<'a> Forger<'a> {
    fn new(scene: &'a Scene) -> Self {
        Self { scene, log: scene.stolen("log"), status: scene.stolen("status") }
    }

    fn head(&self, tree: Head, status_key: &dyn Signer) -> Vec<u8> {
        let origin = self.scene.origin();
        // The registry's own status has fractions of a second; this one is not older.
        let now = self.scene.now().plus_seconds(1);
        let checkpoint = Checkpoint::new(&origin, tree).unwrap();
        let mut note = checkpoint.sign(&self.log).unwrap();
        note.put(cosignature::sign(&checkpoint, &origin, &self.log, now).unwrap());
        let as_of = AsOf {
            registry: self.scene.town.url.clone(),
            origin,
            size: tree.size,
            root: tree.root,
            issued: now,
            expires: now.plus_seconds(3600),
        };
        let status = Status::new(as_of, Lists::default()).unwrap().sign(status_key).unwrap();
        json!({ "checkpoint": note.to_string(), "status": status }).to_string().into_bytes()
    }
}

/// The entries of the real log and those that the attacker adds.
fn entries(scene: &Scene) -> Vec<u8> {
    let added = (0..200_u32).map(u32::to_be_bytes).collect::<Vec<_>>();
    let real = scene.get(&format!("/log/tile/entries/000.p/{}", size(scene)));
    [real, bundle::write(added.iter().map(|entry| &entry[..])).unwrap()].concat()
}

/// The leaves of the real log.
fn leaves(scene: &Scene) -> Vec<Digest> {
    let size = size(scene);
    assert!(size < 256, "one bundle is read here");
    let bytes = scene.get(&format!("/log/tile/0/000.p/{size}"));
    Tile::in_tree(size, 0, 0).unwrap().hashes(&bytes).unwrap()
}

fn size(scene: &Scene) -> u64 {
    let note = scene.head_json()["checkpoint"].as_str().unwrap().to_owned();
    note.lines().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_stolen_log_key_does_not_sign_a_status_and_has_no_tree() {
    let scene = Scene::new();
    scene.pulled("1.0.0");
    let forger = Forger::new(&scene);
    let tree = Head { size: 1 << 40, root: Digest::of(b"no tree at all") };
    scene.answer("/api/v1/head", forger.head(tree, &forger.log));
    scene.refused_pull("1.0.0", "wrong_role", 3);
    // With the status key as well: a size without a tree behind it.
    scene.answer("/api/v1/head", forger.head(tree, &forger.status));
    scene.refused_pull("1.0.0", "tile_invalid", 3);
    // As large as what is remembered, but other.
    let tree = Head { size: size(&scene), ..tree };
    scene.answer("/api/v1/head", forger.head(tree, &forger.status));
    scene.refused_pull("1.0.0", "log_fork", 3);
    scene.be_honest();
    scene.pulled("1.0.0");
}

#[test]
fn fast_forward_is_recovered_from_by_a_new_name_of_the_log() {
    let scene = Scene::new();
    scene.pulled("1.0.0");
    // The attacker has both keys and does the work: a real tree that goes on from the real log.
    let forger = Forger::new(&scene);
    let all: Vec<Digest> =
        leaves(&scene).into_iter().chain((0..200_u32).map(|n| leaf_hash(&n.to_be_bytes()))).collect();
    let tree = all.iter().copied().collect::<Frontier>().head();
    let (head, mut tiles) = (forger.head(tree, &forger.status), tiles(&all));
    tiles.push((format!("entries/000.p/{}", tree.size), entries(&scene)));
    scene.lie(move |path, _| match path.strip_prefix("/log/tile/") {
        Some(tile) => tiles.iter().find(|(name, _)| name == tile).map_or(Lie::Missing, |(_, b)| Lie::Body(b.clone())),
        None if path == "/api/v1/head" => Lie::Body(head.clone()),
        None => Lie::Pass,
    });
    scene.run(&["log", "watch", "--once"]).expect(0);
    // The attacker is gone; the real log is smaller than what was seen, for as long as it has this name.
    scene.be_honest();
    scene.refused_pull("1.0.0", "log_rollback", 3);
    rename_log(&scene, "recovered.example/log");
    scene.town.kill();
    scene.town.start();
    scene.pulled("1.0.0");
    let names: Vec<String> = scene.remembered().into_keys().map(|path| path.display().to_string()).collect();
    assert!(names.iter().any(|name| name.contains("recovered.example")), "{names:?}");
}

/// The tiles of these leaves, of their full width and every smaller one.
fn tiles(leaves: &[Digest]) -> Vec<(String, Vec<u8>)> {
    let bytes = |part: &[Digest]| part.iter().flat_map(|hash| *hash.as_bytes()).collect::<Vec<u8>>();
    let mut all = Vec::new();
    for (index, part) in leaves.chunks(256).enumerate() {
        for width in 1..=part.len() {
            let tile = Tile::in_tree((index * 256 + width) as u64, 0, index as u64).unwrap();
            all.push((tile.to_string(), bytes(&part[..width])));
        }
    }
    let roots: Vec<Digest> =
        (leaves.chunks_exact(256)).map(|part| part.iter().copied().collect::<Frontier>().root()).collect();
    for width in 1..=roots.len() {
        all.push((Tile::in_tree(256 * width as u64, 1, 0).unwrap().to_string(), bytes(&roots[..width])));
    }
    all
}

/// The operator's ceremony: the next root gives the log another name.
fn rename_log(scene: &Scene, name: &str) {
    let root = Root::trust(&scene.get("/trust/root.json"), None).unwrap();
    let key = |n: u8| {
        let file = scene.town.dir().join(format!("keys/root-{n}.pem"));
        SecretKey::from_pem(&std::fs::read_to_string(file).unwrap()).unwrap()
    };
    let builder = RootBuilder::after(&root, root.expires()).origin(name, Some(scene.origin()));
    let next = builder.sign(&[&key(1), &key(2)]).unwrap();
    let request = scene.town.request(reqwest::Method::POST, "/api/v1/root", "operator");
    let request = request.header("content-type", "application/json").body(next.to_bytes());
    scene.town.send(request).expect(201);
}

/// Somebody has the token of a reviewer, but not her key.
#[test]
fn a_stolen_token_approves_nothing() {
    let scene = Scene::new();
    let reference = Scene::version("2.0.0");
    let package = std::fs::read(scene.town.path("acme-ticket-router-1.0.0.tar.zst")).unwrap();
    let path = scene.town.path("two.tar.zst");
    std::fs::write(&path, retoque_tests::packages::as_version(&package, "2.0.0")).unwrap();
    scene.town.push(&path).expect(0);
    scene.town.submit(&reference).expect(0);
    let (mut decision, manifest) = scene.town.decision(&reference, "rita", Action::Approve);
    decision.checklist = Some(retoque_core::review::Checklist::COMPLETE);
    let view = scene.town.get("/api/v1/whoami", "rita").json();
    decision.disclosure = view["account"]["disclosure"].as_str().map(str::to_owned);
    for key in [scene.town.key("eve"), scene.stolen("log"), SecretKey::from_seed(&[9; 32]).unwrap()] {
        let envelope = decision.clone().sign(manifest, &key).unwrap();
        let answer = scene.town.decide(&reference, "rita", &envelope);
        assert!((400..500).contains(&answer.status.as_u16()), "{answer:?}");
    }
    let state: Value = scene.town.get(&retoque_tests::town::Town::at(&reference), "rita").json();
    assert_eq!(state["state"], "submitted");
    assert_eq!(scene.town.kinds(&reference, "ada"), ["attested", "submitted"]);
}
