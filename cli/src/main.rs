//! The `retoque` command: turns one invocation into an exit status.

use std::process::ExitCode;

use retoque_cli::Invocation;

fn main() -> ExitCode {
    ExitCode::from(retoque_cli::run(Invocation::of_process()))
}
