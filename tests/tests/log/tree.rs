//! Every append grows the tree as the standard says, on both engines, and what is damaged is refused.

use jiff::Timestamp;
use retoque_core::log::{Head, Tile};
use retoque_core::problem::LOG_DAMAGED;
use retoque_registry::log::{self, check, tiles};
use retoque_registry::store::Store;
use retoque_tests::database::Database;
use retoque_tests::on_both_engines;

use super::naive;

on_both_engines!(
    every_append_is_a_head_of_the_tree,
    concurrent_appends_make_one_tree,
    a_failed_append_leaves_no_trace,
    a_damaged_log_is_refused,
    what_was_appended_never_changes,
);

/// Beyond two full tiles.
const LEAVES: u64 = 520;

pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// Appends the leaves from `from` to before `to`, in transactions of uneven sizes.
async fn append(store: &Store, from: u64, to: u64) {
    let mut next = from;
    while next < to {
        let end = to.min(next + 1 + next % 7);
        store
            .write(|mut tx| async move {
                for index in next..end {
                    assert_eq!(log::append(&mut tx, &naive::leaf(index), now()).await?, index);
                }
                Ok::<_, log::Error>(tx.done(()))
            })
            .await
            .unwrap();
        next = end;
    }
}

async fn every_append_is_a_head_of_the_tree(_: &Database, store: Store) {
    append(&store, 0, LEAVES).await;
    let hashes = naive::hashes(LEAVES);
    let mut tx = store.read().await.unwrap();
    let head = |size: u64| Head { size, root: naive::root(&hashes[..usize::try_from(size).unwrap()]) };
    for size in 1..=LEAVES {
        assert_eq!(tx.head(size).await.unwrap(), Some(head(size)), "{size}");
    }
    assert_eq!(tx.newest_head().await.unwrap(), Some(head(LEAVES)));
    let newest = head(LEAVES);
    for tile in Tile::all(LEAVES) {
        let expected: Vec<u8> = tile
            .nodes()
            .flat_map(|node| {
                let first = usize::try_from(node.index << node.height).unwrap();
                *naive::root(&hashes[first..first + (1 << node.height)]).as_bytes()
            })
            .collect();
        assert_eq!(tiles::tile(&mut tx, tile).await.unwrap(), expected, "{tile}");
    }
    let mut prover = tiles::Prover::new(&mut tx);
    for index in (0..LEAVES).step_by(13).chain([255, 256, 511, 512, LEAVES - 1]) {
        let proof = prover.inclusion(index, LEAVES).await.unwrap();
        newest.verify_inclusion(index, &hashes[usize::try_from(index).unwrap()], &proof).unwrap();
    }
    for old in (1..LEAVES).step_by(17).chain([255, 256, 257, 512, LEAVES]) {
        let proof = prover.consistency(old, LEAVES).await.unwrap();
        newest.verify_consistency(&head(old), &proof).unwrap();
    }
    assert_eq!(prover.root(LEAVES).await.unwrap(), newest.root);
    assert!(!check::check(&mut tx).await.unwrap().refused());
}

async fn concurrent_appends_make_one_tree(_: &Database, store: Store) {
    let writers = (0..12_u8).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for n in 0..10_u8 {
                store
                    .write(|mut tx| async move {
                        log::append(&mut tx, &[writer, n], now()).await?;
                        Ok::<_, log::Error>(tx.done(()))
                    })
                    .await
                    .unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let mut tx = store.read().await.unwrap();
    let mut leaves = tx.leaves(0, 200).await.unwrap();
    let hashes: Vec<_> = leaves.iter().map(|leaf| retoque_core::log::leaf_hash(leaf)).collect();
    for size in 1..=hashes.len() {
        let head = tx.head(size as u64).await.unwrap().unwrap();
        assert_eq!(head.root, naive::root(&hashes[..size]), "{size}");
    }
    leaves.sort();
    assert!(leaves.into_iter().eq((0..12).flat_map(|writer| (0..10).map(move |n| vec![writer, n]))));
    assert!(!check::check(&mut tx).await.unwrap().refused());
}

async fn a_failed_append_leaves_no_trace(_: &Database, store: Store) {
    append(&store, 0, 255).await;
    let failed = store
        .write(|mut tx| async move {
            log::append(&mut tx, b"never", now()).await?;
            log::append(&mut tx, &vec![0; 65_536], now()).await?;
            Ok::<_, log::Error>(tx.done(()))
        })
        .await;
    assert!(matches!(failed, Err(log::Error::Broken(_))), "{failed:?}");
    append(&store, 255, 257).await;
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.newest_head().await.unwrap().unwrap().root, naive::root(&naive::hashes(257)));
}

async fn a_damaged_log_is_refused(database: &Database, store: Store) {
    append(&store, 0, 300).await;
    let mut frontier: Vec<u8> = store.read().await.unwrap().log_counter().await.unwrap().1;
    *frontier.last_mut().unwrap() ^= 1;
    let unfreeze = |table: &str| match database.engine {
        retoque_tests::database::Engine::Sqlite => format!("DROP TRIGGER {table}_frozen; DROP TRIGGER {table}_kept;"),
        retoque_tests::database::Engine::Postgres => format!("ALTER TABLE {table} DISABLE TRIGGER ALL;"),
    };
    let (blob, cast) = match database.engine {
        retoque_tests::database::Engine::Sqlite => ("X'", "'"),
        retoque_tests::database::Engine::Postgres => ("'\\x", "'::bytea"),
    };
    let zeros = format!("{blob}{}{cast}", "00".repeat(32));
    let edge = hex::encode(store.read().await.unwrap().log_counter().await.unwrap().1);
    // Each is done and taken back, in this order: what is wrong, and how it is mended.
    let root = hex::encode(naive::root(&naive::hashes(300)).as_bytes());
    let node = hex::encode(naive::root(&naive::hashes(256)).as_bytes());
    let cases = [
        (
            "the counter was turned back",
            "UPDATE log_counter SET size = 299;".to_owned(),
            "UPDATE log_counter SET size = 300;".to_owned(),
        ),
        (
            "the edge was changed",
            format!("UPDATE log_counter SET frontier = {blob}{}{cast};", hex::encode(&frontier)),
            format!("UPDATE log_counter SET frontier = {blob}{edge}{cast};"),
        ),
        (
            "a head was changed",
            format!("{}UPDATE log_heads SET root = {zeros} WHERE size = 300;", unfreeze("log_heads")),
            format!("UPDATE log_heads SET root = {blob}{root}{cast} WHERE size = 300;"),
        ),
        (
            "a node was changed",
            format!("{}UPDATE log_nodes SET hash = {zeros};", unfreeze("log_nodes")),
            format!("UPDATE log_nodes SET hash = {blob}{node}{cast};"),
        ),
        (
            "a leaf was changed",
            format!("{}UPDATE log_leaves SET leaf = {blob}00{cast} WHERE idx = 299;", unfreeze("log_leaves")),
            format!("UPDATE log_leaves SET leaf = {blob}{}{cast} WHERE idx = 299;", hex::encode(naive::leaf(299))),
        ),
        ("the last leaf is gone", "DELETE FROM log_leaves WHERE idx = 299;".to_owned(), String::new()),
    ];
    for (what, damage, mend) in cases {
        database.raw(&damage).await.unwrap();
        let findings = check::check(&mut store.read().await.unwrap()).await.unwrap();
        assert!(findings.has(LOG_DAMAGED) || findings.refused(), "{what}: {findings:?}");
        if !mend.is_empty() {
            database.raw(&mend).await.unwrap();
            let findings = check::check(&mut store.read().await.unwrap()).await.unwrap();
            assert!(!findings.refused(), "mended after {what}: {findings:?}");
        }
    }
}

async fn what_was_appended_never_changes(database: &Database, store: Store) {
    append(&store, 0, 256).await;
    for sql in [
        "UPDATE log_leaves SET leaf = CAST('c' AS BYTEA)",
        "DELETE FROM log_leaves",
        "UPDATE log_nodes SET idx = 7",
        "DELETE FROM log_nodes",
        "UPDATE log_heads SET created_at = 0",
        "DELETE FROM log_heads",
    ] {
        let error = database.raw(sql).await.unwrap_err().to_string();
        assert!(error.contains("append_only"), "{sql}: {error}");
    }
}
