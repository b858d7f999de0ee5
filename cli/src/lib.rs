//! The command line `retoque`: pack, push, review, publish, pull and verify adapter patches.
//!
//! `args → command → {core, client}`: [`args`] holds clap types only, each file of `commands` is one
//! command, and every rule that decides about a package is `retoque_core`'s. What a command prints goes
//! through [`output`], which neutralises control characters of foreign text; what stops a command is a
//! [`error::Failure`], whose kind gives the exit status. Clauses: specification, sections 9 and 11.

pub mod args;
pub mod audit;
pub mod base_proof;
pub mod bundle;
pub mod client;
pub mod clock;
pub mod commands;
pub mod config;
pub mod context;
pub mod decide;
pub mod error;
pub mod files;
pub mod head;
pub mod lock;
pub mod log;
pub mod output;
pub mod packer;
pub mod pull;
mod receipt;
pub mod reference;
pub mod runtime;
pub mod snapshot;
pub mod trust_store;
pub mod verify;

pub use context::{Invocation, Streams};

use std::ffi::OsString;

use clap::Parser as _;

use crate::args::Cli;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Output;

/// Runs one invocation and returns its exit status. Blocking: call it from a plain thread.
pub fn run(invocation: Invocation) -> u8 {
    // One TLS provider for the process; it is an error only when one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Invocation { args, environment, streams, start } = invocation;
    match Cli::try_parse_from(&args) {
        Ok(cli) => {
            let mut output = Output::new(streams, cli.global.json, cli.global.quiet, environment.no_color);
            let start = match start.map_or_else(clock::now, Ok) {
                Ok(start) => start,
                Err(failure) => return output.failure(&failure),
            };
            let environment = match config::keys::with_passphrase(environment, &cli.global) {
                Ok(environment) => environment,
                Err(failure) => return output.failure(&failure),
            };
            let mut context = Context::new(cli.global, environment, start, output);
            let result = commands::dispatch(cli.command, &mut context);
            context.finish(result)
        }
        Err(error) => unparsed(&args, &error, environment.no_color, streams),
    }
}

/// Help and version are answers (status 0); everything else that clap refuses is wrong usage (status 2).
fn unparsed(args: &[OsString], error: &clap::Error, no_color: bool, streams: Streams) -> u8 {
    let json = args.iter().take_while(|a| *a != "--").any(|a| a == "--json");
    let mut output = Output::new(streams, json, false, no_color);
    if !error.use_stderr() {
        let name = if error.kind() == clap::error::ErrorKind::DisplayVersion { "version" } else { "help" };
        return output.help(name, &error.render());
    }
    if json {
        return output.failure(&Failure::usage(error.render().to_string().trim_end(), "see `retoque help`"));
    }
    output.usage(&error.render())
}
