//! What happens when a writer is killed, a connection is cut, two writers block each other, or two processes share a file.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retoque_registry::store::{Error, Page, Store, Unique};
use retoque_tests::database::{Database, Engine};
use retoque_tests::postgres::cut_connections;
use tokio::sync::Barrier;

use super::on_both_engines;
use super::rows::{World, account, chance, now, org};

on_both_engines!(
    a_failed_transaction_is_over,
    a_killed_writer_leaves_whole_transactions,
    two_programs_share_a_database,
);

async fn a_failed_transaction_is_over(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    let go_on = store
        .write(|mut tx| async move {
            let again = tx.insert_account(&account(&world.chance, "ada")).await.unwrap_err();
            assert!(again.is_duplicate(Unique::AccountName));
            // Swallowing the error does not bring the transaction back.
            assert!(matches!(tx.insert_account(&account(&world.chance, "bob")).await, Err(Error::Backend { .. })));
            Ok::<_, Error>(tx.done(()))
        })
        .await;
    assert!(matches!(go_on, Err(Error::Backend { transient: false, .. })), "{go_on:?}");
    let names = store.read().await.unwrap().accounts(&Page::first(10)).await.unwrap().items;
    assert_eq!(names.len(), 1);
}

/// Names the database that the writing child works on.
const CHILD: &str = "RETOQUE_TEST_WRITER";
/// The child is this test binary, asked for this test alone.
const CHILD_TEST: &str = "faults::the_child_that_writes";

/// In the child: appends pairs of leaves and says each pair's index once it is committed, until it is killed. In an
/// ordinary run there is no child's work to do.
#[tokio::test]
async fn the_child_that_writes() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let store = Store::open(&url, 2).await.unwrap();
    loop {
        let index = store
            .write(|mut tx| async move {
                let first = tx.append_leaf(b"first", now()).await?;
                let second = tx.append_leaf(b"second", now()).await?;
                assert_eq!(second, first + 1);
                Ok::<_, Error>(tx.done(first))
            })
            .await
            .unwrap();
        println!("\nleaf {index}");
    }
}

async fn a_killed_writer_leaves_whole_transactions(database: &Database, store: Store) {
    let mut acknowledged = 0;
    for round in 1..=3_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", CHILD_TEST, "--nocapture"])
            .env(CHILD, &database.url)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let leaves = lines.map_while(Result::ok).filter_map(|l| l.strip_prefix("leaf ")?.parse::<u64>().ok());
        for index in leaves {
            acknowledged = index + 2;
            if acknowledged >= round * 40 {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What was acknowledged is there; what is there is whole; the next writer goes on without a gap.
        let mut tx = store.read().await.unwrap();
        let size = tx.log_size().await.unwrap();
        assert!(size >= acknowledged && size.is_multiple_of(2), "{size} leaves, {acknowledged} acknowledged");
        let mut leaves = Vec::new();
        while (leaves.len() as u64) < size {
            leaves.extend(tx.leaves(leaves.len() as u64, 256).await.unwrap());
        }
        assert_eq!(leaves.len() as u64, size);
        assert!(leaves.chunks(2).all(|pair| pair[0] == b"first" && pair[1] == b"second"));
    }
}

async fn two_programs_share_a_database(database: &Database, store: Store) {
    let other = Store::open(&database.url, 2).await.unwrap();
    let mut tasks = Vec::new();
    for n in 0..20_u8 {
        let store = if n % 2 == 0 { store.clone() } else { other.clone() };
        tasks.push(tokio::spawn(async move {
            store
                .write(|mut tx| async move {
                    let index = tx.append_leaf(&[n], now()).await?;
                    Ok::<_, Error>(tx.done(index))
                })
                .await
        }));
    }
    let mut indexes = Vec::new();
    for task in tasks {
        indexes.push(task.await.unwrap().unwrap());
    }
    indexes.sort_unstable();
    assert!(indexes.into_iter().eq(0..20));
    other.close().await;
}

/// Each of two transactions holds a row that the other wants. The server gives one up; it is run again and succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadlock_is_run_again() {
    let (_database, store) = Database::ready(Engine::Postgres).await;
    let world = World::made(&store).await;
    let second = org(&world.chance, "beta-corp", &world.account);
    let row = &second;
    store
        .write(|mut tx| async move {
            tx.insert_org(row).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let (barrier, runs) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
    let at = Some(world.account.created_at);
    let task = |first, then| {
        let (store, barrier, runs) = (store.clone(), Arc::clone(&barrier), Arc::clone(&runs));
        tokio::spawn(async move {
            let (barrier, runs, tries) = (&barrier, &runs, &AtomicU32::new(0));
            store
                .write(|mut tx| async move {
                    runs.fetch_add(1, Ordering::SeqCst);
                    tx.set_org_verified(first, at).await?;
                    // Only the first runs wait for each other.
                    if tries.fetch_add(1, Ordering::SeqCst) == 0 {
                        barrier.wait().await;
                    }
                    tx.set_org_verified(then, at).await?;
                    Ok::<_, Error>(tx.done(()))
                })
                .await
        })
    };
    let (one, other) = (task(world.org.id, second.id), task(second.id, world.org.id));
    one.await.unwrap().unwrap();
    other.await.unwrap().unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_cut_connection_is_replaced() {
    let (database, store) = Database::ready(Engine::Postgres).await;
    let row = &account(&chance(), "ada");
    let url = &database.url;
    let cut = store
        .write(|mut tx| async move {
            tx.insert_account(row).await?;
            cut_connections(url);
            tx.set_account_disabled(row.id, None).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await;
    assert!(matches!(cut, Err(Error::Backend { .. })), "{cut:?}");
    // Nothing of it stayed, and the store works again without being opened anew.
    assert_eq!(store.read().await.unwrap().account(row.id).await.unwrap(), None);
    store
        .write(|mut tx| async move {
            tx.insert_account(row).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
}
