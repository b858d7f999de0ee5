//! What a transaction promises, and which databases are opened at all.

use retoque_registry::store::{Error, OpenError, Store, newest_schema};
use retoque_tests::database::{Database, Engine};

use super::on_both_engines;
use super::rows::{World, account, chance};

on_both_engines!(
    a_failed_body_changes_nothing,
    a_reader_cannot_write,
    a_reader_sees_one_state,
    every_statement_is_understood,
    a_newer_database_is_refused,
    migrating_again_changes_nothing,
);

async fn a_failed_body_changes_nothing(_: &Database, store: Store) {
    let row = &account(&chance(), "ada");
    let result: Result<(), Error> = store
        .write(|mut tx| async move {
            tx.insert_account(row).await?;
            Err(Error::Stale)
        })
        .await;
    assert!(matches!(result, Err(Error::Stale)));
    assert_eq!(store.read().await.unwrap().account(row.id).await.unwrap(), None);
}

async fn a_reader_cannot_write(_: &Database, store: Store) {
    let mut tx = store.read().await.unwrap();
    assert!(matches!(tx.insert_account(&account(&chance(), "ada")).await, Err(Error::Backend { .. })));
}

async fn a_reader_sees_one_state(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let mut reader = store.read().await.unwrap();
    assert_eq!(reader.account(world.account.id).await.unwrap(), Some(world.account.clone()));
    let row = &account(&world.chance, "bob");
    store
        .write(|mut tx| async move {
            tx.insert_account(row).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    assert_eq!(reader.account_by_name(&row.name).await.unwrap(), None);
    drop(reader);
    assert_eq!(store.read().await.unwrap().account_by_name(&row.name).await.unwrap().as_ref(), Some(row));
}

async fn every_statement_is_understood(_: &Database, store: Store) {
    let count = store.prepare_all().await.unwrap_or_else(|(name, error)| panic!("{name}: {error}"));
    assert!(count > 30, "only {count} statements are listed");
}

async fn a_newer_database_is_refused(database: &Database, store: Store) {
    store.close().await;
    let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
        VALUES (9999, 'later', TRUE, CAST('x' AS BYTEA), 0)";
    database.raw(sql).await.unwrap();
    let newer = OpenError::Newer { have: 9999, know: newest_schema() };
    assert_eq!(Store::open(&database.url, 2).await.unwrap_err(), newer);
    assert_eq!(Store::migrate(&database.url, 2).await.unwrap_err(), newer);
}

async fn migrating_again_changes_nothing(database: &Database, store: Store) {
    let world = World::made(&store).await;
    store.close().await;
    let store = Store::migrate(&database.url, 2).await.unwrap();
    assert_eq!(store.read().await.unwrap().account(world.account.id).await.unwrap(), Some(world.account));
}

#[tokio::test]
async fn a_missing_database_is_refused() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        // There, but without a schema.
        let database = Database::empty(engine);
        assert_eq!(Store::open(&database.url, 2).await.unwrap_err(), OpenError::Missing);
        if engine == Engine::Sqlite {
            assert!(!database.folder().join("registry.db").exists(), "a refused open made a file");
        }
    }
    // Not there at all.
    let database = Database::empty(Engine::Postgres);
    let other = database.url.replacen("/t", "/no_such_t", 1);
    assert_eq!(Store::open(&other, 2).await.unwrap_err(), OpenError::Missing);
    assert_eq!(Store::open("mysql://x", 2).await.unwrap_err(), OpenError::Url);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let database = Database::empty(Engine::Sqlite);
    std::fs::write(database.folder().join("registry.db"), vec![b'x'; 8192]).unwrap();
    assert!(matches!(Store::open(&database.url, 2).await, Err(OpenError::Unreachable(_))));
    assert!(matches!(Store::migrate(&database.url, 2).await, Err(OpenError::Unreachable(_))));
}
