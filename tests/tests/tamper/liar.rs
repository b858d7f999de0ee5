//! A registry that lies: `pull` refuses what it says, in whatever way, and leaves nothing under the name of the folder.

use std::fs;

use retoque_core::archive::PIECE;
use retoque_tests::database::Engine;
use retoque_tests::packages::as_version;
use retoque_tests::town::{PATCH, Town};

use super::folder::{Folder, big, mislead, pulled};
use retoque_tests::proxy::{Lie, Proxy};

const WEIGHTS: &str = "adapter_model.safetensors";

/// Has the consumer pull through a proxy with this rule.
fn pull(town: &Town, reference: &str, rule: impl Fn(&str, &[u8]) -> Lie + Send + Sync + 'static) -> (i32, String) {
    let proxy = Proxy::before(&town.url, Box::new(rule));
    mislead(town, &proxy.url);
    // A target of its own, so that nothing proven before is found beside it.
    let target = town.path(&proxy.url.replace(['/', ':'], "-"));
    let args = ["--registry", &proxy.url, "pull", reference, "--dir", target.to_str().unwrap()];
    let run = town.run("consumer", &args);
    assert!(!target.exists() || run.status == 0, "{run:?}");
    let there = fs::read_dir(&target).map_or(0, Iterator::count);
    if run.status == 0 {
        assert_eq!(there, 9);
        fs::remove_dir_all(&target).unwrap();
    }
    (run.status, run.stderr)
}

#[test]
fn no_lie_is_believed() {
    let town = Town::found(Engine::Sqlite);
    let folder = Folder::read(&pulled(&town));
    let other = town.path("other.tar.zst");
    let package = fs::read(town.path("acme-ticket-router-1.0.0.tar.zst")).unwrap();
    fs::write(&other, as_version(&package, "2.0.0")).unwrap();
    town.publish(&other, &format!("{PATCH}@2.0.0"));
    let wanted = &format!("{PATCH}@1.0.0");
    let digest = |version: &str| {
        let view = town.get(&Town::at(&format!("{PATCH}@{version}")), "").json();
        view["digest"].as_str().unwrap().to_owned()
    };
    let (old, new) = (digest("1.0.0"), digest("2.0.0"));

    // An honest proxy shows that the refusals below are about the lies.
    assert_eq!(pull(&town, wanted, |_, _| Lie::Pass).0, 0);
    for (route, name) in [
        ("/release", "release"),
        ("/manifest", "manifest"),
        ("/licence-text", "LICENSE.txt"),
        ("/validation-cases", "validation-cases.json"),
        ("/files/README.md", "README.md"),
        ("/files/adapter_config.json", "adapter_config.json"),
        ("/files/evaluation.json", "evaluation.json"),
        ("/files/adapter_model.safetensors", WEIGHTS),
    ] {
        let flip = pull(&town, wanted, move |path, body| {
            let mut body = body.to_vec();
            let middle = body.len() / 2;
            if !path.ends_with(route) || body.is_empty() {
                return Lie::Pass;
            }
            body[middle] ^= 1;
            Lie::Body(body)
        });
        assert!(flip.0 == 3 && flip.1.contains(name), "a flipped bit in {route}: {flip:?}");
        let cut = pull(&town, wanted, move |path, _| if path.ends_with(route) { Lie::Cut } else { Lie::Pass });
        assert!([3, 7].contains(&cut.0), "a cut {route}: {cut:?}");
        let endless = pull(&town, wanted, move |path, _| if path.ends_with(route) { Lie::Endless } else { Lie::Pass });
        assert!([3, 7].contains(&endless.0), "an endless {route}: {endless:?}");
        // The document of another version, in itself right.
        let (from, to) = (old.clone(), new.clone());
        let swap =
            pull(
                &town,
                wanted,
                move |path, _| {
                    if path.ends_with(route) { Lie::Ask(path.replace(&from, &to)) } else { Lie::Pass }
                },
            );
        let same = folder.0.get(name).is_some_and(|bytes| {
            let path = format!("{}{route}", Town::at(&format!("{PATCH}@2.0.0")));
            town.get(&path, "").body == *bytes
        });
        assert!(swap.0 == if same { 0 } else { 3 }, "{route} of another version: {swap:?}");
        let to = format!("{}/healthz", town.url);
        let away = pull(
            &town,
            wanted,
            move |path, _| {
                if path.ends_with(route) { Lie::Redirect(to.clone()) } else { Lie::Pass }
            },
        );
        assert!([3, 7].contains(&away.0), "{route} elsewhere: {away:?}");
    }
    // Another version altogether, consistent in itself: by its name, and by its digest.
    let (from, to) = (old.clone(), new.clone());
    let everything = move |path: &str| path.replace("/versions/1.0.0", "/versions/2.0.0").replace(&from, &to);
    for reference in [wanted.clone(), format!("{PATCH}@{old}")] {
        let everything = everything.clone();
        let swapped = pull(&town, &reference, move |path, _| Lie::Ask(everything(path)));
        assert_eq!(swapped.0, 3, "{swapped:?}");
    }
    // What a reviewer would sign is about what she asked for, or nothing is signed.
    let everything = everything.clone();
    let proxy = Proxy::before(&town.url, Box::new(move |path, _| Lie::Ask(everything(path))));
    mislead(&town, &proxy.url);
    let review = town.run("consumer", &["--registry", &proxy.url, "show", wanted]);
    assert_eq!(review.status, 3, "{review:?}");
}

#[test]
fn a_piece_that_lies_is_asked_for_again_and_then_refused() {
    let town = Town::found(Engine::Sqlite);
    let reference = big(&town);
    let flip = |path: &str, body: &[u8]| {
        let mut body = body.to_vec();
        if !path.ends_with(WEIGHTS) || body.len() as u64 != PIECE {
            return Lie::Pass;
        }
        body[12345] ^= 1;
        Lie::Body(body)
    };
    let (status, said) = pull(&town, &reference, flip);
    assert!(status == 3 && said.contains(WEIGHTS) && said.contains("piece"), "{status} {said}");
    let endless = |path: &str, _: &[u8]| if path.ends_with(WEIGHTS) { Lie::Endless } else { Lie::Pass };
    let (status, said) = pull(&town, &reference, endless);
    assert!([3, 7].contains(&status), "{status} {said}");
    // The lies are over.
    assert_eq!(pull(&town, &reference, |_, _| Lie::Pass).0, 0);
}
