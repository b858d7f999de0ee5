//! A service that starts, answers, stops on a signal and is started again.

use std::io::Write as _;

use super::program::{Installation, Request, Service, answer, program, run};

#[test]
fn it_starts_answers_and_stops_on_either_signal() {
    let installation = Installation::made();
    for signal in ["TERM", "INT"] {
        let service = Service::start(&installation.dir());
        assert_eq!(service.request(&Request::get("/healthz")).0, 200);
        assert_eq!(service.request(&Request::get("/readyz")).0, 200);
        assert_eq!(service.request(&Request::get("/nowhere")).0, 404);
        service.signal(signal);
        let (status, log) = service.end();
        assert_eq!(status, Some(0), "{log}");
    }
    // Nothing waits in a side file.
    assert!(!installation.path("registry.db-wal").exists());
}

#[test]
fn the_first_token_works_and_is_in_no_log() {
    let installation = Installation::made();
    let token = installation.token();
    let mut command = program(&["serve", "--dir", &installation.dir(), "--listen", "127.0.0.1:0"]);
    command.env("RETOQUE_LOG_LEVEL", "debug").env("RETOQUE_LOG_FORMAT", "json");
    let service = Service::of(command);
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let (status, body) = service.request(&Request { headers: &headers, ..Request::get("/api/v1/whoami") });
    assert_eq!(status, 200, "{body}");
    let me: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (me["account"]["name"].as_str(), me["account"]["roles"][0].as_str()),
        (Some("operator"), Some("operate"))
    );
    let wrong = [("authorization", "Bearer rtq_0000")];
    assert_eq!(service.request(&Request { headers: &wrong, ..Request::get("/api/v1/whoami") }).0, 401);
    service.signal("TERM");
    let (_, log) = service.end();
    assert!(log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{log}");
    assert!(!log.contains(&token[8..]), "{log}");
}

#[test]
fn init_shows_the_token_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, asked) in [("silent", false), ("asked", true)] {
        let dir = folder.path().join(name);
        let mut args = vec!["init", "--dir", dir.to_str().unwrap()];
        args.extend(asked.then_some("--print-token"));
        let (status, out, errors) = run(&args);
        assert_eq!(status, 0, "{errors}");
        let token = std::fs::read_to_string(dir.join("operator.token")).unwrap();
        assert_eq!(out.contains(token.trim()), asked);
    }
}

#[test]
fn a_request_under_way_may_end() {
    let installation = Installation::made();
    let service = Service::start(&installation.dir());
    let bearer = format!("Bearer {}", installation.token());
    let body = br#"{"name":"late-account","display":"Late"}"#;
    let length = body.len().to_string();
    let headers =
        [("authorization", bearer.as_str()), ("content-type", "application/json"), ("content-length", length.as_str())];
    let mut stream = service.begin(&Request { method: "POST", path: "/api/v1/accounts", headers: &headers, body: b"" });
    stream.write_all(&body[..10]).unwrap();
    service.signal("TERM");
    service.closed();
    stream.write_all(&body[10..]).unwrap();
    let (status, text) = answer(stream);
    assert_eq!(status, 201, "{text}");
    assert_eq!(service.end().0, Some(0));
}

#[test]
fn a_request_that_does_not_end_is_cut_off() {
    let installation = Installation::made();
    let mut command = program(&["serve", "--dir", &installation.dir(), "--listen", "127.0.0.1:0"]);
    let service = Service::of({
        command.env("RETOQUE_SERVER_DRAIN", "1s");
        command
    });
    let bearer = format!("Bearer {}", installation.token());
    let headers =
        [("authorization", bearer.as_str()), ("content-type", "application/json"), ("content-length", "1000")];
    let stream = service.begin(&Request { method: "POST", path: "/api/v1/accounts", headers: &headers, body: b"" });
    service.signal("TERM");
    let (status, log) = service.end();
    assert_eq!(status, Some(0), "{log}");
    drop(stream);
}

#[test]
fn reviewers_come_and_go_by_the_offline_keys() {
    let installation = Installation::made();
    let dir = installation.dir();
    let pem = |n: u8| installation.path(&format!("keys/root-{n}.pem")).to_str().unwrap().to_owned();
    // Any public key will do: another installation's operator.
    let other = Installation::made();
    let (_, shown, _) = run(&["root", "show", "--dir", &other.dir()]);
    let key = shown.lines().find_map(|l| l.strip_prefix("operate")).unwrap().trim().to_owned();
    let change = |what: &str, role: &str, signers: &[u8]| {
        let signers: Vec<String> = signers.iter().map(|n| pem(*n)).collect();
        let mut args = vec!["root", what, "--dir", &dir, "--role", role, "--key", &key];
        args.extend(signers.iter().flat_map(|path| ["--signer", path]));
        run(&args)
    };
    assert_eq!(change("add", "review", &[1]).0, 3, "one of two signatures");
    assert_eq!(change("add", "review", &[1, 1]).0, 3, "one key twice");
    assert_eq!(change("add", "platform-build", &[1, 2]).0, 1, "a role of the platform");
    let (status, out, errors) = change("add", "review", &[1, 3]);
    assert!(status == 0 && out.contains("version      2") && out.contains(&key), "{out}{errors}");
    assert_eq!(change("add", "review", &[1, 3]).0, 1, "a key that is there");
    assert_eq!(change("remove", "operate", &[1, 3]).0, 6, "a key that is not there");
    let operator = installation.path("keys/operator.pem").to_str().unwrap().to_owned();
    let surplus = ["root", "remove", "--dir", &dir, "--role", "review", "--key", &key];
    let (one, two) = (pem(1), pem(2));
    let surplus = [&surplus[..], &["--signer", &one, "--signer", &two, "--signer", &operator]].concat();
    let (status, _, errors) = run(&surplus);
    assert!(status == 3 && errors.contains("a signature that does not count"), "{status} {errors}");
    let (status, out, errors) = change("remove", "review", &[2, 3]);
    assert!(status == 0 && out.contains("version      3") && !out.contains(&key), "{out}{errors}");
}
