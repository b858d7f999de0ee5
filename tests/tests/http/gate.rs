//! Who may do what, over every route and verb. One table per kind of thing; a cell is the status.

use reqwest::Method;
use retoque_tests::registry::answer;
use serde_json::json;

use crate::world::{World, base_record, declaration};

/// Expected statuses, in the order of [`World::everybody`].
type Row = (Method, &'static str, [u16; 8]);

/// Asks everybody each question without a body; what a body would be refused for is never reached without the right.
async fn check(world: &World, rows: &[Row]) {
    for (method, path, expected) in rows {
        let mut found = [0; 8];
        for (at, (who, token)) in world.everybody().into_iter().enumerate() {
            let answer = answer(world.registry.request(method.clone(), path, token)).await;
            found[at] = answer.status.as_u16();
            if answer.status.as_u16() >= 400 && *method != Method::HEAD {
                let code = answer.refused(found[at]);
                let by_status = match found[at] {
                    401 => "token_missing",
                    403 => "not_allowed",
                    404 => "not_found",
                    _ => &code,
                };
                assert_eq!(code, by_status, "{who} {method} {path}");
            }
        }
        assert_eq!(found, *expected, "{method} {path}");
    }
}

/// The same row for `GET` and `HEAD`.
fn read(path: &'static str, expected: [u16; 8]) -> [Row; 2] {
    [(Method::GET, path, expected), (Method::HEAD, path, expected)]
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_follows_the_matrix_for_get_and_head() {
    let world = World::new().await;
    world.patch("acme/secret-desk", "private").await;
    world.patch("acme/public-desk", "public").await;
    //                        nobody stranger member publisher admin build review operate
    let anyone = [200; 8];
    let signed_in = [401, 200, 200, 200, 200, 200, 200, 200];
    let operators = [401, 403, 403, 403, 403, 403, 403, 200];
    let of_the_org = [404, 404, 200, 200, 200, 404, 404, 200];
    let of_the_patch = [404, 404, 200, 200, 200, 200, 200, 200];
    let nothing = [404; 8];
    let rows = [
        read("/healthz", anyone),
        read("/readyz", anyone),
        read("/trust/root.json", anyone),
        read("/api/v1", anyone),
        read("/api/v1/bases", anyone),
        read("/api/v1/bases/acme/tiny-base/0123456789abcdef0123456789abcdef01234567", anyone),
        read("/api/v1/patches", anyone),
        read("/api/v1/whoami", signed_in),
        read("/api/v1/tokens", signed_in),
        read("/api/v1/keys", signed_in),
        read("/api/v1/suites", signed_in),
        read("/api/v1/orgs", signed_in),
        read("/api/v1/accounts", operators),
        read("/api/v1/accounts/operator", operators),
        read("/api/v1/tokens?account=operator", [401, 403, 403, 403, 403, 403, 403, 200]),
        read("/api/v1/keys?account=operator", [401, 403, 403, 403, 403, 403, 403, 200]),
        read("/api/v1/orgs/acme", of_the_org),
        read("/api/v1/orgs/nowhere", nothing),
        // A public patch is hidden until a version of it was published.
        read("/api/v1/patches/acme/public-desk", of_the_patch),
        read("/api/v1/patches/acme/secret-desk", of_the_patch),
        read("/api/v1/patches/acme/missing-desk", nothing),
        read("/api/v1/patches/nowhere/secret-desk", nothing),
    ];
    check(&world, rows.as_flattened()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_and_missing_things_are_answered_alike() {
    let world = World::new().await;
    world.patch("acme/secret-desk", "private").await;
    let mut texts = std::collections::BTreeSet::new();
    for name in ["acme/secret-desk", "acme/missing-desk", "nowhere/secret-desk"] {
        for token in ["", &world.stranger.token] {
            for (method, below) in [
                (Method::GET, ""),
                (Method::HEAD, ""),
                (Method::GET, "/versions"),
                (Method::GET, "/versions/1.0.0"),
                (Method::GET, "/versions/1.0.0/manifest"),
                (Method::GET, "/versions/1.0.0/package"),
                (Method::HEAD, "/versions/1.0.0/package"),
                (Method::GET, "/versions/1.0.0/files/README.md"),
                (Method::GET, "/versions/1.0.0/decisions"),
                (Method::GET, "/versions/1.0.0/licence"),
                (Method::GET, "/versions/1.0.0/review"),
            ] {
                let path = format!("/api/v1/patches/{name}{below}");
                let answer = answer(world.registry.request(method.clone(), &path, token)).await.expect(404);
                if method == Method::GET {
                    answer.refused(404);
                    texts.insert(answer.json()["detail"].as_str().unwrap().to_owned());
                }
            }
        }
    }
    assert_eq!(texts.len(), 1, "{texts:?}");
}

/// Method, path, media type, body, and the status for each kind of account.
type Case = (Method, &'static str, &'static str, Vec<u8>, [u16; 8]);

#[tokio::test(flavor = "multi_thread")]
async fn writing_follows_the_matrix() {
    let world = World::new().await;
    let registry = &world.registry;
    let operators = |made: u16| [401, 403, 403, 403, 403, 403, 403, made];
    let suite = suite();
    let cases: Vec<Case> = vec![
        (
            Method::POST,
            "/api/v1/accounts",
            "application/json",
            br#"{"name":"new-one","display":"x"}"#.to_vec(),
            operators(201),
        ),
        (Method::PATCH, "/api/v1/accounts/eve", "application/json", br#"{"disclosure":"x"}"#.to_vec(), operators(200)),
        (
            Method::POST,
            "/api/v1/orgs",
            "application/json",
            br#"{"name":"new-org","display":"x"}"#.to_vec(),
            operators(201),
        ),
        (Method::PATCH, "/api/v1/orgs/acme", "application/json", br#"{"verified":true}"#.to_vec(), operators(200)),
        (Method::POST, "/api/v1/bases", "application/json", base_record(), operators(200)),
        (Method::POST, "/api/v1/suites?name=general", "application/jsonl", suite, operators(201)),
        (
            Method::POST,
            "/api/v1/tokens",
            "application/json",
            br#"{"account":"eve","label":"x","scope":"read"}"#.to_vec(),
            // For oneself, and by the operator for another.
            [401, 201, 403, 403, 403, 403, 403, 201],
        ),
        (
            Method::PUT,
            "/api/v1/orgs/acme/members/eve",
            "application/json",
            br#"{"role":"member"}"#.to_vec(),
            // Without a token nothing is looked up at all.
            [401, 404, 403, 403, 200, 404, 404, 200],
        ),
    ];
    for (method, path, media_type, body, expected) in cases {
        for ((who, token), status) in world.everybody().into_iter().zip(expected) {
            let request = registry.request(method.clone(), path, token).header("content-type", media_type);
            let answer = answer(request.body(body.clone())).await;
            assert_eq!(answer.status, status, "{who} {method} {path}: {}", String::from_utf8_lossy(&answer.body));
        }
        // The stranger became a member: undo it.
        if path.contains("/members/") {
            registry.delete(path, &world.admin.token).await.expect(204);
            registry.delete(path, &world.stranger.token).await.expect(404);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_are_made_by_the_publishers_of_their_org() {
    let world = World::new().await;
    let expected = [401, 404, 403, 201, 201, 404, 404, 403];
    for (n, ((who, token), status)) in world.everybody().into_iter().zip(expected).enumerate() {
        let body = declaration(&format!("acme/desk-{n}"));
        let answer = world.registry.post("/api/v1/patches", token, &body).await;
        assert_eq!(answer.status, status, "{who}: {}", String::from_utf8_lossy(&answer.body));
    }
    // An org that is not there looks like one that is hidden.
    let hidden = world.registry.post("/api/v1/patches", &world.stranger.token, &declaration("acme/a-desk")).await;
    let missing = world.registry.post("/api/v1/patches", &world.stranger.token, &declaration("nowhere/a-desk")).await;
    assert_eq!((hidden.refused(404), &hidden.json()["detail"]), (missing.refused(404), &missing.json()["detail"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_does_not_lock_itself_out() {
    let world = World::new().await;
    let token = &world.registry.operator.token;
    for body in [json!({ "disabled": true }), json!({ "roles": ["review"] })] {
        let answer = world.registry.send(Method::PATCH, "/api/v1/accounts/operator", token, &body).await;
        assert_eq!(answer.refused(422), "field_invalid");
    }
    let body = json!({ "roles": ["operate", "review"], "disclosure": "I also founded it." });
    let account =
        world.registry.send(Method::PATCH, "/api/v1/accounts/operator", token, &body).await.expect(200).json();
    assert_eq!(
        (&account["roles"], &account["disclosure"]),
        (&json!(["operate", "review"]), &json!("I also founded it."))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn memberships_take_effect_at_once() {
    let world = World::new().await;
    let registry = &world.registry;
    let path = "/api/v1/orgs/acme/members/mia";
    registry.get("/api/v1/orgs/acme", &world.member.token).await.expect(200);
    registry.delete(path, &world.admin.token).await.expect(204);
    registry.get("/api/v1/orgs/acme", &world.member.token).await.expect(404);
    registry.delete(path, &world.admin.token).await.expect(204);
    registry.send(Method::PUT, path, &world.admin.token, &json!({ "role": "admin" })).await.expect(200);
    let org = registry.get("/api/v1/orgs/acme", &world.member.token).await.expect(200).json();
    let members = org["members"].as_array().unwrap();
    assert_eq!(members.len(), 3);
    assert!(members.contains(&json!({ "account": "mia", "role": "admin" })));
    let (path, role) = ("/api/v1/orgs/acme/members/nobody-here", json!({ "role": "member" }));
    let missing = registry.send(Method::PUT, path, &world.admin.token, &role).await;
    assert_eq!(missing.refused(404), "not_found");
}

/// A suite of the sample, which has enough cases.
pub(crate) fn suite() -> Vec<u8> {
    std::fs::read(retoque_tests::registry::sample().join("regression.jsonl")).unwrap()
}
