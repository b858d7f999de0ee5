//! Roots end. A root that is renewed in time carries everything that older, expired ones stand under.

use std::io;
use std::sync::{Arc, Mutex};

use retoque_cli::config::Environment;
use retoque_cli::{Invocation, Streams};
use retoque_core::sign::Time;
use retoque_tests::database::Engine;
use retoque_tests::town::{PATCH, Town};

use super::desk::Ceremony;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the command line as the consumer, so many days from now. Gives the status and everything that was said.
fn in_days(town: &Town, days: i64, args: &[&str]) -> (u8, String) {
    let now = Time::from_micros(jiff::Timestamp::now().as_microsecond()).unwrap().whole_second();
    let said = Sink::default();
    let status = retoque_cli::run(Invocation {
        args: std::iter::once("retoque").chain(args.iter().copied()).map(Into::into).collect(),
        environment: Environment { home: Some(town.home("consumer")), ..Environment::default() },
        streams: Streams {
            stdin: Box::new(io::empty()),
            stdout: Box::new(said.clone()),
            stderr: Box::new(said.clone()),
            stdin_terminal: false,
            stdout_terminal: false,
            stderr_terminal: false,
        },
        start: Some(now.plus_seconds(days * 86_400)),
    });
    let text = String::from_utf8(said.0.lock().unwrap().clone()).unwrap();
    (status, text)
}

#[test]
fn a_root_that_is_renewed_in_time_carries_expired_ones() {
    let town = &Town::found(Engine::Sqlite);
    let reference = format!("{PATCH}@1.0.0");
    town.publish(&town.pack(PATCH, "1.0.0", &[]), &reference);
    let folder = town.path("pulled").display().to_string();
    town.ok("consumer", &["pull", &reference, "--dir", &folder]);
    let root = town.dir().join("root.json").display().to_string();

    assert_eq!(in_days(town, 0, &["verify", &folder]).0, 0);
    let (status, said) = in_days(town, 400, &["verify", &folder]);
    assert!(status == 8 && said.contains("expired"), "{status} {said}");
    let (status, said) = in_days(town, 340, &["trust", "show"]);
    assert!(status == 0 && said.contains("has to publish the next one"), "{status} {said}");

    let mut ceremony = Ceremony::of(town);
    ceremony.hold(&["--days", "3000"]);
    // Who has not heard of it still sees the end; who has goes on, though all roots in the folder have expired.
    assert_eq!(in_days(town, 400, &["verify", &folder, "--root", &root]).0, 8);
    town.ok("consumer", &["trust", "update"]);
    let (status, said) = in_days(town, 400, &["verify", &folder]);
    assert_eq!(status, 0, "{said}");
    let (status, said) = in_days(town, 400, &["trust", "show"]);
    assert!(status == 0 && !said.contains("EXPIRED"), "{said}");
    assert_eq!(in_days(town, 3001, &["verify", &folder]).0, 8);
}

#[test]
fn a_root_that_ends_soon_is_warned_about_by_the_service_and_by_the_client() {
    let town = &Town::found(Engine::Sqlite);
    let restarted = || {
        town.kill();
        std::fs::remove_file(town.path("registry.log")).unwrap();
        town.start();
        town.service().as_ref().unwrap().log()
    };
    assert!(!restarted().contains("expires soon"));
    Ceremony::of(town).hold(&["--days", "29"]);
    let log = restarted();
    assert!(log.contains("the root of trust expires soon") && log.contains("days=28"), "{log}");
    town.ok("consumer", &["trust", "update"]);
    assert!(town.ok("consumer", &["trust", "show"]).says("the operator has to publish the next one"));
}
