//! Two thousand decisions of twenty writers, and a registry that is killed in the middle: one log, without gap,
//! duplicate or second head, that holds every accepted decision exactly once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use retoque_core::decision::Record;
use retoque_core::digest::Digest;
use retoque_core::log::VerifierKey;
use retoque_registry::store::Store;
use retoque_tests::database::Engine;
use retoque_tests::peers::go_tlog;
use retoque_tests::programs::{Service, retoque_registry};
use retoque_tests::town::Town;

use super::reader::Served;
use super::writers::{DECISIONS, Field, Told, WRITERS, targets, write};

/// Three replicas on one server; one is killed, its writers go on elsewhere.
#[test]
fn replicas_write_one_log() {
    let town = Town::found(Engine::Postgres);
    let targets = targets(&town);
    let replica = |name: &str| {
        let mut command = retoque_registry();
        command.arg("serve").arg("--dir").arg(town.dir()).args(["--listen", "127.0.0.1:0"]);
        Service::of(&mut command, &town.path(name))
    };
    let ((doomed, second), (_third, third)) = (replica("second.log"), replica("third.log"));
    let field = Field::new(&town, vec![town.url.clone(), second, third.clone()]);
    let began = Instant::now();
    let told = town.wait(async {
        let writers: Vec<_> =
            targets.into_iter().enumerate().map(|(n, target)| tokio::spawn(write(field.clone(), n, target))).collect();
        field.halfway().await;
        doomed.kill();
        join(writers).await
    });
    let took = began.elapsed();
    // The one that was killed comes back, finds nothing wrong, and shows what the others show.
    let (_again, again) = replica("second.log");
    for url in [&town.url, &third, &again] {
        judge(&town, &field, url, &told);
    }
    go_agrees(&town, &field, &third, &told);
    assert!(told.iter().map(|told| told.lost).sum::<usize>() > 0, "the killed replica was not missed");
    report("PostgreSQL, 3 replicas", &told, took);
}

/// One process on an embedded database, killed and started again.
#[test]
fn a_killed_registry_goes_on_with_its_log() {
    let town = Town::found(Engine::Sqlite);
    let targets = targets(&town);
    let field = Field::new(&town, vec![town.url.clone()]);
    let began = Instant::now();
    let told = town.wait(async {
        let writers: Vec<_> =
            targets.into_iter().enumerate().map(|(n, target)| tokio::spawn(write(field.clone(), n, target))).collect();
        field.halfway().await;
        town.kill();
        town.start();
        join(writers).await
    });
    let took = began.elapsed();
    judge(&town, &field, &town.url, &told);
    assert!(told.iter().map(|told| told.lost).sum::<usize>() > 0, "the killed registry was not missed");
    report("SQLite, 1 process", &told, took);
}

/// Go's reader finds every leaf in the tree, and every checkpoint that anybody saw continued by the last.
fn go_agrees(town: &Town, field: &Field, url: &str, told: &[Told]) {
    let key = VerifierKey::log(&field.log.origin, field.log.keys.keys()[0].clone()).unwrap();
    let file = |name: String, text: &[u8]| {
        let path = town.path(&name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let notes = told.iter().flat_map(|told| &told.seen).enumerate();
    let notes: Vec<_> = notes.map(|(n, note)| file(format!("seen-{n}"), note)).collect();
    let (accepts, said) = go_tlog(url, &file("log.key".to_owned(), key.to_string().as_bytes()), &notes);
    assert!(accepts, "{said}");
    println!("log: Go's sumdb/tlog agrees: {}", said.trim());
}

async fn join(writers: Vec<tokio::task::JoinHandle<Told>>) -> Vec<Told> {
    let mut told = Vec::with_capacity(writers.len());
    for writer in writers {
        told.push(writer.await.unwrap());
    }
    told
}

/// One log: every size has one head, every accepted decision one leaf, and nobody saw anything else.
fn judge(town: &Town, field: &Field, url: &str, told: &[Told]) {
    let mut served = town.wait(Served::fetch(&field.client, url, &field.log));
    let size = served.checkpoint.size();
    town.wait(async {
        // The embedded database lies in the installation's own folder.
        let url = match town.database.engine {
            Engine::Sqlite => format!("sqlite:{}", town.dir().join("registry.db").display()),
            Engine::Postgres => town.database.url.clone(),
        };
        let store = Store::open(&url, 2).await.unwrap();
        let mut tx = store.read().await.unwrap();
        for size in 1..=size {
            assert_eq!(tx.head(size).await.unwrap(), Some(served.head(size)), "head {size}");
        }
        assert_eq!(tx.newest_head().await.unwrap(), Some(served.head(size)));
        assert_eq!((tx.log_size().await.unwrap(), tx.last_leaf().await.unwrap()), (size, Some(size - 1)));
        drop(tx);
        store.close().await;
    });
    let mut found: HashMap<Digest, usize> = HashMap::new();
    for leaf in &served.leaves {
        if let Ok(Record::Version(record)) = Record::parse(leaf) {
            *found.entry(record.envelope).or_default() += 1;
        }
    }
    let accepted: Vec<_> = told.iter().flat_map(|told| &told.accepted).collect();
    assert_eq!(accepted.len(), DECISIONS);
    for envelope in &accepted {
        assert_eq!(found.get(envelope), Some(&1), "{envelope}");
    }
    // Besides them there is for each version its attestation, submission, approval, publication and licence.
    assert_eq!(found.values().sum::<usize>(), DECISIONS + 5 * WRITERS);
    for note in told.iter().flat_map(|told| &told.seen) {
        let seen = field.log.verify(note);
        served.continues(seen.head());
    }
}

fn report(what: &str, told: &[Told], took: Duration) {
    let sum = |of: fn(&Told) -> usize| told.iter().map(of).sum::<usize>();
    let mut waits: Vec<_> = told.iter().flat_map(|told| told.waits.iter().copied()).collect();
    waits.sort_unstable();
    let at = |percent: usize| waits[(waits.len() - 1) * percent / 100].as_millis();
    let rate = (DECISIONS as u128 * 1000).checked_div(took.as_millis()).unwrap_or_default();
    println!(
        "log: {what}: {DECISIONS} decisions of {WRITERS} writers in {:.1} s ({rate}/s); wait median {} ms, 99 of 100 \
        within {} ms, longest {} ms; {} answers lost at the kill, {} of these decisions stood; {} checkpoints seen, all \
        in one log",
        took.as_secs_f64(),
        at(50),
        at(99),
        at(100),
        sum(|told| told.lost),
        sum(|told| told.found),
        sum(|told| told.seen.len()),
    );
}
