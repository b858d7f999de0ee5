//! The store, on both engines: one body per test, run on each.

mod append_only;
mod catalogue;
mod faults;
mod installation;
mod listing;
mod logs;
mod names;
mod people;
mod reviews;
mod rows;
mod schema;
mod transactions;
mod versions;

/// Declares the tests of a file: each `async fn name(database, store)` runs once per engine.
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            use retoque_tests::database::{Database, Engine};
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let (database, store) = Database::ready(Engine::Sqlite).await;
                super::$name(&database, store).await;
            })*
        }
        mod postgres {
            use retoque_tests::database::{Database, Engine};
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let (database, store) = Database::ready(Engine::Postgres).await;
                super::$name(&database, store).await;
            })*
        }
    };
}
pub(crate) use on_both_engines;
