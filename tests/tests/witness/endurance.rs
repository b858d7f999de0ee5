//! Killed at any moment and asked twice at once, the witness never cosigns two histories.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use retoque_core::log::witness::read_size;

use super::log::Log;
use super::{Folder, ask, client};

const ORIGIN: &str = "log.example/a";

#[tokio::test]
async fn after_a_kill_it_knows_what_it_cosigned() {
    let log = Log::of(ORIGIN, 1, 5);
    let folder = Folder::of(&[log.vkey()]);
    let witness = folder.serve();
    assert_eq!(witness.add(log.request(0)).await.status.as_u16(), 200);
    witness.service.kill();
    let witness = folder.serve();
    let fresh = witness.add(log.forked(0).request(0)).await;
    assert_eq!((fresh.status.as_u16(), fresh.body.as_str()), (409, "5\n"));
    assert_eq!(witness.add(log.forked(4).request(5)).await.status.as_u16(), 409);
    let mut larger = log.clone();
    larger.grow(6, "record");
    assert_eq!(witness.add(larger.request(5)).await.status.as_u16(), 200);
}

/// The log grows as fast as the witness cosigns, until the witness is killed in the middle of it.
#[tokio::test]
async fn no_signature_leaves_before_its_checkpoint_is_kept() {
    let mut log = Log::of(ORIGIN, 1, 1);
    let folder = Folder::of(&[log.vkey()]);
    let cosigned = Arc::new(AtomicU64::new(0));
    let mut known = 0;
    for round in 0..5_u64 {
        let witness = folder.serve();
        let (url, seen, mut growing) = (witness.url.clone(), Arc::clone(&cosigned), log.clone());
        let before = cosigned.load(Ordering::SeqCst);
        let asking = tokio::spawn(async move {
            let client = client();
            let mut old = known;
            loop {
                growing.grow(old + 1, "record");
                let Ok(answer) = ask(&client, &url, growing.request(old).to_string()).await else { return };
                assert_eq!(answer.status.as_u16(), 200, "{answer:?}");
                old += 1;
                seen.store(old, Ordering::SeqCst);
            }
        });
        // Somewhere within the next cosignatures, at another place in each round.
        while cosigned.load(Ordering::SeqCst) < before + 3 + round && !asking.is_finished() {
            tokio::time::sleep(Duration::from_micros(300 * round + 100)).await;
        }
        witness.service.kill();
        asking.await.unwrap();
        let witness = folder.serve();
        let seen = cosigned.load(Ordering::SeqCst);
        log.grow(seen + 1, "record");
        // A size that it cannot know makes it say which it knows: what it has cosigned, or one more that it kept and
        // did not come to answer.
        let answer = witness.add(log.request(1).to_string().replace("old 1\n", "old 0\n")).await;
        assert_eq!(answer.status.as_u16(), 409);
        known = read_size(answer.body.as_bytes()).unwrap();
        assert!(known == seen || known == seen + 1, "cosigned {seen}, known {known}");
    }
}

#[tokio::test]
async fn of_two_histories_at_once_one_is_cosigned() {
    let mut log = Log::of(ORIGIN, 1, 1);
    let folder = Folder::of(&[log.vkey()]);
    let witness = folder.serve();
    assert_eq!(witness.add(log.request(0)).await.status.as_u16(), 200);
    for old in 1..20 {
        let mut one = log.clone();
        one.grow(old + 1, "one");
        let mut two = log.clone();
        two.grow(old + 1, "two");
        let bodies = [&one, &two, &one, &two].map(|log| log.request(old).to_string());
        let answers = bodies.map(|body| {
            let (client, url) = (witness.client.clone(), witness.url.clone());
            tokio::spawn(async move { ask(&client, &url, body).await.unwrap().status.as_u16() })
        });
        let mut statuses = Vec::new();
        for answer in answers {
            statuses.push(answer.await.unwrap());
        }
        let cosigned: Vec<usize> = (0..4).filter(|i| statuses[*i] == 200).collect();
        assert_eq!(cosigned.len(), 1, "{statuses:?}");
        log = if [0, 2].contains(&cosigned[0]) { one } else { two };
    }
}
