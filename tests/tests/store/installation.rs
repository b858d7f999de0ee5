//! A new installation on either engine: what `init` writes is what `serve` needs, and it is written once.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use retoque_core::decision::Record;
use retoque_core::problem::{ALREADY_EXISTS, Findings, PLATFORM_KEY_MISMATCH};
use retoque_core::sign::registration::KeyRegistration;
use retoque_core::sign::root::{Role, Root};
use retoque_core::sign::statement::Statement;
use retoque_core::sign::{Envelope, SecretKey, Signer as _};
use retoque_registry::app::App;
use retoque_registry::args::{Cli, Command, Init};
use retoque_registry::clock::Chance;
use retoque_registry::config::{Config, Sources};
use retoque_registry::install::{self, Made};
use retoque_registry::store::Store;
use retoque_tests::database::{Database, Engine};

use super::on_both_engines;

on_both_engines!(the_first_rows_are_signed_and_logged);

fn arguments(dir: &Path, database: &str) -> Init {
    let dir = dir.to_str().unwrap();
    let line = ["retoque-registry", "init", "--dir", dir, "--database", database, "--url", "https://patches.example"];
    match Cli::parse_from(line).command {
        Command::Init(init) => init,
        other => panic!("{other:?}"),
    }
}

async fn init(dir: &Path, database: &str) -> Result<Made, Findings> {
    install::init(&arguments(dir, database), &Chance::system()).await
}

fn settings(dir: &Path) -> Config {
    Config::load(&Sources { file: Some(dir.join("config.toml")), ..Sources::default() }).unwrap()
}

fn pem(dir: &Path, name: &str) -> SecretKey {
    SecretKey::from_pem(&std::fs::read_to_string(dir.join("keys").join(name)).unwrap()).unwrap()
}

async fn the_first_rows_are_signed_and_logged(database: &Database, store: Store) {
    store.close().await;
    let dir = database.folder().join("registry");
    let made = init(&dir, &database.url).await.unwrap();
    let app = App::open(settings(&dir), Chance::system()).await.unwrap();
    assert_eq!((app.origin.as_str(), made.origin.as_str()), ("https://patches.example", "https://patches.example"));

    let root = Root::trust(&std::fs::read(dir.join("root.json")).unwrap(), Some(made.fingerprint)).unwrap();
    let mut tx = app.store.read().await.unwrap();
    let row = tx.latest_root().await.unwrap().unwrap();
    assert_eq!((row.version, row.envelope, row.log_index), (1, root.to_bytes(), Some(0)));
    for (name, role) in [
        ("platform-build.pem", Role::PlatformBuild),
        ("platform-log.pem", Role::PlatformLog),
        ("platform-status.pem", Role::PlatformStatus),
        ("operator.pem", Role::Operate),
        ("root-1.pem", Role::Root),
        ("root-2.pem", Role::Root),
        ("root-3.pem", Role::Root),
    ] {
        assert_eq!(root.roles_of(pem(&dir, name).public().id()), [role], "{name}");
    }

    let operator = tx.account_by_name(&"operator".parse().unwrap()).await.unwrap().unwrap();
    let token = tx.token_by_secret(&made.token.digest()).await.unwrap().unwrap();
    assert_eq!(token.account_id, operator.id);
    let key = tx.keys_of(operator.id).await.unwrap().remove(0);
    assert_eq!(key.keyid, pem(&dir, "operator.pem").public().id().to_string());
    // The registration is signed by the log's key, and its leaf names its digest.
    let registration = Envelope::parse(&key.registration).unwrap();
    Statement::<KeyRegistration>::verify(&registration, &root.keys(Role::PlatformLog)).unwrap();
    assert_eq!(tx.log_size().await.unwrap(), 2);
    match Record::parse(&tx.leaf(key.log_index).await.unwrap().unwrap()).unwrap() {
        Record::Key(record) => assert_eq!(record.envelope, registration.digest()),
        other => panic!("{other:?}"),
    }
    match Record::parse(&tx.leaf(0).await.unwrap().unwrap()).unwrap() {
        Record::Root(record) => assert_eq!((record.root, record.envelope), (1, root.envelope().digest())),
        other => panic!("{other:?}"),
    }
    drop(tx);
    app.close().await;
}

/// Two replicas on one database: the second needs the first one's keys, and a second `init` is refused whole.
#[tokio::test]
async fn one_database_holds_one_installation() {
    let database = Database::empty(Engine::Postgres);
    let other_database = Database::empty(Engine::Postgres);
    let (first, second): (PathBuf, PathBuf) = (database.folder().join("first"), database.folder().join("second"));
    init(&first, &database.url).await.unwrap();
    let refused = init(&second, &database.url).await.unwrap_err();
    assert!(refused.has(ALREADY_EXISTS), "{refused:?}");
    assert_eq!(std::fs::read_dir(database.folder()).unwrap().count(), 1, "a refused init left something");

    // Another installation's keys, pointed at the first one's database.
    init(&second, &other_database.url).await.unwrap();
    let mut replica = settings(&second);
    replica.database = settings(&first).database;
    let refused = App::open(replica.clone(), Chance::system()).await.err().unwrap();
    assert!(refused.has(PLATFORM_KEY_MISMATCH) && refused.errors() == 3, "{refused:?}");
    // With the right ones it is a replica.
    replica.keys = settings(&first).keys;
    let (one, other) = (
        App::open(settings(&first), Chance::system()).await.unwrap(),
        App::open(replica, Chance::system()).await.unwrap(),
    );
    assert_eq!(one.origin, other.origin);
    one.close().await;
    other.close().await;
}
