//! What every request meets: refusals as problem documents, strict reading, limits, headers, caching.

use std::time::Duration;

use reqwest::Method;
use retoque_tests::registry::{Registry, answer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::{World, base_record};

#[tokio::test(flavor = "multi_thread")]
async fn unknown_routes_and_methods_are_problems() {
    let registry = Registry::start().await;
    for path in ["/", "/api", "/api/v1/", "/api/v1/nothing", "/api/v2", "/api/v1/whoami/", "//api/v1", "/%00", "/trust"]
    {
        assert_eq!(registry.get(path, "").await.refused(404), "unknown_route", "{path}");
    }
    let answer = registry.delete("/api/v1/accounts", &registry.operator.token).await;
    assert_eq!(answer.refused(405), "method_not_allowed");
    let allow = answer.header("allow");
    assert!(["GET", "HEAD", "POST"].iter().all(|method| allow.contains(method)), "{allow:?}");
    let answer = registry.send(Method::from_bytes(b"BREW").unwrap(), "/healthz", "", &json!({})).await;
    assert_eq!(answer.refused(405), "method_not_allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_carries_the_same_headers() {
    let registry = Registry::start().await;
    let mut ids = std::collections::BTreeSet::new();
    for path in ["/healthz", "/api/v1", "/api/v1/nothing", "/api/v1/whoami", "/trust/root.json"] {
        let answer = registry.get(path, "").await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert!(answer.header("content-security-policy").contains("default-src 'none'"), "{path}");
        assert!(!answer.header("cache-control").is_empty(), "{path}");
        assert_eq!(answer.header("vary"), "authorization", "{path}");
        assert!(ids.insert(answer.header("x-request-id").to_owned()), "an id twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_read_strictly() {
    let registry = Registry::start().await;
    let token = &registry.operator.token;
    let cases: [(&str, u16, &str); 12] = [
        ("", 400, "json_invalid"),
        ("{", 400, "json_invalid"),
        ("{} {}", 400, "json_invalid"),
        ("{'name':1}", 400, "json_invalid"),
        ("\u{feff}{}", 400, "json_invalid"),
        (r#"{"name":"a-b","n\u0061me":"c-d","display":"x"}"#, 400, "json_invalid"),
        (r#"{"name":"a-b","display":NaN}"#, 400, "json_invalid"),
        (r#"{"name":"a-b","display":"x","rolez":[]}"#, 422, "field_unknown"),
        (r#"{"name":"a-b"}"#, 422, "field_missing"),
        (r#"{"name":7,"display":"x"}"#, 422, "field_invalid"),
        (r#"{"name":"a-b","display":"x","roles":["emperor"]}"#, 422, "field_invalid"),
        (r#"{"name":"A-b","display":"x"}"#, 422, "field_invalid"),
    ];
    for (body, status, code) in cases {
        let answer = registry.post_bytes("/api/v1/accounts", token, "application/json", body).await;
        assert_eq!(answer.refused(status), code, "{body}");
    }
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let answer = registry.post_bytes("/api/v1/accounts", token, "application/json", deep).await;
    assert_eq!(answer.refused(400), "json_invalid");
    let not_utf8 = b"{\"name\":\"\xff\"}".to_vec();
    let answer = registry.post_bytes("/api/v1/accounts", token, "application/json", not_utf8).await;
    assert_eq!(answer.refused(400), "json_invalid");
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
        let answer = registry.post_bytes("/api/v1/accounts", token, media_type, "{}").await;
        assert_eq!(answer.refused(415), "media_type", "{media_type}");
    }
    let good = json!({ "name": "a-b", "display": "x" }).to_string();
    let answer = registry.post_bytes("/api/v1/accounts", token, "Application/JSON; charset=utf-8", good).await;
    assert_eq!(answer.expect(201).header("location"), "/api/v1/accounts/a-b");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_have_limits() {
    let registry = Registry::start().await;
    let token = &registry.operator.token;
    let large = vec![b' '; (1 << 20) + 1];
    let answer = registry.post_bytes("/api/v1/accounts", token, "application/json", large.clone()).await;
    assert_eq!(answer.refused(413), "body_too_large");
    // Without an announced length the limit is found while reading.
    let address = registry.url.strip_prefix("http://").unwrap().to_owned();
    let head = format!(
        "POST /api/v1/accounts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
        content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(format!("{:x}\r\n", large.len()).as_bytes()).await.unwrap();
    stream.write_all(&large).await.unwrap();
    let mut text = String::new();
    let mut buffer = [0; 1024];
    while !text.contains("body_too_large") {
        let n = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buffer)).await.unwrap().unwrap();
        assert!(n > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
    assert!(text.starts_with("HTTP/1.1 413"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_requests_end() {
    let registry = Registry::start_with(&[("limits.request_timeout", "1s")]).await;
    let address = registry.url.strip_prefix("http://").unwrap().to_owned();
    let head = format!(
        "POST /api/v1/accounts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
        content-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        registry.operator.token
    );
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut text = String::new();
    tokio::time::timeout(Duration::from_secs(20), stream.read_to_string(&mut text)).await.unwrap().unwrap();
    assert!(text.starts_with("HTTP/1.1 408") && text.contains("request_timeout"), "{text}");
    // A head that never ends is not worth an answer.
    let mut stream = tokio::net::TcpStream::connect(registry.url.strip_prefix("http://").unwrap()).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n").await.unwrap();
    let mut rest = Vec::new();
    tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn more_requests_than_the_limit_are_turned_away() {
    let registry = Registry::start_with(&[("limits.concurrency", "1")]).await;
    let address = registry.url.strip_prefix("http://").unwrap().to_owned();
    let head = format!(
        "POST /api/v1/accounts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
        content-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        registry.operator.token
    );
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // The first request waits for its body; until it is given up, there is no room for another.
    let busy = loop {
        let answer = registry.get("/trust/root.json", "").await;
        if answer.status != 200 {
            break answer;
        }
    };
    // Whoever watches over the service is told that it lives.
    registry.get("/healthz", "").await.expect(200);
    registry.get("/readyz", "").await.expect(200);
    assert_eq!(busy.refused(503), "service_busy");
    assert!(busy.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0));
    drop(stream);
    while registry.get("/trust/root.json", "").await.status != 200 {}
}

#[tokio::test(flavor = "multi_thread")]
async fn names_in_paths_have_one_spelling() {
    let world = World::new().await;
    let token = &world.registry.operator.token;
    world.patch("acme/tiny-desk", "public").await;
    let cases = [
        "/patches/Acme/tiny-desk",
        "/patches/acme/tiny_desk",
        "/patches/acme/ti",
        "/patches/api/tiny-desk",
        "/patches/v2/tiny-desk",
        // A Cyrillic а.
        "/patches/%D0%B0cme/tiny-desk",
        "/patches/acme/tiny-desk%20",
        "/patches/acme%2Ftiny-desk/x-y",
        "/patches/acme/tiny--desk",
        "/patches/acme/%FF%FE",
        "/patches/acme/tiny-desk/versions/v1.0.0",
        "/patches/acme/tiny-desk/versions/1.0",
        "/patches/acme/tiny-desk/versions/1.0.0+build",
        "/patches/acme/tiny-desk/versions/01.0.0",
        "/accounts/Operator",
        "/orgs/ACME",
        "/bases/acme/tiny-base/main",
        "/bases/acme/tiny-base/0123456789ABCDEF0123456789ABCDEF01234567",
    ];
    for path in cases {
        println!("{path}");
        assert_eq!(world.registry.get(&format!("/api/v1{path}"), token).await.refused(422), "name_invalid", "{path}");
    }
    let both = world.registry.get("/api/v1/patches/Acme/a", token).await;
    both.refused(422);
    assert_eq!(both.json()["findings"].as_array().unwrap().len(), 2, "all parts at once");
    for path in ["/trust/01.root.json", "/trust/+1.root.json", "/trust/x"] {
        assert_eq!(world.registry.get(path, "").await.refused(422), "name_invalid", "{path}");
    }
    assert_eq!(world.registry.get("/trust/2.root.json", "").await.refused(404), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_read_strictly_and_lists_come_in_pages() {
    let world = World::new().await;
    let (registry, token) = (&world.registry, &world.registry.operator.token);
    for query in ["limit=0", "limit=201", "limit=x", "cursor=x", "page=2", "limit=1&limit=2", "limit=%FF"] {
        let code = registry.get(&format!("/api/v1/accounts?{query}"), token).await.refused(400);
        assert_eq!(code, "query_invalid", "{query}");
    }
    let mut names = Vec::new();
    let mut path = "/api/v1/accounts?limit=3".to_owned();
    loop {
        let page = registry.get(&path, token).await.expect(200).json();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 3);
        names.extend(items.iter().map(|a| a["name"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/accounts?limit=3&cursor={next}");
    }
    assert_eq!(names, ["ada", "bob", "eve", "mia", "operator", "paul", "rita"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn immutable_things_are_cached_and_read_in_parts() {
    let world = World::new().await;
    let registry = &world.registry;
    let record = base_record();
    let path = "/api/v1/bases/acme/tiny-base/0123456789abcdef0123456789abcdef01234567";
    let whole = registry.get(path, "").await.expect(200);
    assert_eq!(whole.body, record);
    assert_eq!(whole.header("cache-control"), "public, max-age=31536000, immutable");
    let tag = whole.header("etag").to_owned();
    assert_eq!(tag, format!("\"{}\"", retoque_core::digest::Digest::of(&record)));
    let with = |name: &'static str, value: String| answer(registry.request(Method::GET, path, "").header(name, value));
    let known = with("if-none-match", tag.clone()).await.expect(304);
    assert!(known.body.is_empty() && known.header("etag") == tag);
    let part = with("range", "bytes=10-19".to_owned()).await.expect(206);
    assert_eq!(part.body, record[10..20]);
    assert_eq!(part.header("content-range"), format!("bytes 10-19/{}", record.len()));
    let end = with("range", "bytes=-5".to_owned()).await.expect(206);
    assert_eq!(end.body, record[record.len() - 5..]);
    let outside = with("range", format!("bytes={}-", record.len())).await;
    assert_eq!(outside.refused(416), "range_unsatisfiable");
    assert_eq!(outside.header("content-range"), format!("bytes */{}", record.len()));
    let head = answer(registry.request(Method::HEAD, path, "")).await.expect(200);
    assert!(head.body.is_empty());
    assert_eq!(head.header("content-length"), record.len().to_string());
    let newest = registry.get("/trust/root.json", "").await.expect(200);
    assert_eq!(newest.header("cache-control"), "public, no-cache");
    assert_eq!(registry.get("/trust/1.root.json", "").await.expect(200).body, newest.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_readiness_answer_without_a_token() {
    let registry = Registry::start().await;
    assert_eq!(registry.get("/healthz", "").await.expect(200).json()["status"], "ok");
    assert_eq!(registry.get("/readyz", "").await.expect(200).json()["status"], "ready");
    let view = registry.get("/api/v1", "").await.expect(200).json();
    assert_eq!(view["origin"], registry.url);
    assert_eq!(view["root_version"], 1);
    let root = registry.get("/trust/1.root.json", "").await.expect(200).body;
    let envelope = retoque_core::sign::Envelope::parse(&root).unwrap();
    assert_eq!(view["root_fingerprint"], envelope.payload_digest().hex());
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_texts_are_refused_and_tokens_never_shown() {
    let registry = Registry::start().await;
    for query in ["q=%00", "q=a%0ab", "category=%7f", "cursor=%00"] {
        let answer = registry.get(&format!("/api/v1/patches?{query}"), "").await;
        assert_eq!(answer.refused(400), "query_invalid", "{query}");
    }
    for path in ["/api/v1/patches/acme/rtq_0123456789", "/api/v1/patches?rtq_0123456789=1"] {
        let answer = registry.get(path, "").await;
        assert!(answer.status.is_client_error() && !String::from_utf8_lossy(&answer.body).contains("0123456789"));
    }
}
