//! What cannot start, and how it says so: a code, an exit status, a next step, and nothing left behind.

use std::net::TcpListener;

use sqlx::Connection as _;

use super::program::{Installation, files, run};

/// Runs and expects a refusal with this status and code.
fn refused(args: &[&str], status: i32, code: &str) -> String {
    let (found, out, errors) = run(args);
    assert_eq!(found, status, "{args:?}: {out}{errors}");
    assert!(errors.contains(&format!("[{code}]")), "{args:?}: {errors}");
    assert!(errors.contains("next: "), "{args:?}: {errors}");
    errors
}

async fn sql(installation: &Installation, sql: &'static str) {
    let url = format!("sqlite:{}", installation.path("registry.db").display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "x").unwrap();
    let dir = folder.path().to_str().unwrap();
    refused(&["init", "--dir", dir], 1, "folder_not_empty");
    assert_eq!(files(folder.path()), [folder.path().join("mine")]);
    refused(&["init", "--dir", "/sys/retoque"], 1, "folder_unwritable");
    refused(&["init", "--dir", &format!("{dir}/a/b/c")], 1, "folder_unwritable");
}

#[test]
fn a_refused_init_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("new");
    let dir = dir.to_str().unwrap();
    refused(&["init", "--dir", dir, "--url", "ftp://x"], 2, "config_invalid");
    refused(&["init", "--dir", dir, "--operator", "Not a name"], 1, "name_invalid");
    refused(&["init", "--dir", dir, "--reviewer-key", "abc"], 1, "key_invalid");
    refused(&["init", "--dir", dir, "--database", "mysql://x"], 2, "config_invalid");
    // Nobody listens there: everything is ready but the database.
    refused(&["init", "--dir", dir, "--database", "postgres://x@127.0.0.1:1/x"], 7, "database_unusable");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_port_in_use_is_named() {
    let installation = Installation::made();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let errors = refused(&["serve", "--dir", &installation.dir(), "--listen", &address], 7, "address_in_use");
    assert!(errors.contains(&address), "{errors}");
    refused(&["serve", "--dir", &installation.dir(), "--listen", "192.0.2.1:8480"], 1, "address_unusable");
}

#[tokio::test]
async fn databases_that_do_not_fit_are_told_apart() {
    let installation = Installation::made();
    let dir = installation.dir();
    let serve = ["serve", "--dir", &dir, "--listen", "127.0.0.1:0"];
    let newest = retoque_registry::store::newest_schema();

    sql(&installation, "INSERT INTO _sqlx_migrations VALUES (9999, 'later', CURRENT_TIMESTAMP, TRUE, x'00', 0)").await;
    let errors = refused(&serve, 1, "database_newer");
    assert!(errors.contains("9999") && errors.contains(&newest.to_string()), "{errors}");
    refused(&["migrate", "--dir", &dir], 1, "database_newer");

    sql(&installation, "DELETE FROM _sqlx_migrations WHERE version > 1").await;
    let errors = refused(&serve, 1, "database_older");
    assert!(errors.contains("migrate"), "{errors}");

    sql(&installation, "DROP TABLE _sqlx_migrations").await;
    refused(&serve, 6, "database_missing");

    std::fs::write(installation.path("registry.db"), "not a database, but long enough to be read as one".repeat(99))
        .unwrap();
    refused(&serve, 7, "database_unusable");
    std::fs::remove_file(installation.path("registry.db")).unwrap();
    refused(&serve, 6, "database_missing");
    assert!(!installation.path("registry.db").exists(), "a refused start made a database");

    // A database with a schema and nothing in it is no installation.
    let (status, out, errors) = run(&["migrate", "--dir", &dir]);
    assert_eq!((status, out.trim()), (0, format!("the database has schema {newest}").as_str()), "{errors}");
    refused(&serve, 6, "installation_incomplete");
}

#[test]
fn storage_that_cannot_be_used_is_named() {
    let installation = Installation::made();
    let dir = installation.dir();
    let serve = |folder: &str| {
        let set = format!("storage.folder={folder}");
        refused(&["serve", "--dir", &dir, "--listen", "127.0.0.1:0", "--set", &set], 7, "storage_unusable")
    };
    serve("nowhere");
    serve("config.toml");
    let errors = serve("/sys/kernel");
    assert!(errors.contains("storage.folder"), "{errors}");
}

#[test]
fn keys_must_be_there_and_the_right_ones() {
    let installation = Installation::made();
    let dir = installation.dir();
    let serve = ["serve", "--dir", &dir, "--listen", "127.0.0.1:0"];
    let key = |name: &str| installation.path(&format!("keys/{name}.pem"));
    std::fs::copy(key("root-1"), key("platform-log")).unwrap();
    std::fs::copy(key("operator"), key("platform-status")).unwrap();
    let errors = refused(&serve, 1, "platform_key_mismatch");
    assert_eq!(errors.matches("[platform_key_mismatch]").count(), 2, "{errors}");
    std::fs::write(key("platform-build"), "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
        .unwrap();
    let errors = refused(&serve, 1, "key_invalid");
    assert!(!errors.contains("c2VjcmV0"), "{errors}");
    std::fs::remove_file(key("platform-build")).unwrap();
    let errors = refused(&serve, 6, "platform_key_unreadable");
    assert!(!errors.contains(&dir), "the folders above a key are not shown: {errors}");
}

#[test]
fn settings_are_checked_and_shown() {
    let installation = Installation::made();
    let dir = installation.dir();
    assert_eq!(run(&["config", "check", "--dir", &dir]).0, 0);
    let errors = refused(
        &["config", "check", "--dir", &dir, "--set", "log.levle=info", "--set", "log.format=xml"],
        2,
        "config_unknown",
    );
    assert!(errors.contains("did you mean `log.level`?") && errors.contains("[config_invalid]"), "{errors}");
    refused(&["config", "check", "--config", "/nowhere/config.toml"], 2, "config_unreadable");
    let secret = "storage.secret_key=hunter2";
    let (status, out, _) =
        run(&["config", "show", "--json", "--dir", &dir, "--set", secret, "--set", "storage.access_key=AK"]);
    assert!(status == 0 && !out.contains("hunter2"), "{out}");
    let lines: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let listen = lines.iter().find(|l| l["name"] == "server.listen").unwrap();
    assert_eq!((listen["value"].as_str(), listen["source"].as_str()), (Some("127.0.0.1:8480"), Some("file")));
}
