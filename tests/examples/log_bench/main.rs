//! Figures of the log: appends per second on both databases, proofs and their verification at several sizes, replay.
//!
//! `tests/scripts/log_bench.sh` builds and runs it. The crate `tlog_tiles`, another implementation of the same formats,
//! does the same work in the same run where it can. Fails when proofs grow faster than the logarithm of the tree.

mod database;
mod memory;

use std::time::Duration;

use retoque_tests::database::Engine;

fn main() {
    let full = std::env::args().any(|argument| argument == "--full");
    let sizes: &[u64] = if full { &[10, 1_000, 100_000, 1_000_000] } else { &[10, 1_000, 100_000] };
    println!("Proofs from tiles in memory, median of {} each; `theirs` is the crate tlog_tiles", memory::PROOFS);
    memory::proofs(sizes);
    memory::replay(100_000);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for engine in [Engine::Sqlite, Engine::Postgres] {
        runtime.block_on(database::figures(engine, if full { 100_000 } else { 10_000 }));
    }
}

/// The middle one.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// How many per second.
fn rate(count: u64, took: Duration) -> u64 {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
    count * 1_000_000 / micros
}

/// The record that stands at `index`: as long as a decision record is.
fn record(index: u64) -> Vec<u8> {
    format!("{{\"index\":{index},\"filler\":\"{}\"}}", "x".repeat(440)).into_bytes()
}
