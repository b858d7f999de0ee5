//! Two pushes of one version at the same time: the database says which one it is.

use std::fs;

use reqwest::Method;
use retoque_core::digest::Digest;
use retoque_tests::database::Engine;
use retoque_tests::packages::{Parts, as_version};
use retoque_tests::registry::answer;
use retoque_tests::town::{PATCH, Town};

retoque_tests::on_both!(racing_pushes_end_in_one_version);

/// Rounds of each kind.
const ROUNDS: u32 = 12;

fn racing_pushes_end_in_one_version(engine: Engine) {
    let town = Town::found(engine);
    let package = fs::read(town.pack(PATCH, "1.0.0", &[])).unwrap();
    for round in 0..ROUNDS {
        // Different bytes: the first is the version, the other is told both digests.
        let version = format!("1.{round}.0");
        let one = as_version(&package, &version);
        let mut other = Parts::of(&one);
        other.manifest.dataset.source = "own-written".to_owned();
        let other = other.package();
        let digests = [manifest_digest(&one), manifest_digest(&other)];
        let answers = race(&town, &version, [one.clone(), other]);
        let winner = usize::from(answers[0].status == 409);
        assert_eq!(answers.each_ref().map(|a| a.status.as_u16()).iter().sum::<u16>(), 201 + 409, "{answers:?}");
        assert_eq!(answers[winner].json()["digest"], digests[winner].to_string());
        let refusal = &answers[1 - winner];
        assert_eq!(refusal.refused(409), "version_exists");
        let text = String::from_utf8_lossy(&refusal.body).into_owned();
        assert!(digests.iter().all(|digest| text.contains(&digest.to_string())), "{text}");
        let stored = town.get(&Town::at(&format!("{PATCH}@{version}")), "worker").expect(200).json();
        assert_eq!(stored["digest"], digests[winner].to_string());

        // Identical bytes: both succeed, and one of them made it.
        let version = format!("2.{round}.0");
        let same = as_version(&package, &version);
        let answers = race(&town, &version, [same.clone(), same.clone()]);
        let mut statuses = answers.each_ref().map(|a| a.status.as_u16());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 201], "{answers:?}");
        assert!(answers.iter().all(|a| a.json()["digest"] == manifest_digest(&same).to_string()));
        assert_eq!(town.kinds(&format!("{PATCH}@{version}"), "worker"), ["attested"]);
    }
    let staged: Vec<_> = town.stored().into_keys().filter(|path| path.starts_with("staging/")).collect();
    assert!(staged.is_empty(), "{staged:?}");
    // What was won is whole.
    let reference = format!("{PATCH}@1.0.0");
    assert_eq!(town.get(&format!("{}/package", Town::at(&reference)), "rita").status, 200);
}

/// Uploads both, then asks for the version twice at once.
fn race(town: &Town, version: &str, packages: [Vec<u8>; 2]) -> [retoque_tests::registry::Answer; 2] {
    let bodies = packages.map(|package| town.push_body(&town.upload(package, "worker"), "worker"));
    let path = Town::at(&format!("{PATCH}@{version}"));
    let [one, other] = bodies.map(|body| answer(town.request(Method::PUT, &path, "worker").json(&body)));
    let (one, other) = town.wait(async { tokio::join!(one, other) });
    [one, other]
}

fn manifest_digest(package: &[u8]) -> Digest {
    Digest::of(&Parts::of(package).manifest.to_bytes().unwrap())
}
