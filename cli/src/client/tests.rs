//! What the client makes of registries that refuse, break off, dawdle, flood or lead elsewhere.

#![allow(clippy::unwrap_used, reason = "tests")]

use reqwest::Method;
use retoque_core::digest::Digest;
use retoque_core::problem::{
    ORIGIN_CLAIMED, REDIRECT_LOOP, REDIRECTED, RESPONSE_INVALID, RESPONSE_TOO_LARGE, TOO_SLOW, UNREACHABLE,
    VERSION_WITHDRAWN,
};

use super::scripted::{Reply, Scripted};
use super::{Client, Document};
use crate::error::Failure;
use crate::output::Progress;
use crate::runtime::block_on;

fn get(server: &Scripted, cap: usize) -> Result<Vec<u8>, Failure> {
    let client = server.client();
    block_on(client.bytes(client.api(&["x"]), cap)).map(|bytes| bytes.to_vec())
}

#[test]
fn a_refusal_keeps_its_code_findings_and_status() {
    let server = Scripted::start(|_, _| {
        let problem = br#"{"type":"about:blank","title":"t","status":410,"code":"version_withdrawn","detail":"gone",
            "next":"n","findings":[{"code":"version_withdrawn","severity":"error","found":"f","expected":"e","next":"n"}]}"#;
        Reply::Whole("410 Gone", "content-type: application/problem+json\r\n".into(), problem.to_vec())
    });
    let failure = get(&server, 10).unwrap_err();
    assert!(failure.is(VERSION_WITHDRAWN) && failure.exit_status() == 4 && failure.list().len() == 1);
    assert_eq!(server.seen().len(), 1, "a refusal is not asked for again");
}

#[test]
fn a_busy_registry_is_asked_again_and_a_post_only_when_it_was_not_taken() {
    let busy = |n: usize, status: &'static str| {
        if n < 2 { Reply::Whole(status, String::new(), Vec::new()) } else { Reply::ok("{}") }
    };
    let server = Scripted::start(move |n, _| busy(n, "503 Service Unavailable"));
    assert_eq!(get(&server, 10).unwrap(), b"{}");
    let post = |server: &Scripted| {
        let client = server.client();
        let body = Document::json(&1).unwrap();
        block_on(client.call::<serde_json::Value>(Method::POST, client.api(&["x"]), Some(body)))
    };
    let server = Scripted::start(move |n, _| busy(n, "503 Service Unavailable"));
    assert!(post(&server).unwrap_err().is(RESPONSE_INVALID));
    assert_eq!(server.seen().len(), 1);
    let server = Scripted::start(move |n, _| busy(n, "429 Too Many Requests"));
    assert!(post(&server).is_ok());
}

#[test]
fn no_answer_is_larger_than_its_cap() {
    let announced = Scripted::start(|_, _| Reply::Hang(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n".to_vec()));
    assert!(get(&announced, 10).unwrap_err().is(RESPONSE_TOO_LARGE), "before a byte is read");
    let endless = Scripted::start(|_, _| {
        let mut bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        (0..100).for_each(|_| bytes.extend(b"8\r\n01234567\r\n"));
        Reply::Hang(bytes)
    });
    assert!(get(&endless, 10).unwrap_err().is(RESPONSE_TOO_LARGE));
}

#[test]
fn a_registry_that_dawdles_is_left() {
    for bytes in ["", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12"] {
        let server = Scripted::start(move |_, _| Reply::Hang(bytes.into()));
        assert!(get(&server, 10).unwrap_err().is(TOO_SLOW), "{bytes:?}");
        assert_eq!(server.seen().len(), 3, "tried again twice");
    }
}

#[test]
fn half_an_answer_is_none() {
    let server = Scripted::start(|n, _| match n {
        0 => Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12".to_vec()),
        _ => Reply::ok("12345"),
    });
    assert_eq!(get(&server, 10).unwrap(), b"12345");
    let server = Scripted::start(|_, _| Reply::Raw(Vec::new()));
    assert!(get(&server, 10).unwrap_err().is(UNREACHABLE));
}

#[test]
fn the_token_goes_to_no_other_host() {
    let other = Scripted::start(|_, _| Reply::ok("{}"));
    let to = format!("location: {}/y\r\n", other.url);
    let server = Scripted::start(move |_, _| Reply::Whole("302 Found", to.clone(), Vec::new()));
    assert!(get(&server, 10).unwrap_err().is(REDIRECTED));
    assert!(other.seen().is_empty(), "{:?}", other.seen());
    assert!(server.seen()[0].contains("authorization: Bearer rtq_secret"));
    let within = Scripted::start(|n, _| match n {
        0 => Reply::Whole("302 Found", "location: /y\r\n".into(), Vec::new()),
        _ => Reply::ok("{}"),
    });
    assert_eq!(get(&within, 10).unwrap(), b"{}");
}

#[test]
fn a_registry_that_leads_in_circles_is_not_called_another_host() {
    let server = Scripted::start(|_, _| Reply::Whole("302 Found", "location: /y\r\n".into(), Vec::new()));
    let failure = get(&server, 10).unwrap_err();
    assert!(failure.is(REDIRECT_LOOP) && failure.message().contains("more than 5 times"), "{failure:?}");
    assert_eq!(server.seen().len(), 6);
}

#[test]
fn what_is_sent_again_is_counted_once() {
    let server = Scripted::start(|n, _| match n {
        0 | 1 => Reply::Whole("503 Service Unavailable", String::new(), Vec::new()),
        _ => Reply::ok(format!(r#"{{"upload":"x","size":300000,"sha256":"{}"}}"#, Digest::of(&vec![7; 300_000]))),
    });
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, vec![7; 300_000]).unwrap();
    let bar = Progress::new("", 600_000, false);
    bar.add(5);
    let client = server.client();
    block_on(client.upload(&file, 300_000, Digest::of(&vec![7; 300_000]), &bar)).unwrap();
    assert_eq!((server.seen().len(), bar.position()), (3, 300_005));
}

#[test]
fn what_is_absent_is_absent_in_any_words() {
    let server = Scripted::start(|_, _| Reply::Whole("404 Not Found", String::new(), b"<html>".to_vec()));
    let client = server.client();
    assert_eq!(block_on(client.optional_bytes(client.api(&["x"]), 10)).unwrap(), None);
}

#[test]
fn a_range_is_that_range() {
    let range = |client: &Client| block_on(client.range(client.api(&["x"]), 4, 3));
    let good = Scripted::start(|_, head| {
        assert!(head.contains("range: bytes=4-6"), "{head}");
        Reply::Whole("206 Partial Content", String::new(), b"abc".to_vec())
    });
    assert_eq!(range(&good.client()).unwrap(), "abc");
    for (status, body) in [("206 Partial Content", "ab"), ("200 OK", "abc")] {
        let server = Scripted::start(move |_, _| Reply::Whole(status, String::new(), body.into()));
        assert!(range(&server.client()).unwrap_err().is(RESPONSE_INVALID), "{status}");
    }
}

#[test]
fn a_registry_that_calls_itself_another_is_not_believed() {
    let answer = |origin: &str| {
        let view = format!(r#"{{"origin":"{origin}","root_version":1,"root_fingerprint":"x","max_package_bytes":1}}"#);
        Reply::ok(view)
    };
    let evil = Scripted::start(move |_, _| answer("https://bank.example"));
    assert!(block_on(evil.client().origin(None)).unwrap_err().is(ORIGIN_CLAIMED));
    assert_eq!(block_on(evil.client().origin(Some("https://known.example"))).unwrap(), "https://known.example");
    let honest = Scripted::start(move |_, head| {
        let host = head.lines().find_map(|l| l.strip_prefix("host: ")).unwrap();
        answer(&format!("http://{host}"))
    });
    assert_eq!(block_on(honest.client().origin(None)).unwrap(), honest.url.to_string());
}

#[test]
fn another_version_than_the_one_asked_for_is_noticed() {
    let digest = |text: &str| Digest::of(text.as_bytes());
    let view = serde_json::json!({
        "patch": "acme/tiny-desk", "version": "1.2.0", "digest": digest("m"), "state": "published",
        "evidence": "EXPERIMENTAL", "licence": "none", "created": "2026-01-01T00:00:00Z",
        "base": format!("acme/base@{}", "7".repeat(40)), "package_sha256": digest("p"), "package_size": 1,
        "pushed_by": "builder", "head": digest("h"),
    });
    let server = Scripted::start(move |_, _| Reply::ok(view.to_string()));
    let ask = |patch: &str, version: &str| {
        block_on(server.client().version(&patch.parse().unwrap(), version)).map_err(|f| f.code().to_owned())
    };
    assert!(ask("acme/tiny-desk", "1.2.0").is_ok() && ask("acme/tiny-desk", &digest("m").to_string()).is_ok());
    for (patch, version) in [("acme/other", "1.2.0"), ("acme/tiny-desk", "1.2.1")] {
        assert_eq!(ask(patch, version).unwrap_err(), "name_mismatch");
    }
    assert_eq!(ask("acme/tiny-desk", &digest("x").to_string()).unwrap_err(), "name_mismatch");
}

#[test]
fn a_list_is_whole_or_an_error() {
    let list = |server: &Scripted| block_on(server.client().list::<u64>(server.client().api(&["x"])));
    let two = Scripted::start(|n, head| {
        assert_eq!(head.contains("?cursor=a%2Fb"), n == 1, "{head}");
        Reply::ok(if n == 0 { r#"{"items":[1],"next":"a/b"}"# } else { r#"{"items":[2]}"# })
    });
    assert_eq!(list(&two).unwrap(), [1, 2]);
    for page in [r#"{"items":[],"next":"a"}"#, r#"{"items":[1],"next":"a"}"#] {
        let server = Scripted::start(move |_, _| Reply::ok(page));
        assert!(list(&server).unwrap_err().is(RESPONSE_INVALID), "{page}");
    }
    let endless = Scripted::start(|n, _| Reply::ok(format!(r#"{{"items":{:?},"next":"{n}"}}"#, vec![0_u64; 5000])));
    assert!(list(&endless).unwrap_err().is(RESPONSE_TOO_LARGE));
    assert_eq!(endless.seen().len(), 4);
}

#[test]
fn debug_output_holds_no_token() {
    let server = Scripted::start(|_, _| Reply::ok("{}"));
    assert!(!format!("{:?}", server.client()).contains("rtq_secret"));
}
