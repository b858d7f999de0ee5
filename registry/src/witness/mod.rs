//! A witness of logs, C2SP tlog-witness: it cosigns a checkpoint only when that continues what it cosigned before.
//!
//! Run by somebody else than the log, it keeps the log from showing different histories to different readers. It has a
//! folder of its own and needs no database: who it is, whose logs it watches, and the newest checkpoint of each. What a
//! checkpoint is judged by is in `retoque_core::log::witness`.

mod folder;
mod keep;
mod listen;

use retoque_core::problem::Findings;
use tokio::net::TcpListener;

pub use folder::{Place, init};
pub use keep::{Keep, Refused};
pub use listen::router;

use crate::clock::Chance;
use crate::serve::{self, Waits};

/// How long it waits for others.
const WAITS: Waits =
    Waits { head: std::time::Duration::from_secs(30), drain: std::time::Duration::from_secs(5), min_rate: 8 << 10 };

/// Serves the witness until a signal asks it to stop.
pub async fn run(keep: Keep, listener: TcpListener, chance: Chance) -> Result<(), Findings> {
    let served = serve::serve(listener, router(keep, chance), WAITS, serve::signal()).await;
    served.map_err(|error| crate::install::internal(&error))
}
