//! Each status of the protocol, and the signatures that come with 200.

use reqwest::StatusCode;
use retoque_core::log::witness::read_lines;

use super::Folder;
use super::log::Log;

const ORIGIN: &str = "log.example/a";

#[tokio::test]
async fn what_continues_the_log_is_cosigned() {
    let mut log = Log::of(ORIGIN, 1, 3);
    let folder = Folder::of(&[log.vkey()]);
    let witness = folder.serve();
    let mut old = 0;
    for size in [3, 3, 4, 8, 300] {
        log.grow(size, "record");
        let answer = witness.add(log.request(old)).await;
        assert_eq!((answer.status, answer.kind.as_str()), (StatusCode::OK, "text/plain; charset=utf-8"), "{answer:?}");
        let (line, _) = read_lines(answer.body.as_bytes(), &log.checkpoint(), &folder.vkey).unwrap();
        assert_eq!(answer.body, format!("{line}\n"));
        old = size;
    }
    drop(witness);
    let shown = folder.run("show").expect(0);
    assert!(shown.says(&folder.vkey.to_string()) && shown.says(&format!("{ORIGIN}: 300 leaves")), "{shown:?}");
}

#[tokio::test]
async fn every_refusal_has_its_status() {
    let log = Log::of(ORIGIN, 1, 5);
    let folder = Folder::of(&[log.vkey()]);
    let witness = folder.serve();
    let status = async |body: String| witness.add(body).await.status.as_u16();
    let good = log.request(0).to_string();
    for bad in [String::new(), good.replace("old", "new"), good.replace("\n\n", "\n"), "x".repeat(30_000)] {
        assert_eq!(status(bad).await, 400);
    }
    assert_eq!(status(Log::of("log.example/b", 1, 5).request(0).to_string()).await, 404);
    // Another key under the name of the log, and a changed text under its own signature.
    assert_eq!(status(Log::of(ORIGIN, 2, 5).request(0).to_string()).await, 403);
    assert_eq!(status(good.replace("\n5\n", "\n6\n")).await, 403);
    assert_eq!(status(good.replace("old 0", "old 6")).await, 400);
    let unknown = witness.add(log.request(3)).await;
    assert_eq!(
        (unknown.status.as_u16(), unknown.kind.as_str(), unknown.body.as_str()),
        (409, "text/x.tlog.size", "0\n")
    );
    // Nothing of this was taken for a first contact.
    assert_eq!(status(good.clone()).await, 200);
    let behind = witness.add(&good).await;
    assert_eq!((behind.status.as_u16(), behind.body.as_str()), (409, "5\n"));
    let mut larger = log.clone();
    larger.grow(9, "record");
    let mut unproven = larger.request(5);
    unproven.proof.pop();
    assert_eq!(status(unproven.to_string()).await, 422);
    assert_eq!(status(larger.forked(2).request(5).to_string()).await, 422);
    assert_eq!(status(larger.request(5).to_string()).await, 200);
    let got = reqwest::get(format!("{}/add-checkpoint", witness.url)).await.unwrap();
    assert_eq!(got.status().as_u16(), 405);
}

#[tokio::test]
async fn a_second_history_is_refused_and_kept_as_evidence() {
    let log = Log::of(ORIGIN, 1, 5);
    let folder = Folder::of(&[log.vkey()]);
    let witness = folder.serve();
    assert_eq!(witness.add(log.request(0)).await.status.as_u16(), 200);
    let other = log.forked(3).request(5);
    let answer = witness.add(&other).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (409, "5\n"));
    let kept = |kind: &str| {
        let entries = std::fs::read_dir(folder.path().join("state")).unwrap().map(|entry| entry.unwrap().path());
        let file = entries.filter(|path| path.extension().is_some_and(|e| e == kind)).last().unwrap();
        std::fs::read_to_string(file).unwrap()
    };
    assert_eq!(kept("fork"), other.checkpoint.note().to_string());
    assert_eq!(kept("checkpoint"), log.request(0).checkpoint.note().to_string());
}

#[tokio::test]
async fn a_log_may_have_two_keys() {
    let (old, new) = (Log::of(ORIGIN, 1, 5), Log::of(ORIGIN, 2, 7));
    let folder = Folder::of(&[old.vkey(), new.vkey()]);
    let witness = folder.serve();
    assert_eq!(witness.add(old.request(0)).await.status.as_u16(), 200);
    assert_eq!(witness.add(new.request(5)).await.status.as_u16(), 200);
}
