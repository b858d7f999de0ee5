//! The `retoque-registry` command: turns one invocation into an exit status.

use std::process::ExitCode;

use clap::Parser as _;
use retoque_registry::args::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // One TLS provider everywhere; a second installation of it is no fault.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(retoque_registry::run(cli)),
        Err(error) => {
            eprintln!("error: the runtime cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}
