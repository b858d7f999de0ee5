//! One file per command.
//!
//! # How to add a command
//!
//! Make `commands/<name>.rs` with the clap struct and the function, then add two lines here: `pub mod name;` and one row
//! of the [`commands!`] table. Commands with subcommands derive [`clap::Subcommand`] inside their own file (`args` then
//! holds `#[command(subcommand)] what: What`).
//!
//! ```text
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

#![allow(clippy::needless_pass_by_value, reason = "every command has the same signature")]

pub mod account;
pub mod audit;
pub mod base;
pub mod bundle;
pub mod completions;
pub mod dataset;
pub mod decisions;
pub mod deprecate;
pub mod grade;
pub mod inspect;
pub mod key;
pub mod lock;
pub mod log;
pub mod login;
pub mod logout;
pub mod man;
pub mod org;
pub mod outdated;
pub mod pack;
pub mod patch;
pub mod publish;
pub mod pull;
pub mod push;
pub mod reasoned;
pub mod restore;
pub mod review;
pub mod search;
pub mod show;
pub mod status;
pub mod submit;
pub mod suite;
pub mod sync;
pub mod takedown;
pub mod token;
pub mod trust;
pub mod verify;
pub mod whoami;
pub mod withdraw;

use retoque_core::permission::{OrgRole, PlatformRole};

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
    /// Pin the root of trust of a registry, show it, update it
    Trust(trust);
    /// Check a token and keep it
    Login(login);
    /// Forget the token of a registry
    Logout(logout);
    /// Show whose token is used and what it may do
    Whoami(whoami);
    /// Look for patches
    Search(search);
    /// Show a patch or a version
    Show(show);
    /// Show every decision on a version
    Decisions(decisions);
    /// Bring a published version here, proven
    Pull(pull);
    /// Prove a pulled folder or a bundle, without network
    Verify(verify);
    /// Put a version and everything that proves it in one file
    Bundle(bundle);
    /// Choose and write down exactly which versions a project uses
    Lock(lock);
    /// Bring exactly the locked versions here
    Sync(sync);
    /// Tell what changed since the versions of a project were locked
    Outdated(outdated);
    /// Prove what is here, and hold it against the log as it is now
    Audit(audit);
    /// Verify and follow the transparency log
    Log(log);
    /// Make patches
    Patch(patch);
    /// Check and divide datasets
    Dataset(dataset);
    /// Grade lines of expected answer and output
    Grade(grade);
    /// Make a package from a trainer's folder
    Pack(pack);
    /// Say what a package holds, and check it
    Inspect(inspect);
    /// Hand a package and its evaluation record to the registry
    Push(push);
    /// Ask for review, with declarations
    Submit(submit);
    /// Show where a version stands
    Status(status);
    /// Publish an approved version
    Publish(publish);
    /// Review submissions
    Review(review);
    /// Serve a version with a warning (operator)
    Deprecate(deprecate);
    /// Take a deprecation back (operator)
    Restore(restore);
    /// Stop serving a version (operator)
    Withdraw(withdraw);
    /// Erase the bytes of a version (operator)
    Takedown(takedown);
    /// Record, add and list base revisions
    Base(base);
    /// Add and list regression suites
    Suite(suite);
    /// Make, show and register signing keys; give them roles
    Key(key);
    /// Make and change accounts
    Account(account);
    /// Make orgs and set their members
    Org(org);
    /// Make, list and revoke tokens
    Token(token);
    /// Print the completion script for a shell
    Completions(completions);
    /// Print the manual page, or write all of them to a folder
    #[command(hide = true)]
    Man(man);
}

/// Reads a role by its stable name, for clap.
fn parse_role<R: NamedRole>(text: &str) -> Result<R, String> {
    R::named(text).ok_or_else(|| format!("one of {}", R::NAMES.join(", ")))
}

/// A role that is chosen by name.
trait NamedRole: Sized + Clone + Send + Sync + 'static {
    const NAMES: &'static [&'static str];
    fn named(text: &str) -> Option<Self>;
}

impl NamedRole for PlatformRole {
    const NAMES: &'static [&'static str] = &["build", "review", "operate"];
    fn named(text: &str) -> Option<Self> {
        Self::from_name(text)
    }
}

impl NamedRole for OrgRole {
    const NAMES: &'static [&'static str] = &["member", "publisher", "admin"];
    fn named(text: &str) -> Option<Self> {
        Self::from_name(text)
    }
}
