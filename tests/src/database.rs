//! An empty registry database of its own for each test, on the engine that the test asks for.

use retoque_registry::store::Store;

use crate::postgres;

/// Which engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The embedded one.
    Sqlite,
    /// The server.
    Postgres,
}

/// A database that goes away with this value.
pub struct Database {
    /// Which engine it is on.
    pub engine: Engine,
    /// Its URL, as the configuration takes it.
    pub url: String,
    folder: tempfile::TempDir,
}

impl Database {
    /// A place where no schema is yet. The embedded engine has no file there either.
    pub fn empty(engine: Engine) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = match engine {
            Engine::Sqlite => format!("sqlite:{}", folder.path().join("registry.db").display()),
            Engine::Postgres => postgres::new_database(),
        };
        Self { engine, url, folder }
    }

    /// A database with the whole schema, opened.
    pub async fn ready(engine: Engine) -> (Self, Store) {
        let database = Self::empty(engine);
        let store = Store::migrate(&database.url, 8).await.expect("the schema applies");
        (database, store)
    }

    /// Runs SQL as a tool of the engine would, beside the store and its rules.
    pub async fn raw(&self, sql: &str) -> Result<(), sqlx::Error> {
        use sqlx::{AssertSqlSafe, Connection as _};
        match self.engine {
            Engine::Sqlite => {
                let mut connection = sqlx::SqliteConnection::connect(&self.url).await?;
                let sql = sql.replace("BYTEA", "BLOB");
                let result = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.map(drop);
                connection.close().await?;
                result
            }
            Engine::Postgres => {
                let mut connection = sqlx::PgConnection::connect(&self.url).await?;
                let sql = AssertSqlSafe(sql.to_owned());
                let result = sqlx::raw_sql(sql).execute(&mut connection).await.map(drop);
                connection.close().await?;
                result
            }
        }
    }

    /// A folder that lives as long as the database.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The folder goes by itself; a database on a server must be dropped.
        if self.engine == Engine::Postgres && !std::thread::panicking() {
            postgres::drop_database(&self.url);
        }
    }
}

/// Declares the tests of a file: each `async fn name(database, store)` runs once per engine.
#[macro_export]
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            use $crate::database::{Database, Engine};
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let (database, store) = Database::ready(Engine::Sqlite).await;
                super::$name(&database, store).await;
            })*
        }
        mod postgres {
            use $crate::database::{Database, Engine};
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let (database, store) = Database::ready(Engine::Postgres).await;
                super::$name(&database, store).await;
            })*
        }
    };
}

/// Makes a test of each function, for each engine: `fn name(engine: Engine)`.
#[macro_export]
macro_rules! on_both {
    ($($function:ident),* $(,)?) => {
        mod sqlite {$(
            #[test]
            fn $function() { super::$function($crate::database::Engine::Sqlite); }
        )*}
        mod postgres {$(
            #[test]
            fn $function() { super::$function($crate::database::Engine::Postgres); }
        )*}
    };
}
