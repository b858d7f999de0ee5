//! `key root create | next | sign | show | publish`: the ceremony of the root of trust, on machines without network.
//!
//! One makes the root file, each holder of a root key looks at it and signs it on a machine of their own, and one
//! publishes it. The file is all that travels. Everything is checked as clients will check it, at every step: nobody
//! signs what no client would take. Clause: specification, section 8.

mod change;
mod create;
mod next;
mod publish;
mod show;
mod sign;

pub(super) use publish::send;

use std::path::{Path, PathBuf};

use retoque_core::sign::Time;
use retoque_core::sign::root::{self, Proposal, Root};

use crate::context::Context;
use crate::error::Failure;
use crate::files;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make a first root, which nobody has signed yet
    Create(create::Args),
    /// Make the root after FILE, which nobody has signed yet
    Next(next::Args),
    /// Add the signature of a root key to FILE
    Sign(sign::Args),
    /// Show what FILE says, what it changes, and whose signatures it has and needs
    Show(show::Args),
    /// Send FILE to the registry when enough keys have signed it (operator)
    Publish(publish::Args),
}

/// Runs the command.
pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    match &args.what {
        What::Create(args) => create::run(args, ctx),
        What::Next(args) => next::run(args, ctx),
        What::Sign(args) => sign::run(args, ctx),
        What::Show(args) => show::run(args, ctx),
        What::Publish(args) => publish::run(args, ctx),
    }
}

/// When a new root expires, and where it goes.
#[derive(Debug, clap::Args)]
struct Making {
    /// Days until it expires
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
    /// When it expires, such as 2027-12-01T00:00:00Z, instead of --days
    #[arg(long, value_name = "TIME", conflicts_with = "days")]
    expires: Option<String>,
    /// Where the root file goes [default: <version>.root.json]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Making {
    fn expires(&self, ctx: &Context) -> Result<Time, Failure> {
        let Some(text) = &self.expires else {
            return Ok(ctx.start.plus_seconds(i64::from(self.days) * 86_400).whole_second());
        };
        let time: Time = text.parse().map_err(|e| Failure::usage(format!("--expires {text}: {e}"), ""))?;
        if time > ctx.start && time == time.whole_second() {
            return Ok(time);
        }
        Err(Failure::usage(format!("--expires {text}: not a whole second that is to come"), "name a later one"))
    }

    /// Writes the proposal to a file that does not exist yet.
    fn write(&self, proposal: &Proposal) -> Result<PathBuf, Failure> {
        let name = || PathBuf::from(format!("{}.root.json", proposal.root().version()));
        let path = self.out.clone().unwrap_or_else(name);
        files::write_new(&path, &proposal.to_bytes(), 0o644)?;
        Ok(path)
    }
}

/// A root file that others have signed and published: its own threshold is checked.
fn trusted(path: &Path) -> Result<Root, Failure> {
    let bytes = files::read(path, root::MAX_BYTES as u64)?;
    Root::trust(&bytes, None).map_err(|finding| Failure::from(finding).during(files::shown(path)))
}

/// A root file on its way through the ceremony.
pub(super) fn proposal(path: &Path) -> Result<Proposal, Failure> {
    let bytes = files::read(path, root::MAX_BYTES as u64)?;
    Proposal::open(&bytes).map_err(|finding| Failure::from(finding).during(files::shown(path)))
}
