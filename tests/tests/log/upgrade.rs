//! A database from before the tree: the schema's step keeps its rows, and `migrate` builds the tree over its leaves.

use retoque_core::log::leaf_hash;
use retoque_core::problem::LOG_NOT_BUILT;
use retoque_registry::log::{check, sequence};
use retoque_registry::store::Store;
use retoque_tests::database::{Database, Engine};
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

use super::naive;
use super::tree::now;

/// The steps before the tree, as they are in the tree of sources.
const BEFORE: [&str; 4] = ["0001_accounts", "0002_patches", "0003_versions", "0004_decisions"];
const LEAVES: u64 = 300;

#[tokio::test]
async fn an_older_database_gets_its_tree() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let database = older(engine).await;
        let store = Store::migrate(&database.url, 2).await.unwrap();
        // Not before it is built.
        let findings = check::check(&mut store.read().await.unwrap()).await.unwrap();
        assert!(findings.has(LOG_NOT_BUILT), "{engine:?}: {findings:?}");
        let append = store
            .write(|mut tx| async move {
                let index = tx.append_leaf(b"too early", now()).await?;
                Ok::<_, retoque_registry::store::Error>(tx.done(index))
            })
            .await;
        assert!(append.is_err(), "{engine:?}");

        assert_eq!(sequence::build(&store, now()).await.unwrap(), LEAVES, "{engine:?}");
        let mut tx = store.read().await.unwrap();
        assert!(!check::check(&mut tx).await.unwrap().refused(), "{engine:?}");
        for size in [1, 255, 256, 257, LEAVES] {
            let head = tx.head(size).await.unwrap().unwrap();
            assert_eq!(head.root, naive::root(&naive::hashes(size)), "{engine:?} {size}");
        }
        drop(tx);
        // Once is enough, and the next append goes on.
        assert_eq!(sequence::build(&store, now()).await.unwrap(), 0, "{engine:?}");
        store
            .write(|mut tx| async move {
                tx.append_leaf(&naive::leaf(LEAVES), now()).await?;
                Ok::<_, retoque_registry::store::Error>(tx.done(()))
            })
            .await
            .unwrap();
        let mut tx = store.read().await.unwrap();
        let head = tx.newest_head().await.unwrap().unwrap();
        assert_eq!(head.root, naive::root(&naive::hashes(LEAVES + 1)), "{engine:?}");
        drop(tx);

        // The release that was there is there still, and frozen; one that is pending is frozen once.
        for (sql, works) in [
            ("UPDATE releases SET release = CAST('x' AS BYTEA) WHERE version_id = 'old'", false),
            ("UPDATE releases SET license_text = CAST('x' AS BYTEA)", false),
            ("DELETE FROM releases", false),
            ("UPDATE releases SET release = CAST('x' AS BYTEA) WHERE version_id = 'new'", true),
            ("UPDATE releases SET release = CAST('y' AS BYTEA) WHERE version_id = 'new'", false),
            ("UPDATE releases SET validation_cases = NULL", true),
        ] {
            if works && sql.contains("SET release") {
                let row =
                    "INSERT INTO releases (version_id, license_text, created_at) VALUES ('new', CAST('t' AS BYTEA), 1)";
                database.raw(&without_keys(engine, row)).await.unwrap();
            }
            assert_eq!(database.raw(sql).await.is_ok(), works, "{engine:?} {sql}");
        }
        store.close().await;
    }
}

/// A database with the older schema, leaves, and one release.
async fn older(engine: Engine) -> Database {
    let database = Database::empty(engine);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let kind = if engine == Engine::Sqlite { "sqlite" } else { "postgres" };
    let steps = BEFORE.iter().zip(1..).map(|(file, version)| {
        let text = std::fs::read_to_string(format!("{folder}/{kind}/{file}.sql")).unwrap();
        let name = file.split_once('_').unwrap().1;
        let text = sqlx::AssertSqlSafe(text).into_sql_str();
        Migration::new(version, name.into(), MigrationType::Simple, text, false)
    });
    let migrator = Migrator::with_migrations(steps.collect());
    match engine {
        Engine::Sqlite => {
            let options = sqlx::sqlite::SqliteConnectOptions::new()
                .filename(database.url.strip_prefix("sqlite:").unwrap())
                .create_if_missing(true);
            let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
            migrator.run(&pool).await.unwrap();
            pool.close().await;
        }
        Engine::Postgres => {
            let pool = sqlx::PgPool::connect(&database.url).await.unwrap();
            migrator.run(&pool).await.unwrap();
            pool.close().await;
        }
    }
    let mut rows = format!("UPDATE log_counter SET size = {LEAVES};");
    for index in 0..LEAVES {
        let leaf = naive::leaf(index);
        let (hash, leaf) = (hex::encode(leaf_hash(&leaf).as_bytes()), hex::encode(leaf));
        let values = match engine {
            Engine::Sqlite => format!("X'{leaf}', X'{hash}'"),
            Engine::Postgres => format!("'\\x{leaf}', '\\x{hash}'"),
        };
        rows.push_str(&format!("INSERT INTO log_leaves (idx, leaf, leaf_hash) VALUES ({index}, {values});"));
    }
    let no = if engine == Engine::Sqlite { "0" } else { "FALSE" };
    for id in ["old", "new"] {
        rows.push_str(&format!(
            "INSERT INTO versions (id, patch_id, version, manifest_digest, manifest, package_sha256, package_size, \
            seek_table, adapter_sha256, cases_sha256, attestation, pusher_id, created_at, evidence_state, state, \
            licence_state, head, publish_validation_cases) VALUES ('{id}', 'p', '{id}', '{id}', CAST('m' AS BYTEA), 's', 1, \
            CAST('s' AS BYTEA), 'a', 'c', CAST('a' AS BYTEA), 'p', 1, 'EXPERIMENTAL', 'published', 'granted-free', 'h', {no});"
        ));
    }
    rows.push_str(
        "INSERT INTO releases (version_id, release, license_text, validation_cases, created_at) \
        VALUES ('old', CAST('r' AS BYTEA), CAST('t' AS BYTEA), CAST('c' AS BYTEA), 1);",
    );
    database.raw(&without_keys(engine, &rows)).await.unwrap();
    database
}

/// The same without looking at foreign keys: nobody pushed these versions.
fn without_keys(engine: Engine, sql: &str) -> String {
    match engine {
        Engine::Sqlite => format!("PRAGMA foreign_keys = OFF; {sql}"),
        Engine::Postgres => format!("SET session_replication_role = replica; {sql}"),
    }
}
