//! What lists show of versions without reading them all: how many, the newest, and why one is no longer offered.

use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use retoque_registry::store::decisions::{DecisionRow, NewRelease};
use retoque_registry::store::patches::{Filter, Viewer};
use retoque_registry::store::versions::{Move, NewVersion};
use retoque_registry::store::{Error, Page, Store};
use retoque_tests::database::{Database, Engine};
use sqlx::Connection as _;

use super::on_both_engines;
use super::rows::{World, decision, now, version};
use super::versions::{insert, pushed};

on_both_engines!(
    the_newest_release_is_a_query,
    a_notice_is_the_decision_that_brought_the_state,
    older_rows_get_their_order,
);

/// Moves a version to `to` and, when it is to count as published, freezes a release for it.
async fn moved(store: &Store, version: &NewVersion, from: State, to: State) {
    let step = &Move {
        from,
        to,
        after: version.head,
        head: version.head,
        licence_state: LicenceState::None,
        submission_id: None,
        publish_validation_cases: false,
    };
    let release = &NewRelease { draft: b"{}".to_vec(), license_text: b"none".to_vec(), validation_cases: None };
    store
        .write(|mut tx| async move {
            tx.move_version(version.id, step).await?;
            if to == State::Published {
                tx.insert_release(version.id, release, now()).await?;
            }
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
}

async fn the_newest_release_is_a_query(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let (patch, first) = pushed(&store, &world).await;
    let line = async || store.read().await.unwrap().patch_line(patch.id).await.unwrap().unwrap();
    assert_eq!((line().await.versions, line().await.released, line().await.newest), (1, 0, None));
    moved(&store, &first, State::Candidate, State::Published).await;
    for (name, published) in
        [("1.10.0", true), ("1.9.0", true), ("2.0.0-rc.1", true), ("1.10.1", false), ("0.99.0", true), ("1.11.0", true)]
    {
        let row = version(&world.chance, &patch, name, name, &world.account);
        insert(&store, &row).await.unwrap();
        if published {
            moved(&store, &row, State::Candidate, State::Published).await;
        }
        if name == "1.11.0" {
            moved(&store, &row, State::Published, State::Deprecated).await;
        }
    }
    let line = line().await;
    assert_eq!((line.versions, line.released, &line.created_by), (7, 6, &world.account.name));
    assert_eq!(line.newest.unwrap().version.to_string(), "1.10.0");
    let all = Viewer { account: None, everything: true };
    let found = store.read().await.unwrap().search_patches(all, &Filter::default(), &Page::first(5)).await.unwrap();
    assert_eq!(found.items[0].newest.as_ref().unwrap().manifest_digest, Digest::of(b"1.10.0"));
}

async fn a_notice_is_the_decision_that_brought_the_state(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    let (patch, version) = &pushed(&store, world).await;
    let kinds = [
        RecordKind::Attested,
        RecordKind::Returned,
        RecordKind::Deprecated,
        RecordKind::Restored,
        RecordKind::Deprecated,
        RecordKind::LicenceEnded,
    ];
    store
        .write(|mut tx| async move {
            for (n, kind) in (0..).zip(kinds) {
                let leaf = format!("leaf {n}");
                let index = tx.append_leaf(leaf.as_bytes(), now()).await?;
                let row = decision(&world.chance, version, n, index, &world.account);
                let envelope = format!("{n} {}", kind.name()).into_bytes();
                tx.insert_decision(&DecisionRow { kind, envelope, ..row }).await?;
            }
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let notices = async || {
        let found = store.read().await.unwrap().notices(patch.id, version.id, version.id).await.unwrap();
        found.into_iter().map(|n| (n.version_id, String::from_utf8(n.envelope).unwrap())).collect::<Vec<_>>()
    };
    moved(&store, version, State::Candidate, State::Published).await;
    assert_eq!(notices().await, []);
    moved(&store, version, State::Published, State::Deprecated).await;
    assert_eq!(notices().await, [(version.id, "4 deprecated".to_owned())]);
}

/// What the step of the schema says of rows that were there before it is what the program writes.
async fn older_rows_get_their_order(database: &Database, store: Store) {
    let world = World::made(&store).await;
    let (patch, _) = pushed(&store, &world).await;
    for name in ["0.9.0", "12.345.6789", "18446744073709551615.0.1", "1.0.0-rc.1", "2.0.0-1.2.3"] {
        insert(&store, &version(&world.chance, &patch, name, name, &world.account)).await.unwrap();
    }
    let file = if database.engine == Engine::Sqlite { "sqlite" } else { "postgres" };
    let step = format!("{}/../migrations/{file}/0006_newest.sql", env!("CARGO_MANIFEST_DIR"));
    let step = std::fs::read_to_string(step).unwrap();
    let expression = step.split_once("SET release_order = ").unwrap().1.split_once("WHERE").unwrap().0;
    let sql = format!(
        "SELECT COUNT(*) FROM versions WHERE (release_order IS NOT NULL AND release_order <> ({expression})) \
        OR (release_order IS NULL) <> (version LIKE '%-%')"
    );
    assert_eq!(count(database, &sql).await, 0);
    assert_eq!(count(database, "SELECT COUNT(*) FROM versions WHERE release_order IS NULL").await, 2);
}

async fn count(database: &Database, sql: &str) -> i64 {
    let sql = sqlx::AssertSqlSafe(sql.to_owned());
    match database.engine {
        Engine::Sqlite => {
            let mut connection = sqlx::SqliteConnection::connect(&database.url).await.unwrap();
            sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
        }
        Engine::Postgres => {
            let mut connection = sqlx::PgConnection::connect(&database.url).await.unwrap();
            sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
        }
    }
}
