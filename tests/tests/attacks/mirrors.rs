//! Mirrors that lie, are behind, hold back or are not there: the pull ends well and says which one it was.

use retoque_tests::proxy::{Lie, Proxy};

use super::scene::Scene;

fn mirror(scene: &Scene, rule: impl Fn(&str, &[u8]) -> Lie + Send + Sync + 'static) -> Proxy {
    Proxy::before(&scene.town.url, Box::new(rule))
}

#[test]
fn the_report_names_the_mirror_that_lied() {
    let scene = Scene::new();
    let flip = |name: &'static str| {
        move |path: &str, body: &[u8]| {
            let mut body = body.to_vec();
            if !path.contains(name) || body.is_empty() {
                return Lie::Pass;
            }
            let middle = body.len() / 2;
            body[middle] ^= 1;
            Lie::Body(body)
        }
    };
    for what in ["/files/adapter_model.safetensors", "/files/README.md", "/release", "/manifest", "/head", "/listing"] {
        let liar = mirror(&scene, flip(what));
        let run = scene.pull(&Scene::version("1.0.0"), &["--mirror", &liar.url]).expect(0);
        let faults = run.json()["mirror_faults"].as_array().cloned().unwrap_or_default();
        assert!(!faults.is_empty(), "{what}: {run:?}");
        assert!(faults.iter().all(|fault| fault["mirror"] == liar.url.as_str()), "{faults:?}");
        assert!(run.stderr.contains(&liar.url), "{run:?}");
    }
    // An honest one has no fault, and is asked first: the registry is only asked for roots.
    let honest = mirror(&scene, |_, _| Lie::Pass);
    scene.lie(|path, _| if path.starts_with("/trust/") { Lie::Pass } else { Lie::Missing });
    let run = scene.pull(&Scene::version("1.0.0"), &["--mirror", &honest.url]).expect(0);
    assert!(run.json()["mirror_faults"].is_null(), "{run:?}");
    // The second mirror has what the first holds back.
    let empty = mirror(&scene, |_, _| Lie::Missing);
    let args = ["--mirror", &empty.url, "--mirror", &honest.url];
    let run = scene.pull(&Scene::version("1.0.0"), &args).expect(0);
    assert!(run.json()["mirror_faults"].to_string().contains(&empty.url), "{run:?}");
}

#[test]
fn a_mirror_that_is_behind_is_passed_over() {
    let scene = Scene::new();
    let (head, listing) = (scene.head(), scene.get("/api/v1/patches/acme/ticket-router/listing"));
    scene.publish("2.0.0");
    scene.pulled("2.0.0");
    let old = mirror(&scene, move |path, _| match path {
        "/api/v1/head" => Lie::Body(head.clone()),
        _ if path.ends_with("/listing") => Lie::Body(listing.clone()),
        _ => Lie::Pass,
    });
    let run = scene.pull("acme/ticket-router", &["--mirror", &old.url]).expect(0);
    assert_eq!(run.json()["version"], "2.0.0");
    assert!(run.says("log_rollback"), "{run:?}");
}

#[test]
fn endless_answers_end() {
    let scene = Scene::new();
    for what in ["/api/v1/head", "/listing", "/log/tile/", "/trust/", "/release"] {
        if what == "/log/tile/" {
            scene.be_honest();
            // Tiles are needed when something is remembered and the log has grown.
            scene.pulled("1.0.0");
            scene.publish("2.0.0");
        }
        scene.lie(move |path, _| if path.contains(what) { Lie::Endless } else { Lie::Pass });
        let run = scene.pull(&Scene::version("1.0.0"), &[]);
        assert_eq!((run.status, run.json()["code"].as_str()), (7, Some("response_too_large")), "{what}: {run:?}");
    }
    scene.be_honest();
    scene.pulled("1.0.0");
}
