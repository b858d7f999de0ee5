//! Work that a transaction asks for and that is done after its commit: noted in the same transaction, so that a crash
//! between the two loses nothing.

use jiff::Timestamp;

use super::db::Tx;
use super::error::Error;
use super::id::OutboxId;
use super::value::{Columns, args, statements};

statements! {
    INSERT_TASK = "INSERT INTO outbox (id, kind, payload, created_at, done_at) VALUES ($1, $2, $3, $4, NULL)";
    OPEN_TASKS = "SELECT id, kind, payload FROM outbox WHERE done_at IS NULL ORDER BY created_at, id LIMIT $1";
    FINISH_TASK = "UPDATE outbox SET done_at = $2 WHERE id = $1 AND done_at IS NULL";
}

/// A task that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Row id.
    pub id: OutboxId,
    /// What kind of work.
    pub kind: String,
    /// What it is done to.
    pub payload: String,
}

impl Tx {
    /// Notes a task.
    pub async fn insert_task(&mut self, task: &Task, at: Timestamp) -> Result<(), Error> {
        self.execute(INSERT_TASK, args![&task.id, &task.kind, &task.payload, at]).await.map(drop)
    }

    /// At most `limit` tasks that wait, oldest first.
    pub async fn open_tasks(&mut self, limit: u32) -> Result<Vec<Task>, Error> {
        let read = |row| {
            let mut c = Columns::of(row);
            Ok(Task { id: c.take()?, kind: c.take()?, payload: c.take()? })
        };
        self.rows(OPEN_TASKS, args![limit]).await?.iter().map(read).collect()
    }

    /// Notes that a task is done; twice is as good as once.
    pub async fn finish_task(&mut self, id: OutboxId, at: Timestamp) -> Result<(), Error> {
        self.execute(FINISH_TASK, args![&id, at]).await.map(drop)
    }
}
