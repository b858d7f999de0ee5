//! What the database itself refuses to change, whatever the service does.

use retoque_registry::store::Store;
use retoque_tests::database::Database;

use super::on_both_engines;

on_both_engines!(leaves_never_change);

async fn leaves_never_change(database: &Database, _: Store) {
    database
        .raw("INSERT INTO log_leaves (idx, leaf, leaf_hash) VALUES (0, CAST('a' AS BYTEA), CAST('b' AS BYTEA))")
        .await
        .unwrap();
    for sql in ["UPDATE log_leaves SET leaf = CAST('c' AS BYTEA)", "DELETE FROM log_leaves"] {
        let error = database.raw(sql).await.unwrap_err().to_string();
        assert!(error.contains("append_only"), "{sql}: {error}");
    }
}
