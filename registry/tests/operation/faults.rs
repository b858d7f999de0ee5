//! A disk that fills up, and a service that is killed while bytes arrive.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retoque_core::digest::Digest;

use super::program::{Installation, Request, Service, files, program};

/// Makes a build worker and answers its bearer header.
fn build_worker(service: &Service, installation: &Installation) -> String {
    let operator = format!("Bearer {}", installation.token());
    let post = |path: &str, body: &str| {
        let headers = [("authorization", operator.as_str()), ("content-type", "application/json")];
        let (status, text) =
            service.request(&Request { method: "POST", path, headers: &headers, body: body.as_bytes() });
        assert_eq!(status, 201, "{text}");
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    post("/api/v1/accounts", r#"{"name":"worker","display":"Worker","roles":["build"]}"#);
    let token = post("/api/v1/tokens", r#"{"account":"worker","label":"test","scope":"write"}"#);
    format!("Bearer {}", token["secret"].as_str().unwrap())
}

fn upload(service: &Service, bearer: &str, content: &[u8]) -> (u16, String) {
    let digest = format!("sha-256=:{}:", STANDARD.encode(Digest::of(content).as_bytes()));
    let headers = [("authorization", bearer), ("content-digest", digest.as_str())];
    service.request(&Request { method: "POST", path: "/api/v1/uploads", headers: &headers, body: content })
}

#[test]
fn a_full_disk_refuses_and_recovers() {
    let installation = Installation::made();
    // No file may grow beyond 2 MiB: what a quota or a full disk looks like from within. The signal for it is ignored.
    let mut limited = std::process::Command::new("sh");
    let command = program(&["serve", "--dir", &installation.dir(), "--listen", "127.0.0.1:0"]);
    limited.args(["-c", "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\""]);
    limited.arg(command.get_program()).args(command.get_args()).env_clear().env("PATH", "/usr/bin:/bin");
    let service = Service::of(limited);
    let bearer = build_worker(&service, &installation);
    let (status, text) = upload(&service, &bearer, &vec![7; 6 << 20]);
    assert_eq!(status, 503, "{text}");
    assert!(text.contains("storage_unavailable"), "{text}");
    assert_eq!(installation.staged(), [""; 0].map(std::path::PathBuf::from));
    // It is still there for what fits.
    assert_eq!(upload(&service, &bearer, b"small").0, 201);
    assert_eq!(service.request(&Request::get("/readyz")).0, 200);
    assert_eq!(installation.staged().len(), 1);
}

#[test]
fn a_killed_service_shows_nothing_half_done() {
    let installation = Installation::made();
    let service = Service::start(&installation.dir());
    let bearer = build_worker(&service, &installation);
    let content = vec![9; 20 << 20];
    let digest = format!("sha-256=:{}:", STANDARD.encode(Digest::of(&content).as_bytes()));
    let length = content.len().to_string();
    let headers =
        [("authorization", bearer.as_str()), ("content-digest", digest.as_str()), ("content-length", length.as_str())];
    let half = &content[..12 << 20];
    let stream = service.send(&Request { method: "POST", path: "/api/v1/uploads", headers: &headers, body: half });
    service.signal("KILL");
    let (status, _) = service.end();
    assert_eq!(status, None);
    drop(stream);
    // Nothing lies under a digest; the next service starts on what is there and takes the same upload.
    let blobs = installation.path("storage/blobs");
    assert!(!blobs.exists() || files(&blobs).is_empty());
    let service = Service::start(&installation.dir());
    assert_eq!(upload(&service, &bearer, &content).0, 201);
}

#[test]
fn a_body_that_stops_half_way_leaves_nothing() {
    let installation = Installation::made();
    let service = Service::start(&installation.dir());
    let bearer = build_worker(&service, &installation);
    let content = vec![9; 10 << 20];
    let digest = format!("sha-256=:{}:", STANDARD.encode(Digest::of(&content).as_bytes()));
    let headers =
        [("authorization", bearer.as_str()), ("content-digest", digest.as_str()), ("content-length", "20000000")];
    let stream = service.send(&Request { method: "POST", path: "/api/v1/uploads", headers: &headers, body: &content });
    // No more will come, but the answer can still be read.
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut stream = stream;
    let _ = std::io::Read::read_to_end(&mut stream, &mut Vec::new());
    drop(stream);
    // The removal may run behind the end of the connection; an ordinary end waits for it.
    service.signal("TERM");
    assert_eq!(service.end().0, Some(0));
    assert_eq!(installation.staged().len(), 0);
}
