//! Uploads that are not what they announce, and names that are none.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use reqwest::Method;
use retoque_core::digest::Digest;
use retoque_tests::database::Engine;
use retoque_tests::town::{PATCH, Town};
use serde_json::json;

use super::stored;

#[test]
fn uploads_keep_their_word_or_leave_nothing() {
    let town = Town::found(Engine::Sqlite);
    let before = stored(&town);
    // Another digest than announced.
    let wrong = town.upload_request(b"some bytes".to_vec(), "worker").body("some bytez");
    assert_eq!(town.send(wrong).refused(400), "body_digest");
    // No digest, one of another kind, one that is none.
    for digest in ["", "sha-512=:AAAA:", "sha-256=:AAAA:", "sha-256=AAAA", "md5"] {
        let request = town.request(Method::POST, "/api/v1/uploads", "worker").header("content-digest", digest);
        assert_eq!(town.send(request.body("x")).refused(400), "body_digest", "{digest}");
    }
    // More than is taken at all: refused by what it announces.
    let announced = raw(&town, u64::MAX / 2, b"x", &Digest::of(b"x"));
    assert!(announced.starts_with("HTTP/1.1 413 ") && announced.contains("body_too_large"), "{announced}");
    // A body that stops half-way.
    let half = raw(&town, 100_000, &[b'a'; 50_000], &Digest::of(&[b'a'; 100_000]));
    assert!(half.is_empty() || half.starts_with("HTTP/1.1 400 "), "{half}");
    // Only who may push may upload, and nobody uses the upload of another.
    assert_eq!(town.send(town.upload_request(b"x".to_vec(), "")).refused(401), "token_missing");
    assert_eq!(town.send(town.upload_request(b"x".to_vec(), "eve")).refused(403), "not_allowed");
    let read = town.new_token("worker", &["--scope", "read"]);
    assert_eq!(town.send(town.upload_request(b"x".to_vec(), &read)).refused(403), "token_scope");
    settled(&town, &before);
    assert_eq!(stored(&town), before);
}

/// Waits for the service to notice that a connection has gone; it has no other sign from outside.
fn settled(town: &Town, before: &[String]) {
    let begin = std::time::Instant::now();
    while stored(town) != before && begin.elapsed().as_secs() < 20 {
        std::thread::yield_now();
    }
}

/// Sends a request with this announced length, then ends the sending. Gives what comes back.
fn raw(town: &Town, length: u64, body: &[u8], digest: &Digest) -> String {
    use base64::Engine as _;
    let address = town.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let digest = base64::engine::general_purpose::STANDARD.encode(digest.as_bytes());
    let head = format!(
        "POST /api/v1/uploads HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-length: {length}\r\n\
         content-digest: sha-256=:{digest}:\r\nconnection: close\r\n\r\n",
        town.token("worker")
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It may be refused before all of it is sent.
    let _ = stream.write_all(body);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn names_have_one_spelling() {
    let town = Town::found(Engine::Sqlite);
    let before = stored(&town);
    let push = |patch: &str, version: &str| {
        let path = format!("/api/v1/patches/{patch}/versions/{version}");
        town.send(town.request(Method::PUT, &path, "worker").json(&json!({ "package": "x", "record": {} })))
    };
    for version in ["v1.0.0", "1.0.0+build", "1.0", "01.0.0", "1.0.0-", "1.0.0-01", "latest", "%31.0.0", "1.0.0%2B1"] {
        let answer = push(PATCH, version);
        assert!([400, 404, 422].contains(&answer.status.as_u16()), "{version}: {}", answer.status);
    }
    // Wrong case, a Cyrillic letter, reserved, two dashes, an escape: none is a patch.
    for patch in [
        "Acme/ticket-router",
        "acme/Ticket-Router",
        "%D0%B0cme/ticket-router",
        "api/ticket-router",
        "acme/ticket--router",
        "acme/ticket_router",
        "acme/..%2Fticket-router",
    ] {
        let answer = push(patch, "1.0.0");
        assert!([400, 404, 422].contains(&answer.status.as_u16()), "{patch}: {}", answer.status);
        assert!(!town.get(&format!("/api/v1/patches/{patch}"), "ada").status.is_success(), "{patch}");
    }
    for name in ["Acme", "\u{430}cme", "api", "v2", "healthz", "a", "-acme", "acme-", "ac--me", "ac me", "acme\u{200b}"]
    {
        let body = json!({ "name": name, "display": "x" });
        let answer = town.send(town.request(Method::POST, "/api/v1/orgs", "operator").json(&body));
        assert!([400, 422].contains(&answer.status.as_u16()), "{name:?}: {}", answer.status);
    }
    assert_eq!(stored(&town), before);
}
