//! A registry that shows something else than its log says: recomputing finds it.

use retoque_core::digest::Digest;
use retoque_core::log::Head;
use retoque_core::status::{AsOf, Lists, Status};
use retoque_tests::proxy::Lie;
use serde_json::Value;

use super::scene::Scene;

const VERIFY: [&str; 2] = ["log", "verify"];

#[test]
fn the_whole_log_is_recomputed_and_a_lie_is_named_by_its_place() {
    let scene = Scene::new();
    scene.town.operate("deprecate", &Scene::version("1.0.0"), "superseded").expect(0);
    let good = scene.run(&["--json", "log", "verify"]).expect(0).json();
    assert!(good["entries"].as_u64().unwrap() > 5 && good["documents"].as_u64().unwrap() >= 6, "{good}");
    assert_eq!((good["keys_not_shown"].as_u64(), good["published"].as_u64()), (Some(0), Some(1)), "{good}");
    // An entry.
    scene.lie(|path, body| {
        let mut body = body.to_vec();
        if !path.starts_with("/log/tile/entries/") {
            return Lie::Pass;
        }
        body[40] ^= 1;
        Lie::Body(body)
    });
    let run = scene.refused(&VERIFY, "log_entry", 3);
    assert!(run.says("log[0]"), "{run:?}");
    // A tile.
    scene.lie(|path, body| {
        let mut body = body.to_vec();
        if !path.starts_with("/log/tile/0/") {
            return Lie::Pass;
        }
        body[40] ^= 1;
        Lie::Body(body)
    });
    scene.refused(&VERIFY, "tile_invalid", 3);
    // A document that is another one, and one that is left out.
    let change = |change: fn(&mut Vec<Value>)| {
        move |path: &str, body: &[u8]| {
            if !path.ends_with("/decisions") {
                return Lie::Pass;
            }
            let mut list: Vec<Value> = serde_json::from_slice(body).unwrap();
            change(&mut list);
            Lie::Body(serde_json::to_vec(&list).unwrap())
        }
    };
    scene.lie(change(|list| list[2]["envelope"] = list[1]["envelope"].clone()));
    scene.refused(&VERIFY, "decision_replaced", 3);
    scene.lie(change(|list| drop(list.remove(2))));
    scene.refused(&VERIFY, "document_withheld", 3);
    scene.lie(change(|list| list[2]["envelope"] = Value::Null));
    scene.refused(&VERIFY, "document_withheld", 3);
    scene.lie(|path, _| if path.ends_with("/decisions") { Lie::Missing } else { Lie::Pass });
    scene.refused(&VERIFY, "document_withheld", 3);
    scene.be_honest();
    scene.run(&VERIFY).expect(0);
}

/// The operator signs a status that forgets a withdrawal.
#[test]
fn a_status_that_lies_is_proof_against_the_operator() {
    let scene = Scene::new();
    scene.town.operate("withdraw", &Scene::version("1.0.0"), "security").expect(0);
    scene.run(&VERIFY).expect(0);
    let honest = scene.head_json();
    let note = honest["checkpoint"].as_str().unwrap().to_owned();
    let mut lines = note.lines().skip(1);
    let size: u64 = lines.next().unwrap().parse().unwrap();
    let root: [u8; 32] = {
        use base64::Engine as _;
        let bytes = base64::engine::general_purpose::STANDARD.decode(lines.next().unwrap()).unwrap();
        bytes.try_into().unwrap()
    };
    let tree = Head { size, root: Digest::from_bytes(root) };
    let issued = scene.now().plus_seconds(1);
    let as_of = AsOf {
        registry: scene.town.url.clone(),
        origin: scene.origin(),
        size: tree.size,
        root: tree.root,
        issued,
        expires: issued.plus_seconds(3600),
    };
    let lie = Status::new(as_of, Lists::default()).unwrap().sign(&scene.stolen("status")).unwrap();
    let mut head = honest;
    head["status"] = serde_json::to_value(&lie).unwrap();
    scene.answer("/api/v1/head", head.to_string().into_bytes());
    // Who has seen the other status of the same log notices at once; who has not, by recomputing.
    scene.refused(&["log", "watch", "--once"], "status_lie", 3);
    let root = scene.town.dir().join("root.json").display().to_string();
    let newcomer = |args: &[&str]| scene.town.run("newcomer", args);
    newcomer(&["trust", "add", &scene.proxy.url, "--root", &root, "--origin", &scene.town.url, "--default"]).expect(0);
    newcomer(&["log", "watch", "--once"]).expect(0);
    let run = newcomer(&["--json", "log", "verify"]).expect(3);
    assert!(run.json()["code"] == "status_lie" && run.says("withdrawn"), "{run:?}");
}
