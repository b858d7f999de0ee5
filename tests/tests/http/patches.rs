//! Patches, bases and suites: their rules, the search, and races.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::gate::suite;
use crate::world::{PIN, World, base_record, declaration};

#[tokio::test(flavor = "multi_thread")]
async fn everything_wrong_with_a_declaration_is_named_at_once() {
    let world = World::new().await;
    let token = &world.publisher.token;
    let body = json!({
        "name": "acme/tiny-desk", "title": "ab", "problem": "short", "success_criterion": "x", "category": "cooking",
        "base": "acme/tiny-base@0000000000000000000000000000000000000000", "visibility": "secret", "price": 3,
    });
    let answer = world.registry.post("/api/v1/patches", token, &body).await;
    answer.refused(422);
    let problem = answer.json();
    let fields: BTreeSet<_> =
        problem["findings"].as_array().unwrap().iter().map(|f| f["place"]["field"].as_str().unwrap()).collect();
    let all = ["title", "problem", "success_criterion", "category", "base", "visibility", "licensing", "price"];
    assert_eq!(fields, BTreeSet::from(all));
    let codes: BTreeSet<_> =
        problem["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert_eq!(codes, BTreeSet::from(["field_invalid", "base_unsupported", "field_missing", "field_unknown"]));
    for name in ["Acme/tiny-desk", "acme", "acme/ab", "api/tiny-desk", "аcme/tiny-desk", "acme/tiny-desk@1.0.0"] {
        let answer = world.registry.post("/api/v1/patches", token, &declaration(name)).await;
        assert_eq!(answer.refused(422), "name_invalid", "{name}");
    }
    let answer = world.registry.post_bytes("/api/v1/patches", token, "application/json", "[]").await;
    assert_eq!(answer.refused(400), "json_invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_patches_with_one_name_one_is_made() {
    let world = World::new().await;
    let body = declaration("acme/tiny-desk");
    let post = |token| world.registry.post("/api/v1/patches", token, &body);
    let (a, b) = tokio::join!(post(&world.publisher.token), post(&world.admin.token));
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    let (made, refused) = if a.status == 201 { (a, b) } else { (b, a) };
    assert_eq!(refused.refused(409), "already_exists");
    assert_eq!(made.header("location"), "/api/v1/patches/acme/tiny-desk");
    let view = world.registry.get("/api/v1/patches/acme/tiny-desk", &world.member.token).await.expect(200).json();
    assert_eq!(view, made.json());
    for (field, value) in declaration("acme/tiny-desk").as_object().unwrap() {
        assert_eq!(&view[field], value, "{field}");
    }
    assert_eq!((&view["versions"], view.get("newest")), (&json!(0), None));
}

/// The names that a search finds.
async fn found(world: &World, query: &str, token: &str) -> Vec<String> {
    let page = world.registry.get(&format!("/api/v1/patches?{query}"), token).await.expect(200).json();
    page["items"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_shows_what_the_gate_shows() {
    let world = World::new().await;
    world.patch("acme/public-desk", "public").await;
    world.patch("acme/secret-desk", "private").await;
    for (who, token) in world.everybody() {
        let listed: BTreeSet<String> = found(&world, "", token).await.into_iter().collect();
        for name in ["acme/public-desk", "acme/secret-desk"] {
            let seen = world.registry.get(&format!("/api/v1/patches/{name}"), token).await.status == 200;
            assert_eq!(listed.contains(name), seen, "{who} {name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_filters() {
    let world = World::new().await;
    for name in ["one-desk", "two-desk", "three-x"] {
        let mut body = declaration(&format!("acme/{name}"));
        body["title"] = format!("100% of {name}").into();
        if name == "three-x" {
            body["category"] = "style".into();
        }
        world.registry.post("/api/v1/patches", &world.publisher.token, &body).await.expect(201);
    }
    let token = &world.member.token;
    let all = ["acme/one-desk", "acme/three-x", "acme/two-desk"];
    assert_eq!(found(&world, "", token).await, all);
    assert_eq!(found(&world, "q=DESK%20NEEDS", token).await, all);
    assert_eq!(found(&world, "q=Two-Desk", token).await, ["acme/two-desk"]);
    assert_eq!(found(&world, "q=100%25", token).await, all, "a wildcard is a character");
    assert_eq!(found(&world, "q=_", token).await, Vec::<String>::new());
    assert_eq!(found(&world, "category=style", token).await, ["acme/three-x"]);
    assert_eq!(found(&world, "base=acme/tiny-base", token).await, all);
    assert_eq!(found(&world, &format!("base={PIN}"), token).await, all);
    assert_eq!(found(&world, "base=acme/other-base", token).await, Vec::<String>::new());
    assert_eq!(found(&world, "org=other", token).await, Vec::<String>::new());
    assert_eq!(found(&world, "org=acme&state=candidate", token).await, Vec::<String>::new());
    assert_eq!(found(&world, "state=published", token).await, Vec::<String>::new());
    let first = world.registry.get("/api/v1/patches?limit=2", token).await.expect(200).json();
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let next = format!("limit=2&cursor={}", first["next"].as_str().unwrap());
    assert_eq!(found(&world, &next, token).await, ["acme/two-desk"]);
    for query in ["state=candidate", "category=x", "base=x", "org=API", "sort=name", "q=a&q=b"] {
        let status = world.registry.get(&format!("/api/v1/patches?{query}"), token).await.status.as_u16();
        assert!(status == 400 || status == 422, "{query}: {status}");
    }
    assert_eq!(world.registry.get("/api/v1/patches?state=candidate", "").await.refused(401), "token_missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_has_one_record() {
    let world = World::new().await;
    let (registry, token) = (&world.registry, &world.registry.operator.token);
    let record = base_record();
    let again = registry.post_bytes("/api/v1/bases", token, "application/json", record.clone()).await.expect(200);
    let listed = registry.get("/api/v1/bases", "").await.expect(200).json();
    assert_eq!(listed["items"], json!([again.json()]));
    let mut other: Value = serde_json::from_slice(&record).unwrap();
    other["licence"] = "mit".into();
    let other = retoque_core::canonical::to_vec(&other).unwrap();
    let conflict = registry.post_bytes("/api/v1/bases", token, "application/json", other.clone()).await;
    assert_eq!(conflict.refused(409), "already_exists");
    let text = String::from_utf8_lossy(&conflict.body).into_owned();
    for bytes in [&record, &other] {
        assert!(text.contains(&retoque_core::digest::Digest::of(bytes).to_string()), "both digests: {text}");
    }
    let mut spaced = record.clone();
    spaced.push(b'\n');
    for bad in [spaced, b"{}".to_vec(), b"{".to_vec(), b"[]".to_vec()] {
        let answer = registry.post_bytes("/api/v1/bases", token, "application/json", bad).await;
        assert_eq!(answer.refused(422), "base_record_invalid");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suite_is_pinned_by_its_digest() {
    let world = World::new().await;
    let (registry, token) = (&world.registry, &world.registry.operator.token);
    let cases = suite();
    let post = async |query: &str, body: Vec<u8>| {
        registry.post_bytes(&format!("/api/v1/suites?{query}"), token, "application/jsonl", body).await
    };
    let made = post("name=general&allowance_points=3", cases.clone()).await.expect(201);
    let view = made.json();
    assert_eq!(view["sha256"], retoque_core::digest::Digest::of(&cases).to_string());
    assert_eq!((&view["name"], &view["allowance_points"]), (&json!("general"), &json!(3)));
    post("name=general&allowance_points=3", cases.clone()).await.expect(200);
    assert_eq!(post("name=general&allowance_points=5", cases.clone()).await.refused(409), "already_exists");
    assert_eq!(post("name=other", cases.clone()).await.refused(409), "already_exists");
    let path = made.header("location").to_owned();
    assert_eq!(registry.get(&path, &world.member.token).await.expect(200).body, cases);
    assert_eq!(registry.get(&path, "").await.refused(401), "token_missing");
    let few: Vec<u8> = cases.split_inclusive(|b| *b == b'\n').take(39).flatten().copied().collect();
    assert_eq!(post("name=small", few.clone()).await.refused(422), "regression_too_small");
    let mut more = few;
    more.extend_from_slice(b"{\"user\":\"a\",\"assistant\":\"b\"}\nnot json\n");
    let broken = post("name=broken", more).await;
    broken.refused(422);
    let lines: BTreeSet<_> =
        broken.json()["findings"].as_array().unwrap().iter().filter_map(|f| f["place"]["line"].as_u64()).collect();
    assert_eq!(lines, BTreeSet::from([40, 41]));
    for query in ["", "name=", "name=x&allowance_points=101", "name=x&allowance_points=-1", "name=x&y=1"] {
        let status = post(query, cases.clone()).await.status.as_u16();
        assert!(status == 400 || status == 422, "{query}: {status}");
    }
}
