//! What can be typed: the global flags and the list of commands (clap types only).

use std::path::PathBuf;

use clap::{Args, Parser};

use crate::commands::Command;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "retoque",
    version,
    about = "Pack, sign, review, publish, pull and verify adapter patches",
    after_help = "Exit status: 0 done, 1 failed, 2 usage, 3 verification failed, 4 refused by state, 5 not allowed, \
                  6 not found, 7 network, 8 stale.\n\nVariables: RETOQUE_REGISTRY (address), RETOQUE_TOKEN (instead of the stored one), \
                  RETOQUE_HOME (folder of tokens, keys and pinned roots, else ~/.config/retoque).",
    propagate_version = true,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const HEADING: &str = "Options of every command";

/// Flags that every command takes.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Print one JSON document on standard output, also for a failure
    #[arg(long, global = true, help_heading = HEADING, display_order = 900)]
    pub json: bool,
    /// Print no progress and no notes
    #[arg(long, short, global = true, help_heading = HEADING, display_order = 901)]
    pub quiet: bool,
    /// The registry to talk to [default: `RETOQUE_REGISTRY`, else the configured one]
    #[arg(long, global = true, value_name = "URL", help_heading = HEADING, display_order = 902)]
    pub registry: Option<String>,
    /// Read the passphrase of encrypted private keys from this file [default: `RETOQUE_PASSPHRASE`, else a prompt]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true, help_heading = HEADING, display_order = 904)]
    pub passphrase_file: Option<PathBuf>,
    /// Send the token over plain http to a host that is not this machine
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING, display_order = 903)]
    pub allow_http: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
