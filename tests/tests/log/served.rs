//! What anyone may read of the log: the checkpoint with its signatures, tiles and entries, in their one spelling.

use std::time::Duration;

use retoque_core::decision::Record;
use retoque_core::log::{Bundle, SignedCheckpoint, Tile, VerifiedCheckpoint, leaf_hash};
use retoque_core::sign::{Role, Root, Time};
use retoque_tests::registry::{Answer, Registry};
use serde_json::json;

use super::naive;

const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The served checkpoint, signed by the log's key in the root.
async fn checkpoint(registry: &Registry) -> VerifiedCheckpoint {
    let answer = registry.get("/log/checkpoint", "").await.expect(200);
    verified(registry, &answer)
}

fn verified(registry: &Registry, answer: &Answer) -> VerifiedCheckpoint {
    let root = std::fs::read(registry.dir.join("root.json")).unwrap();
    let keys = Root::trust(&root, None).unwrap().keys(Role::PlatformLog);
    let origin = registry.url.strip_prefix("http://").unwrap();
    SignedCheckpoint::parse(&answer.body).unwrap().verify(origin, &keys).unwrap()
}

#[tokio::test]
async fn the_checkpoint_is_the_newest_head() {
    let registry = Registry::start().await;
    let first = registry.get("/log/checkpoint", "").await.expect(200);
    assert_eq!(first.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(first.header("cache-control"), "public, no-cache");
    let checkpoint_now = verified(&registry, &first);
    assert_eq!(checkpoint_now.size(), 2, "the root and the operator's key");
    // The same bytes until something changes.
    assert_eq!(registry.get("/log/checkpoint", "").await.expect(200).body, first.body);
    let tag = first.header("etag").to_owned();
    let again = registry.request(reqwest::Method::GET, "/log/checkpoint", "").header("if-none-match", &tag);
    retoque_tests::registry::answer(again).await.expect(304);

    registry.person("ada", &[]).await;
    let newest = checkpoint(&registry).await;
    assert_eq!(newest.size(), 3);
    let tile = Tile::in_tree(3, 0, 0).unwrap();
    let bytes = registry.get(&format!("/log/tile/{tile}"), "").await.expect(200).body;
    let hashes = tile.hashes(&bytes).unwrap();
    assert_eq!(newest.root(), naive::root(&hashes));
    assert_eq!(checkpoint_now.root(), naive::root(&hashes[..2]));
}

/// The log's own cosignature says when it was the newest, and is made anew when it is older than an hour.
#[tokio::test]
async fn it_stays_fresh_without_an_append() {
    let registry = Registry::start().await;
    let at = |text: &str| Some(text.parse::<Time>().unwrap());
    let fresh = async || checkpoint(&registry).await.cosigned_by_itself().unwrap();
    assert_eq!(fresh().await, at("2026-12-01T12:00:00Z"));
    registry.clock.advance(Duration::from_secs(3600));
    assert_eq!(fresh().await, at("2026-12-01T12:00:00Z"));
    registry.clock.advance(Duration::from_millis(1500));
    assert_eq!(fresh().await, at("2026-12-01T13:00:01Z"));
    let note = checkpoint(&registry).await.note().clone();
    assert_eq!(note.lines().len(), 2, "one signature and one cosignature: {note}");
}

#[tokio::test]
async fn tiles_and_entries_in_their_one_spelling() {
    let registry = Registry::start().await;
    let newest = checkpoint(&registry).await;
    // Not signed yet: nobody could say that it is there.
    registry.person("ada", &[]).await;
    registry.get("/log/tile/0/000.p/3", "").await.refused(404);
    registry.get("/log/tile/entries/000.p/3", "").await.refused(404);
    assert_eq!(checkpoint(&registry).await.size(), 3);

    let mut leaves = Vec::new();
    for width in 1..=3_u16 {
        let tile = registry.get(&format!("/log/tile/0/000.p/{width}"), "").await.expect(200);
        assert_eq!(tile.body.len(), usize::from(width) * 32);
        let entries = registry.get(&format!("/log/tile/entries/000.p/{width}"), "").await.expect(200);
        for answer in [&tile, &entries] {
            assert_eq!(answer.header("content-type"), "application/octet-stream");
            assert_eq!(answer.header("cache-control"), FOR_EVER);
        }
        let bundle = Bundle::in_tree(u64::from(width), 0).unwrap();
        leaves = bundle.entries(&entries.body).unwrap().into_iter().map(<[u8]>::to_vec).collect();
        let hashes: Vec<u8> = leaves.iter().flat_map(|leaf| *leaf_hash(leaf).as_bytes()).collect();
        assert_eq!(tile.body, hashes);
    }
    let kinds = leaves.iter().map(|leaf| match Record::parse(leaf).unwrap() {
        Record::Root(_) => "root",
        Record::Key(_) => "key",
        Record::Version(_) => "version",
    });
    assert!(kinds.eq(["root", "key", "key"]));
    assert_eq!(newest.size(), 2);

    for path in [
        "0/000",
        "0/000.p/4",
        "0/000.p/0",
        "0/000.p/256",
        "0/000.p/03",
        "0/000.p/+3",
        "0/000.p",
        "0/000.p/",
        "0/000.p/3/",
        "0/0",
        "0/x000/000",
        "0/x000/000.p/3",
        "0/001.p/1",
        "1/000.p/1",
        "00/000.p/3",
        "63/000.p/1",
        "64/000.p/1",
        "-1/000.p/1",
        "entries/000",
        "entries/000.p/4",
        "entries/001.p/1",
        "entries/%30%30%30.p/3",
        "%30/000.p/3",
        "0//000.p/3",
        "data/000.p/3",
        "0/x9223372036854775807/000",
        "",
    ] {
        registry.get(&format!("/log/tile/{path}"), "").await.refused(404);
    }
    registry.send(reqwest::Method::PUT, "/log/checkpoint", &registry.operator.token, &json!({})).await.refused(405);
    registry.get("/log/", "").await.refused(404);
}

/// One full tile and the one above it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_tile_is_served_in_every_width() {
    let registry = Registry::start().await;
    let ada = registry.person("ada", &[]).await;
    registry.org("acme", &[(&ada, "member")]).await;
    // Every change of the role signs ada's key anew.
    let before = checkpoint(&registry).await.size();
    for n in before..258 {
        let role = if n % 2 == 0 { "publisher" } else { "admin" };
        let path = "/api/v1/orgs/acme/members/ada";
        registry.send(reqwest::Method::PUT, path, &registry.operator.token, &json!({ "role": role })).await.expect(200);
    }
    let newest = checkpoint(&registry).await;
    assert_eq!(newest.size(), 258);
    let full = registry.get("/log/tile/0/000", "").await.expect(200).body;
    let hashes = Tile::in_tree(256, 0, 0).unwrap().hashes(&full).unwrap();
    for width in [1, 2, 100, 255] {
        let part = registry.get(&format!("/log/tile/0/000.p/{width}"), "").await.expect(200).body;
        assert_eq!(part, full[..width * 32]);
    }
    let above = registry.get("/log/tile/1/000.p/1", "").await.expect(200).body;
    assert_eq!(above, naive::root(&hashes).as_bytes());
    let rest = registry.get("/log/tile/0/001.p/2", "").await.expect(200).body;
    let all = [hashes, Tile::in_tree(258, 0, 1).unwrap().hashes(&rest).unwrap()].concat();
    assert_eq!(naive::root(&all), newest.root());
    let entries = registry.get("/log/tile/entries/000", "").await.expect(200).body;
    let bundle = Bundle::in_tree(256, 0).unwrap();
    assert!(bundle.entries(&entries).unwrap().iter().map(|entry| leaf_hash(entry)).eq(all[..256].iter().copied()));
}
