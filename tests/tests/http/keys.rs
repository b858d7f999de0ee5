//! Signing keys and the root of trust.

use reqwest::Method;
use retoque_core::sign::root::{Revoked, Role, RootBuilder};
use retoque_core::sign::{Envelope, Root, SecretKey, Signer};
use retoque_tests::registry::{Registry, key_of};
use serde_json::json;

use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn only_who_holds_a_key_registers_it() {
    let world = World::new().await;
    let registry = &world.registry;
    let mut new = registry.new_key(&world.stranger);
    // The same proof again renews the registration.
    registry.post("/api/v1/keys", &world.stranger.token, &new).await.expect(200);
    // Somebody else with the proof of another.
    let answer = registry.post("/api/v1/keys", &world.member.token, &new).await;
    assert_eq!(answer.refused(422), "signature_invalid");
    // A proof for another registry.
    let key = key_of("another");
    let public = key.public().hex();
    let message = format!("retoque-key-registration/1\nhttps://elsewhere.example\neve\n{public}\n");
    new["public"] = public.into();
    new["proof"] = hex::encode(key.sign(message.as_bytes()).unwrap()).into();
    assert_eq!(registry.post("/api/v1/keys", &world.stranger.token, &new).await.refused(422), "signature_invalid");
    for (public, code) in [
        ("00".repeat(32), "key_weak"),
        (format!("{}01", "00".repeat(31)), "key_invalid"),
        ("AB".repeat(32), "key_invalid"),
        (String::new(), "key_invalid"),
    ] {
        new["public"] = public.clone().into();
        let found = registry.post("/api/v1/keys", &world.stranger.token, &new).await.refused(422);
        assert!(found == code || found == "key_weak", "{public}: {found}");
    }
    // A second key that the stranger holds, but that belongs to the member.
    let shared = retoque_tests::registry::Person {
        name: "eve".to_owned(),
        token: world.stranger.token.clone(),
        key: key_of("mia"),
    };
    let answer = registry.post("/api/v1/keys", &shared.token, &registry.new_key(&shared)).await;
    assert_eq!(answer.refused(409), "already_exists");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_does_not_come_back() {
    let world = World::new().await;
    let registry = &world.registry;
    let listed = registry.get("/api/v1/keys", &world.stranger.token).await.expect(200).json();
    let keyid = listed["items"][0]["keyid"].as_str().unwrap().to_owned();
    assert_eq!(keyid, world.stranger.key.public().id().to_string());
    let path = format!("/api/v1/keys/{keyid}");
    registry.delete(&path, &world.member.token).await.expect(403);
    registry.delete(&path, &world.stranger.token).await.expect(204);
    let new = registry.new_key(&world.stranger);
    assert_eq!(registry.post("/api/v1/keys", &world.stranger.token, &new).await.refused(422), "key_revoked");
    let listed = registry.get("/api/v1/keys", &world.stranger.token).await.expect(200).json();
    assert_eq!(listed["items"][0]["revoked"], true);
    let of_the_reviewer = registry.get("/api/v1/keys?account=rita", &registry.operator.token).await.expect(200).json();
    assert_eq!(of_the_reviewer["items"][0]["root_roles"], json!(["review"]));
}

pub(crate) fn installed(registry: &Registry, name: &str) -> SecretKey {
    SecretKey::from_pem(&std::fs::read_to_string(registry.dir.join(format!("keys/{name}.pem"))).unwrap()).unwrap()
}

pub(crate) async fn newest(registry: &Registry) -> Root {
    Root::trust(&registry.get("/trust/root.json", "").await.expect(200).body, None).unwrap()
}

pub(crate) fn signed(builder: RootBuilder, keys: &[&SecretKey]) -> Vec<u8> {
    let signers: Vec<&dyn Signer> = keys.iter().map(|key| *key as &dyn Signer).collect();
    builder.sign(&signers).unwrap().to_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_root_moves_on_by_its_own_rules() {
    let registry = Registry::start().await;
    let (first, second) = (installed(&registry, "root-1"), installed(&registry, "root-2"));
    let root = newest(&registry).await;
    let expires = root.expires();
    let next = || RootBuilder::after(&root, expires).add(Role::Review, key_of("second-reviewer").public().clone());
    let operator = registry.operator.token.clone();
    let post = |bytes: Vec<u8>| registry.post_bytes("/api/v1/root", &operator, "application/json", bytes);
    assert_eq!(post(signed(next(), &[&first])).await.refused(422), "threshold");
    assert_eq!(post(signed(next(), &[&key_of("x"), &key_of("y")])).await.refused(422), "signer_unknown");
    assert_eq!(post(b"{}".to_vec()).await.refused(422), "envelope_invalid");
    let other_build = next().role(Role::PlatformBuild, [key_of("new-build").public().clone()], 1);
    assert_eq!(post(signed(other_build.clone(), &[&first, &second])).await.refused(422), "root_key_left");
    let gone = Revoked { keyid: installed(&registry, "platform-build").public().id(), from_index: 2 };
    let other_build = other_build.revoke(gone);
    assert_eq!(post(signed(other_build, &[&first, &second])).await.refused(409), "platform_key_mismatch");
    let expired = RootBuilder::after(&root, "2026-11-01T00:00:00Z".parse().unwrap());
    assert_eq!(post(signed(expired, &[&first, &second])).await.refused(422), "root_expired");
    // Stored, it would stand in every later release, and no client takes a chain with a signature too many.
    let surplus = signed(next(), &[&first, &second, &key_of("x")]);
    assert_eq!(post(surplus).await.refused(422), "signature_invalid");
    let good = signed(next(), &[&first, &second]);
    let spaced = [&good[..], b"\n"].concat();
    assert_eq!(post(spaced).await.refused(422), "envelope_invalid");
    let view = post(good.clone()).await.expect(201).json();
    assert_eq!(view["root_version"], 2);
    assert_eq!(post(good.clone()).await.refused(422), "root_version");
    assert_eq!(registry.get("/trust/2.root.json", "").await.expect(200).body, good);
    assert_eq!(registry.get("/trust/root.json", "").await.expect(200).body, good);
    let person = registry.person("pia", &[]).await;
    let refused = registry.post_bytes("/api/v1/root", &person.token, "application/json", good).await;
    assert_eq!(refused.refused(403), "not_allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_next_roots_at_once_are_one() {
    let registry = Registry::start().await;
    let (first, second) = (installed(&registry, "root-1"), installed(&registry, "root-2"));
    let root = newest(&registry).await;
    let make = |name: &str| {
        let next = RootBuilder::after(&root, root.expires()).add(Role::Review, key_of(name).public().clone());
        signed(next, &[&first, &second])
    };
    let post = |bytes| registry.post_bytes("/api/v1/root", &registry.operator.token, "application/json", bytes);
    let (a, b) = tokio::join!(post(make("a")), post(make("b")));
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert!(statuses == [201, 409] || statuses == [201, 422], "{statuses:?}");
    let envelope = Envelope::parse(&registry.get("/trust/2.root.json", "").await.expect(200).body).unwrap();
    root.update(&envelope).unwrap();
    registry.request(Method::GET, "/trust/3.root.json", "").send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_holds_only_so_many_keys_and_tokens() {
    let registry = Registry::start().await;
    let mut pia = registry.person("pia", &[]).await;
    let registered = pia.key.public().id();
    let mut held = 1;
    let refused = loop {
        pia.key = key_of(&format!("pia-{held}"));
        let answer = registry.post("/api/v1/keys", &pia.token, &registry.new_key(&pia)).await;
        if answer.status != 201 || held == 25 {
            break answer;
        }
        held += 1;
    };
    assert_eq!((held, refused.refused(409)), (20, "too_many_kept".to_owned()));
    registry.delete(&format!("/api/v1/keys/{registered}"), &pia.token).await.expect(204);
    registry.post("/api/v1/keys", &pia.token, &registry.new_key(&pia)).await.expect(201);
    let mut made = 0;
    let refused = loop {
        let new = json!({ "label": "another", "scope": "read" });
        let answer = registry.post("/api/v1/tokens", &pia.token, &new).await;
        if answer.status != 201 || made == 60 {
            break answer;
        }
        made += 1;
    };
    assert_eq!((made, refused.refused(409)), (49, "too_many_kept".to_owned()));
}
