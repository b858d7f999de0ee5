//! The two engines, and nothing but the engines: every other file speaks of rows, arguments and transactions.
//!
//! One statement text serves both (`$1` placeholders, `RETURNING`, `ON CONFLICT`); [`on!`] expands one body per engine.
//! `SQLite` has one writing connection (`BEGIN IMMEDIATE`, WAL, `synchronous=FULL`) and a pool that only reads.
//! `PostgreSQL` runs READ COMMITTED: races are decided by unique constraints and by updates that name the value they
//! expect, so no decision rests on a snapshot; deadlocks and serialisation failures are marked as transient.

use std::path::Path;
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Executor, Row as _, SqlSafeStr, Transaction};

use super::error::Rule;
use super::error::{Error, Unique};
use super::migrations::{self, OpenError};
use super::value::Arg;

/// How long a connection may be waited for, and how long a writer waits for another process's write.
const WAIT: Duration = Duration::from_secs(20);

/// The pools of one engine.
#[derive(Debug, Clone)]
pub(super) enum Db {
    Sqlite {
        /// Exactly one connection: writes queue here instead of failing as busy.
        write: SqlitePool,
        read: SqlitePool,
    },
    Postgres(PgPool),
}

/// A transaction. Dropping it undoes it; [`super::Store::write`] commits it. After an error it is over: one engine
/// would go on and the other would not, so neither does, and nothing of it is committed.
#[derive(Debug)]
pub struct Tx {
    inner: Inner,
    failed: bool,
}

#[derive(Debug)]
enum Inner {
    Sqlite(Transaction<'static, sqlx::Sqlite>),
    Postgres(Transaction<'static, sqlx::Postgres>),
}

/// A row of either engine.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// One body, expanded for each engine; `$wrap` is the engine's row constructor.
macro_rules! on {
    ($tx:expr, |$conn:ident, $wrap:ident| $body:expr) => {
        match &mut $tx.inner {
            Inner::Sqlite(tx) => {
                let ($conn, $wrap) = (&mut **tx, Row::Sqlite);
                $body
            }
            Inner::Postgres(tx) => {
                let ($conn, $wrap) = (&mut **tx, Row::Postgres);
                $body
            }
        }
    };
}

/// The query with its parameters bound; a macro because the type differs per engine.
macro_rules! query {
    ($sql:expr, $args:expr) => {{
        let mut query = sqlx::query($sql);
        for arg in $args {
            query = match arg.clone() {
                Arg::Text(value) => query.bind(value),
                Arg::Int(value) => query.bind(value),
                Arg::Bytes(value) => query.bind(value),
                Arg::Bool(value) => query.bind(value),
            };
        }
        query
    }};
}

impl Tx {
    const fn new(inner: Inner) -> Self {
        Self { inner, failed: false }
    }

    /// All rows.
    pub(super) async fn rows(&mut self, sql: &'static str, args: &[Arg]) -> Result<Vec<Row>, Error> {
        self.go_on()?;
        let result = on!(self, |conn, wrap| {
            query!(sql, args).fetch_all(conn).await.map(|rows| rows.into_iter().map(wrap).collect())
        });
        self.note(result)
    }

    /// The row, if there is one.
    pub(super) async fn row(&mut self, sql: &'static str, args: &[Arg]) -> Result<Option<Row>, Error> {
        self.go_on()?;
        let result = on!(self, |conn, wrap| query!(sql, args).fetch_optional(conn).await.map(|row| row.map(wrap)));
        self.note(result)
    }

    /// How many rows the statement changed.
    pub(super) async fn execute(&mut self, sql: &'static str, args: &[Arg]) -> Result<u64, Error> {
        self.go_on()?;
        let result = on!(self, |conn, _wrap| query!(sql, args).execute(conn).await.map(|done| done.rows_affected()));
        self.note(result)
    }

    /// Has the engine parse the statement and resolve its names, without running it.
    pub(super) async fn prepare(&mut self, sql: &'static str) -> Result<(), Error> {
        self.go_on()?;
        let result = on!(self, |conn, _wrap| conn.prepare(sql.into_sql_str()).await.map(drop));
        self.note(result)
    }

    /// Makes the changes durable and visible.
    pub(super) async fn commit(self) -> Result<(), Error> {
        self.go_on()?;
        match self.inner {
            Inner::Sqlite(tx) => tx.commit().await,
            Inner::Postgres(tx) => tx.commit().await,
        }
        .map_err(classify)
    }

    fn go_on(&self) -> Result<(), Error> {
        if self.failed {
            let message = "the transaction has failed and cannot go on".to_owned();
            return Err(Error::Backend { message, transient: false });
        }
        Ok(())
    }

    fn note<T>(&mut self, result: Result<T, sqlx::Error>) -> Result<T, Error> {
        self.failed |= result.is_err();
        result.map_err(classify)
    }
}

macro_rules! getter {
    ($name:ident, $type:ty) => {
        pub(super) fn $name(&self, at: usize) -> Result<$type, Error> {
            match self {
                Self::Sqlite(row) => row.try_get(at),
                Self::Postgres(row) => row.try_get(at),
            }
            .map_err(classify)
        }
    };
}

impl Row {
    getter!(text, Option<String>);
    getter!(int, Option<i64>);
    getter!(bytes, Option<Vec<u8>>);
    getter!(bool, bool);
}

impl Db {
    /// Connects. With `create`, a missing database file is made; a server's database is never made.
    pub(super) async fn connect(url: &str, create: bool, connections: u32) -> Result<Self, OpenError> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = Path::new(path.strip_prefix("//").unwrap_or(path));
            if !create && !path.exists() {
                return Err(OpenError::Missing);
            }
            let options = SqliteConnectOptions::new()
                .filename(path)
                .create_if_missing(create)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .foreign_keys(true)
                .busy_timeout(WAIT)
                .disable_statement_logging();
            let write = SqlitePoolOptions::new()
                .max_connections(1)
                .acquire_timeout(WAIT)
                .connect_with(options.clone())
                .await
                .map_err(|e| unopened(&e))?;
            let read = SqlitePoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(WAIT)
                .connect_lazy_with(options.pragma("query_only", "ON"));
            Ok(Self::Sqlite { write, read })
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            let options: PgConnectOptions = url.parse().map_err(|_| OpenError::Url)?;
            let options = options
                .application_name("retoque-registry")
                .options([("statement_timeout", "30000"), ("lock_timeout", "20000")])
                .disable_statement_logging();
            // The pool would try a refused connection again and again; the first one shall tell at once.
            let first = tokio::time::timeout(WAIT, options.connect()).await;
            first.map_err(|_| OpenError::Unreachable("no answer".to_owned()))?.map_err(|e| unopened(&e))?;
            let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(WAIT);
            Ok(Self::Postgres(pool.connect_lazy_with(options)))
        } else {
            Err(OpenError::Url)
        }
    }

    /// A transaction that can write.
    pub(super) async fn begin_write(&self) -> Result<Tx, Error> {
        match self {
            Self::Sqlite { write, .. } => write.begin_with("BEGIN IMMEDIATE").await.map(Inner::Sqlite),
            Self::Postgres(pool) => pool.begin().await.map(Inner::Postgres),
        }
        .map(Tx::new)
        .map_err(classify)
    }

    /// A transaction that sees one state of the database and cannot write.
    pub(super) async fn begin_read(&self) -> Result<Tx, Error> {
        match self {
            Self::Sqlite { read, .. } => read.begin().await.map(Inner::Sqlite),
            Self::Postgres(pool) => {
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await.map(Inner::Postgres)
            }
        }
        .map(Tx::new)
        .map_err(classify)
    }

    /// The versions of the schema that have been applied; `None` when there is no schema at all.
    pub(super) async fn applied(&self) -> Result<Option<Vec<i64>>, OpenError> {
        let mut tx = self.begin_read().await.map_err(|e| OpenError::Unreachable(e.to_string()))?;
        let exists = match self {
            Self::Sqlite { .. } => "SELECT COUNT(*) FROM sqlite_master WHERE name = '_sqlx_migrations'",
            Self::Postgres(_) => {
                "SELECT COUNT(*) FROM pg_tables WHERE tablename = '_sqlx_migrations' AND schemaname = current_schema()"
            }
        };
        let read = |e: Error| OpenError::Unreachable(e.to_string());
        let row = tx.row(exists, &[]).await.map_err(read)?;
        if row.map(|r| r.int(0)).transpose().map_err(read)?.flatten() != Some(1) {
            return Ok(None);
        }
        let rows = tx.rows("SELECT version FROM _sqlx_migrations ORDER BY version", &[]).await.map_err(read)?;
        rows.iter()
            .map(|row| row.int(0).map(Option::unwrap_or_default))
            .collect::<Result<_, _>>()
            .map(Some)
            .map_err(read)
    }

    /// Applies what is not applied yet, under the engine's own migration lock.
    pub(super) async fn migrate(&self) -> Result<(), OpenError> {
        let list = migrations::ALL.iter().map(|m| {
            let sql = if matches!(self, Self::Sqlite { .. }) { m.sqlite } else { m.postgres };
            Migration::new(m.version, m.name.into(), MigrationType::Simple, sql.into_sql_str(), false)
        });
        let migrator = Migrator::with_migrations(list.collect());
        match self {
            Self::Sqlite { write, .. } => migrator.run(write).await,
            Self::Postgres(pool) => migrator.run(pool).await,
        }
        .map_err(|e| OpenError::Migration(e.to_string()))
    }

    /// Closes every connection; writes what the engine keeps beside its file.
    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite { write, read } => {
                read.close().await;
                write.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

fn unopened(error: &sqlx::Error) -> OpenError {
    match error {
        // 3D000: the server answers, the database is not there.
        sqlx::Error::Database(e) if e.code().as_deref() == Some("3D000") => OpenError::Missing,
        sqlx::Error::Database(e) => OpenError::Unreachable(e.message().to_owned()),
        other => OpenError::Unreachable(other.to_string()),
    }
}

/// `SQLite` result codes by their primary number: 5 BUSY, 6 LOCKED; extended 1811 a trigger's RAISE.
/// `PostgreSQL`: 40001 serialisation failure, 40P01 deadlock, 55P03 lock not available, 23000 our own triggers.
#[expect(clippy::needless_pass_by_value, reason = "the last stop of an error, passed to map_err")]
fn classify(error: sqlx::Error) -> Error {
    use sqlx::error::ErrorKind;
    let sqlx::Error::Database(e) = &error else {
        return Error::Backend { message: error.to_string(), transient: false };
    };
    let code = e.code().unwrap_or_default().into_owned();
    match e.kind() {
        ErrorKind::UniqueViolation => Error::Duplicate(Unique::of_constraint(&unique_name(e.as_ref()))),
        ErrorKind::CheckViolation => Error::Refused(Rule::of_check(last_word(e.constraint(), e.message()))),
        ErrorKind::ForeignKeyViolation => Error::Refused(Rule::ForeignKey),
        ErrorKind::NotNullViolation => Error::Refused(Rule::Null),
        _ if code == "1811" || code == "23000" => Error::Refused(Rule::AppendOnly),
        _ => {
            let busy = code.parse::<u32>().is_ok_and(|n| matches!(n & 0xff, 5 | 6) && n < 0x1_0000);
            let transient = matches!(code.as_str(), "40001" | "40P01" | "55P03") || (busy && code.len() < 5);
            Error::Backend { message: format!("{} ({code})", e.message()), transient }
        }
    }
}

/// `<table>_<columns>` of the violated constraint. One engine names it (`…_key`), the other lists the columns.
fn unique_name(error: &dyn sqlx::error::DatabaseError) -> String {
    if let Some(name) = error.constraint() {
        return name.strip_suffix("_key").unwrap_or(name).to_owned();
    }
    let columns = error.message().rsplit(": ").next().unwrap_or_default();
    let mut name = String::new();
    for column in columns.split(", ") {
        let (table, column) = column.split_once('.').unwrap_or(("", column));
        if name.is_empty() {
            name.push_str(table);
        }
        name.push('_');
        name.push_str(column);
    }
    name
}

fn last_word<'a>(constraint: Option<&'a str>, message: &'a str) -> &'a str {
    constraint.unwrap_or_else(|| message.rsplit(": ").next().unwrap_or(message))
}
