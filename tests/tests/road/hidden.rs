//! A private patch is not there for those without rights: the same answer as for a patch that never was, on every route
//! and verb; and a candidate of a public patch is hidden in the same way.

use reqwest::Method;
use retoque_core::digest::Digest;
use retoque_core::lifecycle::Action;
use retoque_tests::database::Engine;
use retoque_tests::registry::Answer;
use retoque_tests::town::{PATCH, PRIVATE, Town};
use serde_json::json;

retoque_tests::on_both!(strangers_see_nothing);

/// Every route below a version.
const ROUTES: [&str; 13] = [
    "",
    "/manifest",
    "/attestation",
    "/release",
    "/licence-text",
    "/validation-cases",
    "/licence",
    "/package",
    "/evidence",
    "/decisions",
    "/review",
    "/files/adapter_model.safetensors",
    "/files/manifest.json",
];

fn strangers_see_nothing(engine: Engine) {
    let town = Town::found(engine);
    let published = format!("{PRIVATE}@1.0.0");
    town.publish(&town.pack(PRIVATE, "1.0.0", &[]), &published);
    let candidate = format!("{PATCH}@1.0.0");
    town.push(&town.pack(PATCH, "1.0.0", &[])).expect(0);

    // Those with rights see it.
    for who in ["ada", "paul", "rita", "operator"] {
        assert_eq!(town.get(&Town::at(&published), who).status, 200, "{who}");
        let part = town.request(Method::GET, &format!("{}/package", Town::at(&published)), who);
        assert_eq!(town.send(part.header("range", "bytes=0-9")).status, 206, "{who}");
    }
    town.ok("paul", &["pull", PRIVATE, "--dir", "mine"]);

    let digest = town.get(&Town::at(&published), "ada").json()["digest"].as_str().unwrap().to_owned();
    let read = town.new_token("ada", &["--org", "acme"]);
    assert_eq!(town.get(&Town::at(&published), &read).status, 200, "a token of the org");
    let elsewhere = town.new_token("rita", &["--org", "other"]);
    // What may be done is said for the token that is used, not for its account.
    let allowed = |who: &str| town.get(&Town::at(&candidate), who).expect(200).json()["allowed_actions"].clone();
    assert_eq!(allowed("ada"), json!(["submit"]));
    assert_eq!(allowed(&town.new_token("ada", &["--scope", "read"])), json!([]));
    let missing = "acme/never-was@1.0.0".to_owned();
    for who in ["", "eve", &elsewhere] {
        for version in [&published, &format!("{PRIVATE}@{digest}"), &candidate] {
            check(&town, who, version, &missing);
        }
        let patch = |name: &str| town.get(&format!("/api/v1/patches/{name}"), who);
        same(&patch(PRIVATE), &patch("acme/never-was"), "the patch");
        let list = |name: &str| town.get(&format!("/api/v1/patches/{name}/versions"), who);
        same(&list(PRIVATE), &list("acme/never-was"), "the listing");
        let found = town.get("/api/v1/patches?limit=100", who).expect(200).json().to_string();
        assert!(!found.contains("secret-router"), "{found}");
    }
    for command in ["show", "decisions", "pull"] {
        assert_eq!(town.run("eve", &[command, &published]).status, 6, "{command}");
        assert_eq!(town.run("consumer", &[command, &published]).status, 6, "{command}");
    }
}

/// Every route and verb of `version` answers as that of a version that never was.
fn check(town: &Town, who: &str, version: &str, missing: &str) {
    let both = |method: &Method, route: &str, range: bool| {
        [version, missing].map(|at| {
            let request = town.request(method.clone(), &format!("{}{route}", Town::at(at)), who);
            town.send(if range { request.header("range", "bytes=0-3") } else { request })
        })
    };
    for route in ROUTES {
        for (method, range) in [(Method::GET, false), (Method::GET, true), (Method::HEAD, false)] {
            let [hidden, never] = both(&method, route, range);
            same(&hidden, &never, &format!("{method} {route} range {range} for {who:?}"));
        }
        // A tag that would match does not give it away either.
        let request = town.request(Method::GET, &format!("{}{route}", Town::at(version)), who);
        assert_ne!(town.send(request.header("if-none-match", "*")).status, 304, "{route}");
    }
    // A decision is refused before anything in it is looked at.
    let signer = if who.is_empty() { "eve" } else { who };
    let actor = if signer.starts_with("rtq_") { "rita" } else { signer };
    let (decision, manifest) = match version.contains("sha256:") {
        true => return,
        false => town.decision(version, actor, Action::Withdraw),
    };
    let envelope = decision.sign(manifest, &town.key(actor)).unwrap();
    let [hidden, never] = [version, missing].map(|at| town.decide(at, who, &envelope));
    same(&hidden, &never, &format!("a decision of {who:?}"));
    // So is a push, which is not told what is there.
    let body = json!({ "package": Digest::of(b"x").to_string(), "record": {} });
    let [hidden, never] =
        [version, missing].map(|at| town.send(town.request(Method::PUT, &Town::at(at), who).json(&body)));
    if version.starts_with(PRIVATE) {
        same(&hidden, &never, &format!("a push of {who:?}"));
    }
}

/// The same answer but for the request's own id, and it says that there is nothing or that a token is needed.
#[track_caller]
fn same(hidden: &Answer, never: &Answer, what: &str) {
    assert!([401, 404].contains(&hidden.status.as_u16()), "{what}: {}", hidden.status);
    assert_eq!(hidden.status, never.status, "{what}");
    let strip = |answer: &Answer| {
        let mut body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if let Some(object) = body.as_object_mut() {
            object.remove("request_id");
        }
        let mut names: Vec<_> = answer.headers.keys().map(|name| name.as_str().to_owned()).collect();
        names.sort();
        (body, names)
    };
    assert_eq!(strip(hidden), strip(never), "{what}");
}
