//! Tokens: every way in which one is refused, and that none makes one that reaches further.

use std::time::Duration;

use reqwest::Method;
use retoque_tests::registry::{Registry, answer};
use serde_json::{Value, json};

use crate::world::{World, declaration};

const DAY: Duration = Duration::from_hours(24);

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_credential_is_refused_everywhere_and_each_in_its_own_way() {
    let world = World::new().await;
    let registry = &world.registry;
    let good = world.stranger.token.clone();
    let flipped = format!("{}{}", &good[..good.len() - 1], if good.ends_with('0') { '1' } else { '0' });
    let unknown = "rtq_00000000000000000000000000000000000000000000000000000000000000006042d7";
    let unknown = with_checksum(&unknown[..68]);
    let cases = [
        (format!("Bearer {flipped}"), "token_malformed"),
        (format!("Bearer {}", &good[..40]), "token_malformed"),
        (format!("Bearer  {good}"), "token_malformed"),
        (format!("Bearer {}", good.to_uppercase()), "token_malformed"),
        ("Bearer".to_owned(), "token_malformed"),
        ("Bearer ".to_owned(), "token_malformed"),
        (good.clone(), "token_malformed"),
        ("Basic YTpi".to_owned(), "token_malformed"),
        (format!("Bearer {unknown}"), "token_unknown"),
    ];
    for (credential, code) in cases {
        for path in ["/api/v1/whoami", "/api/v1/bases", "/api/v1", "/trust/root.json", "/api/v1/patches/acme/x-y-z"] {
            let request = registry.request(Method::GET, path, "").header("authorization", &credential);
            let answer = answer(request).await;
            assert_eq!(answer.refused(401), code, "{path}");
            assert!(answer.header("www-authenticate").contains("invalid_token"));
            assert!(!String::from_utf8_lossy(&answer.body).contains(&good[4..30]), "the secret came back");
        }
    }
    let twice =
        registry.request(Method::GET, "/api/v1/whoami", &good).header("authorization", format!("Bearer {good}"));
    assert_eq!(answer(twice).await.refused(401), "token_malformed");
    let none = registry.get("/api/v1/whoami", "").await;
    assert_eq!(none.refused(401), "token_missing");
    assert_eq!(none.header("www-authenticate"), r#"Bearer realm="retoque""#);
    let lower = registry.request(Method::GET, "/api/v1/whoami", "").header("authorization", format!("bearer {good}"));
    answer(lower).await.expect(200);
}

fn with_checksum(body: &str) -> String {
    format!("{body}{}", &retoque_core::digest::Digest::of(body.as_bytes()).hex()[..6])
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_and_revoked_tokens_and_disabled_accounts_are_told_apart() {
    let registry = Registry::start().await;
    let person = registry.person("pia", &[]).await;
    let short = registry.token(&json!({ "account": "pia", "label": "short", "scope": "write", "days": 1 })).await;
    registry.clock.advance(DAY - Duration::from_secs(1));
    registry.get("/api/v1/whoami", &short).await.expect(200);
    registry.clock.advance(Duration::from_secs(1));
    assert_eq!(registry.get("/api/v1/whoami", &short).await.refused(401), "token_expired");
    let id = registry.get("/api/v1/whoami", &person.token).await.expect(200).json()["token"]["id"].clone();
    let path = format!("/api/v1/tokens/{}", id.as_str().unwrap());
    registry.delete(&path, &person.token).await.expect(204);
    assert_eq!(registry.get("/api/v1/whoami", &person.token).await.refused(401), "token_revoked");
    registry.delete(&path, &registry.operator.token).await.expect(204);
    let other = registry.token(&json!({ "account": "pia", "label": "other", "scope": "write" })).await;
    let change = |disabled: bool| json!({ "disabled": disabled });
    let account = "/api/v1/accounts/pia";
    registry.send(Method::PATCH, account, &registry.operator.token, &change(true)).await.expect(200);
    assert_eq!(registry.get("/api/v1/bases", &other).await.refused(401), "account_disabled");
    registry.send(Method::PATCH, account, &registry.operator.token, &change(false)).await.expect(200);
    registry.get("/api/v1/bases", &other).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_token_writes_nothing() {
    let world = World::new().await;
    let registry = &world.registry;
    let read = registry.token(&json!({ "account": "ada", "label": "ci", "scope": "read" })).await;
    registry.get("/api/v1/orgs/acme", &read).await.expect(200);
    let label = json!({ "label": "x", "scope": "read" });
    let member = json!({ "role": "member" });
    for (method, path, body) in [
        (Method::POST, "/api/v1/tokens", &label),
        (Method::POST, "/api/v1/patches", &declaration("acme/a-desk")),
        (Method::PUT, "/api/v1/orgs/acme/members/eve", &member),
        (Method::POST, "/api/v1/keys", &registry.new_key(&world.admin)),
    ] {
        let answer = registry.send(method, path, &read, body).await;
        assert_eq!(answer.refused(403), "token_scope", "{path}");
        assert!(answer.header("www-authenticate").contains("insufficient_scope"));
    }
    // Giving itself up takes nothing else away.
    let id = registry.get("/api/v1/whoami", &read).await.expect(200).json()["token"]["id"].clone();
    registry.delete(&format!("/api/v1/tokens/{}", id.as_str().unwrap()), &read).await.expect(204);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_org_reaches_no_other() {
    let world = World::new().await;
    let registry = &world.registry;
    registry.org("third", &[(&world.admin, "admin")]).await;
    world.patch("acme/secret-desk", "private").await;
    let make = |scope: &str, org: &str| json!({ "account": "ada", "label": "x", "scope": scope, "org": org });
    let third = registry.token(&make("write", "third")).await;
    registry.get("/api/v1/orgs/third", &third).await.expect(200);
    registry.get("/api/v1/orgs/acme", &third).await.expect(404);
    registry.get("/api/v1/patches/acme/secret-desk", &third).await.expect(404);
    registry.post("/api/v1/patches", &third, &declaration("acme/a-desk")).await.expect(404);
    registry.post("/api/v1/patches", &third, &declaration("third/a-desk")).await.expect(201);
    let orgs = registry.get("/api/v1/orgs", &third).await.expect(200).json();
    assert_eq!(orgs["items"].as_array().unwrap().len(), 1);
    let found = registry.get("/api/v1/patches", &third).await.expect(200).json();
    assert!(found["items"].as_array().unwrap().is_empty(), "{found}");
    let found = registry.get("/api/v1/patches?org=third", &third).await.expect(200).json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    assert_eq!(
        registry.post("/api/v1/keys", &third, &registry.new_key(&world.admin)).await.refused(403),
        "token_scope"
    );
    // An operator's token of one org is no operator's elsewhere.
    registry.org("fourth", &[(&registry.operator, "admin")]).await;
    let limited = json!({ "label": "x", "scope": "write", "org": "fourth" });
    let limited = registry.token(&limited).await;
    assert_eq!(registry.get("/api/v1/accounts", &limited).await.refused(403), "token_scope");
    registry.get("/api/v1/orgs/acme", &limited).await.expect(404);
    registry.get("/api/v1/orgs/fourth", &limited).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_token_makes_a_wider_one() {
    let world = World::new().await;
    let registry = &world.registry;
    let request =
        |org: Option<&str>, days: Option<u32>| json!({ "label": "x", "scope": "write", "org": org, "days": days });
    let limited = json!({ "account": "ada", "label": "x", "scope": "write", "org": "acme", "days": 10 });
    let limited = registry.token(&limited).await;
    for wider in [request(None, Some(5)), request(Some("other"), Some(5)), request(Some("acme"), Some(11))] {
        assert_eq!(registry.post("/api/v1/tokens", &limited, &wider).await.refused(403), "token_scope", "{wider}");
    }
    let same = registry.post("/api/v1/tokens", &limited, &request(Some("acme"), None)).await.expect(201);
    assert_eq!(same.header("cache-control"), "no-store");
    let made: Value = same.json();
    let whole = registry.get("/api/v1/whoami", &limited).await.expect(200).json();
    assert_eq!(made["token"]["expires"], whole["token"]["expires"], "it ends with the one that made it");
    // Nor may it end the tokens that reach further.
    let wide = registry.get("/api/v1/whoami", &world.admin.token).await.expect(200).json()["token"]["id"].clone();
    let path = format!("/api/v1/tokens/{}", wide.as_str().unwrap());
    assert_eq!(registry.delete(&path, &limited).await.refused(403), "token_scope");
    // Whose token it is and whether there is one is told to nobody else.
    for path in [path, "/api/v1/tokens/01890000-0000-7000-8000-000000000000".to_owned()] {
        assert_eq!(registry.delete(&path, &world.stranger.token).await.refused(403), "not_allowed");
    }
    assert_eq!(registry.delete("/api/v1/tokens/x", &world.stranger.token).await.refused(422), "name_invalid");
    for days in [0, 366] {
        let answer = registry
            .post(
                "/api/v1/tokens",
                &registry.operator.token,
                &json!({ "account": "ada", "label": "x", "scope": "read", "days": days }),
            )
            .await;
        assert_eq!(answer.refused(422), "field_invalid");
    }
    let foreign = json!({ "account": "ada", "label": "x", "scope": "read", "org": "other" });
    assert_eq!(registry.post("/api/v1/tokens", &registry.operator.token, &foreign).await.refused(404), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_is_shown_once() {
    let registry = Registry::start().await;
    let person = registry.person("pia", &[]).await;
    for (path, token) in [("/api/v1/tokens", &person.token), ("/api/v1/tokens?account=pia", &registry.operator.token)] {
        let answer = registry.get(path, token).await.expect(200);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains("rtq_") && !text.contains("secret"), "{text}");
        assert_eq!(answer.json()["items"].as_array().unwrap().len(), 1);
    }
    let database = std::fs::read(registry.dir.join("registry.db")).unwrap();
    let secret = person.token.as_bytes();
    assert!(!database.windows(secret.len()).any(|window| window == secret));
}

/// The body of a request is awaited after its token was looked at.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_while_the_body_comes_decides_nothing() {
    use retoque_core::decision::Decision;
    use retoque_core::digest::Digest;
    use retoque_core::lifecycle::Action;
    use retoque_core::sign::Time;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let world = World::new().await;
    let registry = &world.registry;
    let token = &world.publisher.token;
    let name = ("acme/a-desk".parse().unwrap(), "1.0.0".parse().unwrap());
    let time = Time::from_micros(1_700_000_000_000_000).unwrap();
    let digest = Digest::of(b"x");
    let decision = Decision::new(&registry.url, Action::Withdraw, "paul".parse().unwrap(), name, digest, time);
    let body = decision.sign(digest, &retoque_tests::registry::key_of("paul")).unwrap().to_bytes();
    let head = format!(
        "POST /api/v1/patches/acme/a-desk/versions/1.0.0/decisions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
        authorization: Bearer {token}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n\
        content-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = tokio::net::TcpStream::connect(registry.url.strip_prefix("http://").unwrap()).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // The interim answer says that the handler waits for the body.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100"));
    let id = registry.get("/api/v1/whoami", token).await.expect(200).json()["token"]["id"].clone();
    registry.delete(&format!("/api/v1/tokens/{}", id.as_str().unwrap()), token).await.expect(204);
    stream.write_all(&body).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 401") && text.contains("token_revoked"), "{text}");
}
