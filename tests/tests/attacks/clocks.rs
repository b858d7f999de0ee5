//! Clocks that are wrong, and a root that has expired.

use super::scene::{Scene, check};

#[test]
fn a_clock_that_is_behind_is_named_with_both_times() {
    let scene = Scene::new();
    let reference = Scene::version("1.0.0");
    let before = scene.remembered();
    let target = scene.target().display().to_string();
    let behind = scene.run_later(-3600, &["--json", "pull", &reference, "--dir", &target]);
    check(&behind, "clock_behind", 8);
    let said = behind.json().to_string();
    let here = scene.now().plus_seconds(-3600).to_string();
    assert!(said.contains(&here[..13]) && said.contains(&scene.now().to_string()[..11]), "{said}");
    assert!(scene.remembered() == before);
    // A little is no matter.
    scene.run_later(-120, &["pull", &reference, "--dir", &target]).expect(0);
}

#[test]
fn an_expired_root_is_stale() {
    let scene = Scene::new();
    let folder = scene.pulled("1.0.0").display().to_string();
    let years = 3 * 365 * 86_400;
    let target = scene.target().display().to_string();
    let pull = scene.run_later(years, &["--json", "pull", &Scene::version("1.0.0"), "--dir", &target]);
    check(&pull, "root_expired", 8);
    check(&scene.run_later(years, &["--json", "verify", &folder]), "root_expired", 8);
    let allowed = scene.run_later(years, &["verify", &folder, "--allow-stale"]).expect(0);
    assert!(allowed.says("expired"), "{allowed:?}");
}
