//! One file per command.
//!
//! # How to add a command
//!
//! Make `commands/<name>.rs` with the clap struct and the function, then add two lines here: `pub mod name;` and one row
//! of the [`commands!`] table. Commands with subcommands derive [`clap::Subcommand`] inside their own file (`args` then
//! holds `#[command(subcommand)] what: What`).
//!
//! ```ignore
//! //! `inspect PACKAGE`: says what a package holds. Refuses …
//! #[derive(Debug, clap::Args)]
//! pub struct Args { /// The package
//!     package: PathBuf }
//!
//! pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
//!     let bytes = files::read(&args.package, LIMIT)?;             // inputs within a limit, failures with the path
//!     let (report, warnings) = core_check(&bytes)?;               // `Finding` and `Findings` become a `Failure` by `?`
//!     ctx.warn_findings(&warnings);                               // warnings: stderr
//!     ctx.report(&report, |page| page.field("rank", report.rank)) // result: JSON or text, exactly once
//! }
//! ```
//!
//! - `base.rs` only divides: `base/record.rs` is `base record`, `base/catalogue.rs` is `base add` and `base list`.
//! - `Failure::findings("adapter_config.json", &findings)` gives all findings under one message; the first error decides
//!   the exit status.
//! - Write files with [`crate::files::write`] (whole or not at all). Draw progress with `ctx.progress("hashing", bytes)`.
//! - Random bytes and the time come from [`crate::clock`] and `ctx.start`; environment from `ctx.environment`.
//! - Commands that use the network run their asynchronous part in [`crate::runtime::block_on`].
//! - Everything printed goes through `ctx`; [`Page`](crate::output::Page) and failures neutralise control characters.

pub mod completions;
pub mod inspect;
pub mod man;
pub mod pack;

use crate::context::Context;
use crate::error::Failure;

/// The table of commands: the variant, its module, and its one-line help. Order here is order in the help.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($module:ident);)*) => {
        /// The commands.
        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $($(#[$attribute])* $variant($module::Args),)*
        }

        /// Runs a command.
        pub fn dispatch(command: Command, ctx: &mut Context) -> Result<(), Failure> {
            match command {
                $(Command::$variant(args) => $module::run(args, ctx),)*
            }
        }
    };
}

commands! {
    /// Make a package from a trainer's folder
    Pack(pack);
    /// Say what a package holds, and check it
    Inspect(inspect);
    /// Print the completion script for a shell
    Completions(completions);
    /// Print the manual page, or write all of them to a folder
    #[command(hide = true)]
    Man(man);
}
