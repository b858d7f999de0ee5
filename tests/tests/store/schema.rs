//! The two schemas say the same: tables, columns, nullability, unique values, checks, foreign keys, triggers.

use std::collections::BTreeSet;

use retoque_tests::database::{Database, Engine};
use sqlx::{Connection as _, Row as _};

/// What a schema says, one line per fact.
type Facts = BTreeSet<String>;

#[tokio::test]
async fn both_schemas_say_the_same() {
    let (embedded, store) = Database::ready(Engine::Sqlite).await;
    store.close().await;
    let (server, store) = Database::ready(Engine::Postgres).await;
    store.close().await;
    let (one, other) = (embedded_facts(&embedded.url).await, server_facts(&server.url).await);
    assert!(one.len() > 150, "only {} facts were read", one.len());
    let differences: Vec<_> = one.symmetric_difference(&other).collect();
    assert!(differences.is_empty(), "only in one schema: {differences:#?}");
    // The names by which duplicates are told apart are constraints of the schema.
    let spelt = |fact: &String| Some(fact.strip_prefix("unique ")?.strip_suffix(')')?.replace(['(', ','], "_"));
    let uniques: BTreeSet<_> = one.iter().filter_map(spelt).collect();
    for constraint in retoque_registry::store::UNIQUE_CONSTRAINTS {
        assert!(uniques.contains(*constraint), "{constraint} is not in the schema");
    }
    for check in retoque_registry::store::CHECKS {
        assert!(one.contains(&format!("check reviews {check}")), "{check} is not in the schema");
    }
}

async fn embedded_facts(url: &str) -> Facts {
    let mut connection = sqlx::SqliteConnection::connect(url).await.unwrap();
    let mut facts = Facts::new();
    let columns = "SELECT m.name, c.name, c.type, c.\"notnull\", c.pk, \
        (SELECT count(*) FROM pragma_table_info(m.name) WHERE pk > 0) FROM sqlite_master m, pragma_table_info(m.name) c \
        WHERE m.type = 'table' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite%'";
    for row in sqlx::query(columns).fetch_all(&mut connection).await.unwrap() {
        let (table, column, kind, required): (String, String, String, bool) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        facts.insert(format!("column {table}.{column} {} {required}", common_type(&kind, &column)));
        // An integer primary key is the row's own number and has no index of its own.
        if kind == "INTEGER" && row.get::<i64, _>(4) == 1 && row.get::<i64, _>(5) == 1 {
            facts.insert(format!("unique {table}({column})"));
        }
    }
    let uniques = "SELECT m.name, i.name, (SELECT group_concat(name, ',') FROM \
        (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) FROM sqlite_master m, pragma_index_list(m.name) i \
        WHERE m.type = 'table' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND i.\"unique\" = 1";
    for row in sqlx::query(uniques).fetch_all(&mut connection).await.unwrap() {
        facts.insert(format!("unique {}({})", row.get::<String, _>(0), row.get::<String, _>(2)));
    }
    let keys = "SELECT m.name, f.\"table\", group_concat(f.\"from\", ','), group_concat(f.\"to\", ',') \
        FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' GROUP BY m.name, f.id";
    for row in sqlx::query(keys).fetch_all(&mut connection).await.unwrap() {
        let (table, target, from, to): (String, String, String, String) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        facts.insert(format!("foreign {table}({from}) -> {target}({to})"));
    }
    let texts = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL";
    for row in sqlx::query(texts).fetch_all(&mut connection).await.unwrap() {
        let (kind, name, table, sql): (String, String, String, String) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        match kind.as_str() {
            "trigger" => drop(facts.insert(format!("trigger {table} {name}"))),
            "index" => drop(facts.insert(format!("index {table} {name}"))),
            // Named checks of the table's own text.
            _ => {
                let words: Vec<_> = sql.split_whitespace().collect();
                for window in words.windows(3).filter(|w| w[0] == "CONSTRAINT" && w[2].starts_with("CHECK")) {
                    facts.insert(format!("check {table} {}", window[1]));
                }
            }
        }
    }
    connection.close().await.unwrap();
    facts.retain(|fact| !fact.contains("version_cases_bool"));
    facts
}

async fn server_facts(url: &str) -> Facts {
    let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
    let mut facts = Facts::new();
    let columns = "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'NO' \
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_sqlx%'";
    for row in sqlx::query(columns).fetch_all(&mut connection).await.unwrap() {
        let (table, column, kind, required): (String, String, String, bool) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        facts.insert(format!("column {table}.{column} {} {required}", common_type(&kind, &column)));
    }
    let constraints = "SELECT t.relname::text, c.conname::text, c.contype::text, \
        (SELECT string_agg(a.attname::text, ',' ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k(a, n) \
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.a), \
        (SELECT string_agg(a.attname::text, ',' ORDER BY k.n) FROM unnest(c.confkey) WITH ORDINALITY k(a, n) \
            JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.a), \
        (SELECT f.relname::text FROM pg_class f WHERE f.oid = c.confrelid) \
        FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid \
        WHERE c.connamespace = 'public'::regnamespace AND t.relname NOT LIKE '\\_sqlx%'";
    for row in sqlx::query(constraints).fetch_all(&mut connection).await.unwrap() {
        let (table, name, kind): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        let columns: Option<String> = row.get(3);
        let columns = columns.unwrap_or_default();
        match kind.as_str() {
            "p" | "u" => facts.insert(format!("unique {table}({columns})")),
            "c" => facts.insert(format!("check {table} {name}")),
            "f" => {
                let (to, target): (String, String) = (row.get(4), row.get(5));
                facts.insert(format!("foreign {table}({columns}) -> {target}({to})"))
            }
            other => panic!("constraint of kind {other}"),
        };
    }
    let names = "SELECT 'trigger', t.relname::text, g.tgname::text FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid \
            WHERE NOT g.tgisinternal \
        UNION ALL SELECT 'index', x.tablename::text, x.indexname::text FROM pg_indexes x WHERE x.schemaname = 'public' \
            AND x.indexname NOT LIKE '%\\_key' AND x.indexname NOT LIKE '%\\_pkey'";
    for row in sqlx::query(names).fetch_all(&mut connection).await.unwrap() {
        facts.insert(format!("{} {} {}", row.get::<String, _>(0), row.get::<String, _>(1), row.get::<String, _>(2)));
    }
    connection.close().await.unwrap();
    facts
}

/// The one name for a type that the engines name differently.
fn common_type(kind: &str, column: &str) -> &'static str {
    match kind {
        "TEXT" | "text" => "text",
        // One engine keeps truth values as integers.
        "BOOLEAN" | "boolean" => "bool",
        "INTEGER" if column == "publish_validation_cases" => "bool",
        "INTEGER" | "bigint" => "int",
        "BLOB" | "bytea" => "bytes",
        other => panic!("{column} has the type {other}"),
    }
}
