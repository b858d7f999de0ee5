//! Leaves get their indexes without gaps, whoever writes at the same time.

use retoque_registry::store::{Error, Store};
use retoque_tests::database::Database;

use super::on_both_engines;
use super::rows::now;

on_both_engines!(concurrent_leaves_have_no_gaps, a_leaf_of_a_failed_transaction_leaves_no_gap);

async fn concurrent_leaves_have_no_gaps(_: &Database, store: Store) {
    let mut tasks = Vec::new();
    for n in 0..24_u8 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            store
                .write(|mut tx| async move {
                    let index = tx.append_leaf(&[n], now()).await?;
                    Ok::<_, Error>(tx.done(index))
                })
                .await
                .map(|index| (index, n))
        }));
    }
    let mut indexes = Vec::new();
    for task in tasks {
        indexes.push(task.await.unwrap().unwrap());
    }
    indexes.sort_unstable();
    assert!(indexes.iter().map(|(index, _)| *index).eq(0..24), "{indexes:?}");
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.log_size().await.unwrap(), 24);
    for (index, n) in indexes {
        assert_eq!(tx.leaf(index).await.unwrap(), Some(vec![n]));
    }
    assert_eq!(tx.leaves(20, 256).await.unwrap().len(), 4);
    assert_eq!(tx.leaf(24).await.unwrap(), None);
}

async fn a_leaf_of_a_failed_transaction_leaves_no_gap(_: &Database, store: Store) {
    for fails in [true, false] {
        let result = store
            .write(|mut tx| async move {
                let index = tx.append_leaf(b"x", now()).await?;
                if fails { Err(Error::Stale) } else { Ok(tx.done(index)) }
            })
            .await;
        assert_eq!(result.ok(), if fails { None } else { Some(0) });
    }
}
