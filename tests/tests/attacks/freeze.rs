//! The world stands still: an attacker replays what was genuine yesterday.

use retoque_tests::proxy::Lie;

use super::scene::{Scene, check};

const DAY: i64 = 86_400;

#[test]
fn yesterdays_head_is_stale_today() {
    let scene = Scene::new();
    let folder = scene.pulled("1.0.0").display().to_string();
    let (head, listing) = (scene.head(), scene.get("/api/v1/patches/acme/ticket-router/listing"));
    scene.town.operate("withdraw", &Scene::version("1.0.0"), "security").expect(0);
    scene.lie(move |path, _| match path {
        "/api/v1/head" => Lie::Body(head.clone()),
        _ if path.ends_with("/listing") => Lie::Body(listing.clone()),
        _ => Lie::Pass,
    });
    let before = scene.remembered();
    let target = scene.target().display().to_string();
    let reference = Scene::version("1.0.0");
    let later = scene.run_later(DAY + 3600, &["--json", "pull", &reference, "--dir", &target]);
    assert_eq!(later.status, 8, "{later:?}");
    let code = later.json()["code"].as_str().unwrap().to_owned();
    assert!(["checkpoint_stale", "status_expired"].contains(&code.as_str()), "{code}");
    assert!(scene.remembered() == before);
    // Offline it verifies as of what is remembered, says of when that is, and binds when that is asked for.
    let offline = scene.run_later(DAY + 3600, &["verify", &folder]).expect(0);
    assert!(offline.says("status as of"), "{offline:?}");
    check(&scene.run_later(DAY + 3600, &["--json", "verify", &folder, "--max-age", "24h"]), &code, 8);
    scene.run_later(DAY + 3600, &["verify", &folder, "--max-age", "3d"]).expect(8);
    // The user may go on, and is told.
    let stale = scene.run_later(DAY + 3600, &["pull", &reference, "--dir", &folder, "--allow-stale"]).expect(0);
    assert!(stale.says("STALE") && stale.stderr.contains("warning"), "{stale:?}");
    // The attacker lets go.
    scene.be_honest();
    check(&scene.run(&["--json", "pull", &reference, "--dir", &target]), "version_withdrawn", 4);
    scene.run(&["log", "watch", "--once"]).expect(0);
    check(&scene.run(&["--json", "verify", &folder]), "version_withdrawn", 4);
}

#[test]
fn a_pinned_digest_needs_no_request_while_the_head_is_fresh_and_the_head_alone_afterwards() {
    let scene = Scene::new();
    let folder = scene.pulled("1.0.0").display().to_string();
    let verified = scene.run(&["--json", "verify", &folder]).expect(0).json();
    let pinned = format!("acme/ticket-router@{}", verified["manifest"].as_str().unwrap());
    scene.lie(|_, _| Lie::Missing);
    scene.run(&["pull", &pinned, "--dir", &folder]).expect(0);
    let later = scene.run_later(DAY + 60, &["pull", &pinned, "--dir", &folder]);
    assert_ne!(later.status, 0, "a day later it has to ask: {later:?}");
    scene.be_honest();
    scene.town.operate("withdraw", &Scene::version("1.0.0"), "security").expect(0);
    // What is remembered is fresh enough not to ask; once it asks, it knows.
    scene.run(&["pull", &pinned, "--dir", &folder]).expect(0);
    scene.run(&["log", "watch", "--once"]).expect(0);
    check(&scene.run(&["--json", "pull", &pinned, "--dir", &folder]), "version_withdrawn", 4);
}
