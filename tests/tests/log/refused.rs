//! A registry does not start on a log that contradicts itself, or that another key has signed.

use retoque_core::log::{Checkpoint, Frontier, leaf_hash};
use retoque_core::sign::SecretKey;
use retoque_registry::store::Store;
use retoque_tests::database::{Database, Engine};
use retoque_tests::programs::{Run, retoque_registry};

#[test]
fn serve_refuses_what_it_must_not_go_on_from() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let database = Database::empty(engine);
        let dir = database.folder().join("registry");
        let mut init = retoque_registry();
        init.arg("init").arg("--dir").arg(&dir).args(["--url", "http://127.0.0.1:1", "--database", &database.url]);
        Run::of(&mut init).expect(0);

        // A good note of the real head by a key that the root does not know.
        let stranger = SecretKey::from_seed(&[9; 32]).unwrap();
        let leaves = runtime.block_on(async {
            let store = Store::open(&database.url, 1).await.unwrap();
            let leaves = store.read().await.unwrap().leaves(0, 9).await.unwrap();
            store.close().await;
            leaves
        });
        let frontier: Frontier = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
        let note = Checkpoint::new("127.0.0.1:1", frontier.head()).unwrap().sign(&stranger).unwrap();
        let note = format!(
            "INSERT INTO log_notes (origin, size, keyid, note, created_at) VALUES ('127.0.0.1:1', 2, 'other', '{note}', 1)"
        );
        let other_head = format!(
            "INSERT INTO log_heads (size, root, created_at) VALUES (3, CAST('{}' AS BYTEA), 1)",
            "r".repeat(32)
        );
        for (damage, code) in [(note, "log_signed_by_other"), (other_head, "log_damaged")] {
            runtime.block_on(database.raw(&damage)).unwrap();
            let mut serve = retoque_registry();
            serve.arg("serve").arg("--dir").arg(&dir).args(["--listen", "127.0.0.1:0"]);
            let run = Run::of(&mut serve);
            assert_ne!(run.status, 0, "{engine:?} {damage}");
            assert!(run.says(code), "{engine:?}: {}", run.stderr);
        }
    }
}
