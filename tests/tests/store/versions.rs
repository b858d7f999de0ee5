//! Versions: races about names, moves from the state that was read, and what never changes.

use retoque_core::digest::Digest;
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use retoque_registry::store::patches::Patch;
use retoque_registry::store::versions::{Move, NewVersion, RecordFile};
use retoque_registry::store::{Error, Page, Store, Unique};
use retoque_tests::database::Database;

use super::on_both_engines;
use super::rows::{World, decision, now, patch, version};

on_both_engines!(
    what_goes_in_comes_out,
    of_racing_pushes_one_wins,
    a_move_from_another_state_is_stale,
    decisions_have_one_next_number,
    pushed_columns_never_change,
);

/// A patch with one version.
pub(crate) async fn pushed(store: &Store, world: &World) -> (Patch, NewVersion) {
    let patch = patch(&world.chance, "acme/order-lines", &world.org, &world.base, &world.account);
    let version = version(&world.chance, &patch, "1.0.0", "one", &world.account);
    let (p, v) = (&patch, &version);
    store
        .write(|mut tx| async move {
            tx.insert_patch(p).await?;
            tx.insert_version(v).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    (patch, version)
}

pub(crate) async fn insert(store: &Store, version: &NewVersion) -> Result<(), Error> {
    store
        .write(|mut tx| async move {
            tx.insert_version(version).await?;
            Ok(tx.done(()))
        })
        .await
}

async fn what_goes_in_comes_out(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    let (patch, first) = &pushed(&store, world).await;
    let second = &version(&world.chance, patch, "1.1.0-rc.1", "two", &world.account);
    let file = &RecordFile { name: "run.json".to_owned(), sha256: Digest::of(b"run"), size: 3 };
    store
        .write(|mut tx| async move {
            tx.insert_version(second).await?;
            tx.insert_record_file(first.id, file).await?;
            tx.insert_record_file(second.id, file).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    let row = tx.version_by_name(patch.id, &first.version).await.unwrap().unwrap();
    assert_eq!(
        (row.id, row.state, row.licence_state, row.head),
        (first.id, State::Candidate, LicenceState::None, first.head)
    );
    assert_eq!(
        (row.pusher.clone(), row.released, row.publish_validation_cases),
        (world.account.name.clone(), false, false)
    );
    assert_eq!(tx.version_by_digest(patch.id, &first.manifest_digest).await.unwrap().as_ref(), Some(&row));
    assert_eq!(tx.version(first.id).await.unwrap().as_ref(), Some(&row));
    assert_eq!(tx.manifest(first.id).await.unwrap(), first.manifest);
    assert_eq!(tx.attestation(first.id).await.unwrap(), first.attestation);
    assert_eq!(tx.seek_table(first.id).await.unwrap(), first.seek_table);
    assert_eq!(tx.record_files(first.id).await.unwrap(), std::slice::from_ref(file));
    for object in [&file.sha256, &first.package_sha256, &first.cases_sha256] {
        assert!(tx.object_in_use(object).await.unwrap());
    }
    assert!(!tx.object_in_use(&first.adapter_sha256).await.unwrap());
    let page = tx.versions_of(patch.id, &Page::first(1)).await.unwrap();
    assert_eq!((page.items.len(), page.items[0].id), (1, first.id));
    let page = tx.versions_of(patch.id, &Page { after: page.next, limit: 5 }).await.unwrap();
    assert_eq!((page.items.len(), page.items[0].id, page.next), (1, second.id, None));
    assert_eq!(tx.versions_in(State::Candidate, &Page::first(5)).await.unwrap().items.len(), 2);
    assert_eq!(tx.versions_in(State::Published, &Page::first(5)).await.unwrap().items.len(), 0);
}

async fn of_racing_pushes_one_wins(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let (patch, _) = pushed(&store, &world).await;
    let mut tasks = Vec::new();
    for n in 0..12 {
        let (store, row) =
            (store.clone(), version(&world.chance, &patch, "2.0.0", &format!("bytes {n}"), &world.account));
        tasks.push(tokio::spawn(async move { insert(&store, &row).await.map(|()| row.id) }));
    }
    let mut winners = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            Ok(id) => winners.push(id),
            Err(error) => assert!(error.is_duplicate(Unique::VersionName), "{error:?}"),
        }
    }
    let row = store.read().await.unwrap().version_by_name(patch.id, &"2.0.0".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(winners, [row.id]);
    // The same manifest under another name is told apart.
    let other = version(&world.chance, &patch, "3.0.0", "one", &world.account);
    assert!(insert(&store, &other).await.unwrap_err().is_duplicate(Unique::VersionManifest));
}

async fn a_move_from_another_state_is_stale(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    let (_, version) = &pushed(&store, world).await;
    let after = |after, from, to| Move {
        from,
        to,
        after,
        head: Digest::of(b"decision"),
        licence_state: LicenceState::None,
        submission_id: None,
        publish_validation_cases: true,
    };
    let step = |from, to| after(version.head, from, to);
    let then = |from, to| after(Digest::of(b"decision"), from, to);
    let go = |step: Move| {
        let (store, id) = (store.clone(), version.id);
        async move {
            let step = &step;
            store
                .write(|mut tx| async move {
                    tx.move_version(id, step).await?;
                    Ok::<_, Error>(tx.done(()))
                })
                .await
        }
    };
    assert!(matches!(go(step(State::Submitted, State::Approved)).await, Err(Error::Stale)));
    go(step(State::Candidate, State::Submitted)).await.unwrap();
    assert!(matches!(go(step(State::Candidate, State::Submitted)).await, Err(Error::Stale)));
    let row = store.read().await.unwrap().version(version.id).await.unwrap().unwrap();
    assert_eq!((row.state, row.head, row.publish_validation_cases), (State::Submitted, Digest::of(b"decision"), true));
    // The right state behind another decision is another situation than the one that was read.
    assert!(matches!(go(step(State::Submitted, State::Approved)).await, Err(Error::Stale)));
    // Of racing reviewers one moves it.
    let racing = (0..8).map(|_| tokio::spawn(go(then(State::Submitted, State::Approved)))).collect::<Vec<_>>();
    let mut moved = 0;
    for task in racing {
        match task.await.unwrap() {
            Ok(()) => moved += 1,
            Err(error) => assert!(matches!(error, Error::Stale), "{error:?}"),
        }
    }
    assert_eq!(moved, 1);
}

async fn decisions_have_one_next_number(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let (_, version) = pushed(&store, &world).await;
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (store, row) = (store.clone(), decision(&world.chance, &version, 0, 0, &world.account));
        tasks.push(tokio::spawn(async move {
            let row = &row;
            store
                .write(|mut tx| async move {
                    let log_index = tx.append_leaf(b"leaf", now()).await?;
                    tx.insert_decision(&retoque_registry::store::decisions::DecisionRow { log_index, ..row.clone() })
                        .await?;
                    Ok::<_, Error>(tx.done(()))
                })
                .await
        }));
    }
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(()) => won += 1,
            Err(error) => assert!(error.is_duplicate(Unique::DecisionNumber), "{error:?}"),
        }
    }
    assert_eq!(won, 1);
    // The losers' leaves are gone with them.
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.log_size().await.unwrap(), 1);
    assert_eq!(tx.decisions(version.id).await.unwrap().len(), 1);
    assert_eq!(tx.last_decision(version.id).await.unwrap().unwrap().log_index, 0);
}

async fn pushed_columns_never_change(database: &Database, store: Store) {
    let world = World::made(&store).await;
    let (_, version) = pushed(&store, &world).await;
    let file = &RecordFile { name: "run.json".to_owned(), sha256: Digest::of(b"run"), size: 3 };
    store
        .write(|mut tx| async move {
            tx.insert_record_file(version.id, file).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    for sql in [
        "UPDATE versions SET manifest = CAST('x' AS BYTEA)",
        "UPDATE versions SET manifest_digest = 'x'",
        "UPDATE versions SET version = '9.9.9'",
        "UPDATE versions SET package_sha256 = 'x'",
        "UPDATE versions SET package_size = 1",
        "UPDATE versions SET seek_table = CAST('x' AS BYTEA)",
        "UPDATE versions SET attestation = CAST('x' AS BYTEA)",
        "UPDATE versions SET adapter_sha256 = 'x'",
        "UPDATE versions SET cases_sha256 = 'x'",
        "UPDATE versions SET pusher_id = 'x'",
        "UPDATE versions SET evidence_state = 'DEGRADED'",
        "UPDATE versions SET created_at = 1",
        "UPDATE versions SET release_order = '9'",
        "DELETE FROM versions",
        "UPDATE record_files SET sha256 = 'x'",
    ] {
        let error = database.raw(sql).await.unwrap_err().to_string();
        assert!(error.contains("append_only"), "{sql}: {error}");
    }
    for sql in ["UPDATE versions SET state = 'gone'", "UPDATE versions SET licence_state = 'some'"] {
        let error = database.raw(sql).await.unwrap_err().to_string();
        assert!(error.contains("_known"), "{sql}: {error}");
    }
}
