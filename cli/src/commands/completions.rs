//! `completions SHELL`: prints the completion script.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::context::Context;
use crate::error::Failure;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which shell
    shell: Shell,
}

/// Prints the script; raw also under `--json`, because a script is what was asked for.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "retoque", &mut script);
    output::written(ctx.stdout().write_all(&script))
}
