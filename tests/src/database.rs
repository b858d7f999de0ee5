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
