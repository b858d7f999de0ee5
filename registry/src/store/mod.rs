//! Rows in, rows out, on either database. Knows no rule of the service and nothing of HTTP.
//!
//! A [`Tx`] is the handle for everything: [`Store::read`] gives one that sees a single state and cannot write,
//! [`Store::write`] runs a body, commits it, and runs it again when the database asks for that. Functions stand in one
//! file per group of tables. A lookup answers `Result<Option<T>>`: that nothing is there is an answer, not an error.

pub mod accounts;
pub mod bases;
mod db;
pub mod decisions;
mod error;
pub mod id;
pub mod keys;
pub mod log;
pub mod meta;
mod migrations;
pub mod notes;
pub mod objects;
pub mod orgs;
pub mod outbox;
pub mod page;
pub mod patches;
mod signed;
pub mod statuses;
pub mod suites;
pub mod tokens;
pub mod uploads;
mod value;
pub mod versions;

use std::future::Future;
use std::time::Duration;

pub use db::Tx;
pub use error::{CHECKS, Error, Rule, Transient, UNIQUE_CONSTRAINTS, Unique};
pub use migrations::{OpenError, newest as newest_schema};
pub use page::{Listing, Page};
pub use signed::{Logged, SignedNote};

/// How often a transaction is run in all before its transient failure is the answer.
const TRIES: u32 = 12;

/// The database.
#[derive(Debug, Clone)]
pub struct Store {
    db: db::Db,
}

/// A transaction whose body is through, and the body's value. Only [`Tx::done`] makes one, so none is forgotten.
pub struct Done<T> {
    tx: Tx,
    value: T,
}

impl Tx {
    /// Ends the body of [`Store::write`]: what was changed shall stay.
    pub fn done<T>(self, value: T) -> Done<T> {
        Done { tx: self, value }
    }
}

impl Store {
    /// Opens the database at `url`, with at most `connections` to it. Refuses one that is missing, older or newer.
    pub async fn open(url: &str, connections: u32) -> Result<Self, OpenError> {
        let db = db::Db::connect(url, false, connections).await?;
        migrations::fits(db.applied().await?.as_deref())?;
        Ok(Self { db })
    }

    /// Makes the database file where the engine has one, brings the schema up to date and opens it. Refuses a newer one.
    pub async fn migrate(url: &str, connections: u32) -> Result<Self, OpenError> {
        let db = db::Db::connect(url, true, connections).await?;
        match migrations::fits(db.applied().await?.as_deref()) {
            Ok(()) => {}
            Err(OpenError::Missing | OpenError::Older { .. }) => db.migrate().await?,
            Err(other) => return Err(other),
        }
        Ok(Self { db })
    }

    /// A transaction that sees one state of the database and cannot write. Dropping it ends it.
    pub async fn read(&self) -> Result<Tx, Error> {
        self.db.begin_read().await
    }

    /// Runs `body` in a transaction and commits it. A body that fails changes nothing. A transaction that the database
    /// gave up (deadlock, serialisation failure, busy) is run again, so the body has no effects of its own.
    ///
    /// ```text
    /// store.write(|mut tx| async move {
    ///     tx.insert_org(org).await?;
    ///     Ok::<_, store::Error>(tx.done(()))
    /// })
    /// ```
    pub async fn write<T, E, F, R>(&self, mut body: F) -> Result<T, E>
    where
        E: Transient,
        F: FnMut(Tx) -> R,
        R: Future<Output = Result<Done<T>, E>>,
    {
        let mut tries = 1;
        loop {
            let result = match self.db.begin_write().await {
                Ok(tx) => match body(tx).await {
                    Ok(done) => done.tx.commit().await.map(|()| done.value).map_err(E::from),
                    Err(error) => Err(error),
                },
                Err(error) => Err(error.into()),
            };
            match result {
                Err(error) if error.is_transient() && tries < TRIES => {
                    tokio::time::sleep(Duration::from_millis(4 << tries.min(6))).await;
                    tries += 1;
                }
                other => return other,
            }
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), Error> {
        self.read().await?.meta(meta::INSTANCE).await.map(drop)
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.db.close().await;
    }

    /// Has the engine parse every statement of the store. Answers how many there are, or the name of the first refused.
    pub async fn prepare_all(&self) -> Result<usize, (String, Error)> {
        let mut count = 0;
        for (group, statements) in STATEMENTS {
            for (name, sql) in *statements {
                let named = |e| (format!("{group}::{name}"), e);
                let mut tx = self.db.begin_write().await.map_err(named)?;
                tx.prepare(sql).await.map_err(named)?;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// Every statement, by the file it stands in.
const STATEMENTS: &[(&str, &[(&str, &str)])] = &[
    ("accounts", accounts::STATEMENTS),
    ("bases", bases::STATEMENTS),
    ("decisions", decisions::STATEMENTS),
    ("keys", keys::STATEMENTS),
    ("log", log::STATEMENTS),
    ("meta", meta::STATEMENTS),
    ("notes", notes::STATEMENTS),
    ("objects", objects::STATEMENTS),
    ("orgs", orgs::STATEMENTS),
    ("outbox", outbox::STATEMENTS),
    ("patches", patches::STATEMENTS),
    ("signed", signed::STATEMENTS),
    ("statuses", statuses::STATEMENTS),
    ("suites", suites::STATEMENTS),
    ("tokens", tokens::STATEMENTS),
    ("uploads", uploads::STATEMENTS),
    ("versions", versions::STATEMENTS),
];
