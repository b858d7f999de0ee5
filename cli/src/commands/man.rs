//! `man`: prints the manual page of `retoque`, or writes one page per command to a folder.

use std::path::PathBuf;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::context::Context;
use crate::error::Failure;
use crate::{files, output};

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write `retoque.1` and a page for each command into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let command = Cli::command();
    if let Some(dir) = args.dir {
        return clap_mangen::generate_to(command, &dir).map_err(|e| files::unwritable(&dir, &e));
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut page);
    output::written(rendered.and_then(|()| ctx.stdout().write_all(&page)))
}
