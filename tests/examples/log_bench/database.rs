//! Work that is dominated by the database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use retoque_core::log::{Head, leaf_hash};
use retoque_core::problem::LOG_DAMAGED;
use retoque_core::sign::SecretKey;
use retoque_registry::log::publish::{self, LogKey};
use retoque_registry::log::tiles::Prover;
use retoque_registry::log::{self, check};
use retoque_registry::store::Store;
use retoque_tests::database::{Database, Engine};
use sqlx::Row as _;

use crate::{median, rate, record};

/// Appends of each kind.
const APPENDS: u64 = 1_000;
/// Writers at the same time.
const WRITERS: u64 = 20;

/// Every figure of one engine; proofs from its rows up to this size.
pub(crate) async fn figures(engine: Engine, largest: u64) {
    let (database, store) = Database::ready(engine).await;
    println!("\n{}", name(&database).await);
    let key = Arc::new(SecretKey::from_seed(&[1; 32]).expect("a key"));

    let began = Instant::now();
    for index in 0..APPENDS {
        append(&store, index).await;
    }
    let appended = began.elapsed();
    let began = Instant::now();
    for index in APPENDS..2 * APPENDS {
        append(&store, index).await;
        sign(&store, &key).await;
    }
    let signed = began.elapsed();
    let began = Instant::now();
    let writers = (0..WRITERS).map(|writer| {
        let (store, key) = (store.clone(), Arc::clone(&key));
        tokio::spawn(async move {
            for n in 0..APPENDS / WRITERS {
                append(&store, 2 * APPENDS + writer * (APPENDS / WRITERS) + n).await;
                sign(&store, &key).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("a writer");
    }
    let together = began.elapsed();
    println!("  append and commit, 1 writer                  {:>6}/s", rate(APPENDS, appended));
    println!("  append, commit, sign and store, 1 writer     {:>6}/s", rate(APPENDS, signed));
    println!("  append, commit, sign and store, {WRITERS} writers   {:>6}/s", rate(APPENDS, together));

    let mut size = 3 * APPENDS;
    for wanted in [size, largest] {
        if wanted > size {
            let began = Instant::now();
            fill(&store, size, wanted).await;
            println!(
                "  append, {APPENDS} in each transaction            {:>6}/s",
                rate(wanted - size, began.elapsed())
            );
            size = wanted;
        }
        let (one, all) = prove(&store, size).await;
        println!("  a proof out of {size:>7} leaves               {one:>8.1?}; ten under one checkpoint {all:.1?}");
    }
    let began = Instant::now();
    let mut tx = store.read().await.expect("a database");
    // There is no root of trust here that would name the key.
    assert!(!check::check(&mut tx).await.expect("a check").has(LOG_DAMAGED));
    println!("  check before serving                       {:>8.1?}", began.elapsed());
    drop(tx);
    store.close().await;
}

async fn append(store: &Store, index: u64) {
    let record = &record(index);
    store
        .write(|mut tx| async move {
            log::append(&mut tx, record, now()).await?;
            Ok::<_, log::Error>(tx.done(()))
        })
        .await
        .expect("an append");
}

async fn sign(store: &Store, key: &SecretKey) {
    let key = LogKey { origin: "log.example", signer: key };
    publish::newest(store, key, now()).await.expect("a checkpoint");
}

/// Appends many in one transaction each time; all of them in one would make the server keep every version of the counter.
async fn fill(store: &Store, from: u64, to: u64) {
    for chunk in (from..to).step_by(APPENDS as usize) {
        store
            .write(|mut tx| async move {
                for index in chunk..to.min(chunk + APPENDS) {
                    log::append(&mut tx, &record(index), now()).await?;
                }
                Ok::<_, log::Error>(tx.done(()))
            })
            .await
            .expect("appends");
    }
}

/// The time of one proof out of rows, and of the ten that a version needs.
async fn prove(store: &Store, size: u64) -> (Duration, Duration) {
    let head = store.read().await.expect("a database").head(size).await.expect("a head").expect("a head");
    let mut one = Vec::new();
    for n in 0..50 {
        let began = Instant::now();
        proofs(store, head, &[n * (size - 1) / 49]).await;
        one.push(began.elapsed());
    }
    let ten: Vec<u64> = (0..10).map(|n| n * (size - 1) / 9).collect();
    let began = Instant::now();
    proofs(store, head, &ten).await;
    (median(one), began.elapsed())
}

async fn proofs(store: &Store, head: Head, indexes: &[u64]) {
    let mut tx = store.read().await.expect("a database");
    let mut made = Vec::new();
    let mut prover = Prover::new(&mut tx);
    for index in indexes {
        made.push((*index, prover.inclusion(*index, head.size).await.expect("a proof")));
    }
    for (index, proof) in made {
        let leaf = tx.leaf(index).await.expect("a leaf").expect("a leaf");
        head.verify_inclusion(index, &leaf_hash(&leaf), &proof).expect("a good proof");
    }
}

/// The engine, and whether a commit waits for the disk.
async fn name(database: &Database) -> String {
    match database.engine {
        Engine::Sqlite => "SQLite: synchronous=FULL, every commit waits for the disk".to_owned(),
        Engine::Postgres => {
            let pool = sqlx::PgPool::connect(&database.url).await.expect("a server");
            let row = sqlx::query("SELECT current_setting('fsync'), current_setting('synchronous_commit')");
            let row = row.fetch_one(&pool).await.expect("settings");
            pool.close().await;
            format!("PostgreSQL: fsync={}, synchronous_commit={}", row.get::<String, _>(0), row.get::<String, _>(1))
        }
    }
}

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).expect("a time")
}
