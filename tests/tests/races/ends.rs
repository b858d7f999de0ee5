//! A registry that is killed in the middle of pushes shows all of a version or nothing; one that is asked to end lets a
//! download end.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use reqwest::Method;
use retoque_tests::database::Engine;
use retoque_tests::packages::as_version;
use retoque_tests::town::{PATCH, Town};

retoque_tests::on_both!(a_killed_registry_shows_all_or_nothing, a_download_may_end);

const KILLS: u32 = 10;

fn a_killed_registry_shows_all_or_nothing(engine: Engine) {
    let town = Town::found(engine);
    let package = fs::read(town.pack(PATCH, "1.0.0", &[])).unwrap();
    let (mut seen, mut unseen) = (0, 0);
    let file = town.path("pushed.tar.zst");
    fs::write(&file, as_version(&package, "0.1.0")).unwrap();
    let body = town.push_body(&town.upload(fs::read(&file).unwrap(), "worker"), "worker");
    let begin = Instant::now();
    let push = town.request(Method::PUT, &Town::at(&format!("{PATCH}@0.1.0")), "worker").json(&body);
    town.send(push).expect(201);
    let usual = begin.elapsed();
    for round in 0..KILLS {
        let version = format!("1.{round}.0");
        let reference = format!("{PATCH}@{version}");
        let bytes = as_version(&package, &version);
        let body = town.push_body(&town.upload(bytes.clone(), "worker"), "worker");
        let push = town.request(Method::PUT, &Town::at(&reference), "worker").json(&body);
        // The kills close in on the end of the push, where it becomes visible, and the last one comes after it.
        let delay = [20, 60, 80, 88, 92, 95, 98, 101, 105, 400][round as usize] * usual / 100;
        let killed = town.wait(async {
            let push = tokio::spawn(push.send());
            tokio::time::sleep(delay).await;
            town.kill();
            push.await.unwrap().map(|answer| answer.status().as_u16())
        });
        town.start();
        let there = town.get(&Town::at(&reference), "worker");
        match there.status.as_u16() {
            200 => {
                seen += 1;
                assert_eq!(town.kinds(&reference, "worker"), ["attested"]);
                let stored = town.get(&format!("{}/package", Town::at(&reference)), "rita").expect(200);
                assert!(stored.body == bytes, "{reference} is there, but its package is not");
                town.submit(&reference).expect(0);
                town.ok("rita", &["review", "show", &reference]);
            }
            404 => {
                unseen += 1;
                assert!(!matches!(killed, Ok(201)), "{reference} was promised and is not there");
                // Nothing of it stands in the way.
                fs::write(&file, &bytes).unwrap();
                town.push(&file).expect(0);
            }
            other => panic!("{reference}: {other}"),
        }
    }
    assert!(unseen > 0 && seen > 0, "{unseen} kills came before the end of a push, {seen} after it");
}

fn a_download_may_end(engine: Engine) {
    let town = Town::found(engine);
    let reference = format!("{PATCH}@1.0.0");
    town.publish(&town.pack(PATCH, "1.0.0", &[]), &reference);
    let whole = town.get(&format!("{}/package", Town::at(&reference)), "").expect(200).body;
    let address = town.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {}/package HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n", Town::at(&reference))
        .unwrap();
    let mut got = vec![0; 1000];
    stream.read_exact(&mut got).unwrap();
    let service = town.service().take().unwrap();
    service.terminate();
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
    stream.read_to_end(&mut got).unwrap();
    assert!(got.ends_with(&whole), "the download was cut off: {} bytes", got.len());
    assert_eq!(service.end(), Some(0));
    // Started again, everything is as before.
    town.start();
    town.ok("consumer", &["pull", PATCH, "--dir", "pulled"]);
}
