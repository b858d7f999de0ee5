//! `search [TEXT]`: patches by name, title and problem.

use retoque_core::api::PatchView;

use crate::client::Connection;
use crate::context::Context;
use crate::error::Failure;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Words to look for; without them all patches are listed
    text: Vec<String>,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let mut url = client.api(&["patches"]);
    if !args.text.is_empty() {
        url.query_pairs_mut().append_pair("q", &args.text.join(" "));
    }
    let patches: Vec<PatchView> = block_on(client.list(url))?;
    let rows: Vec<_> = patches.iter().map(row).collect();
    let headings = ["patch", "newest", "evidence", "base", "title"];
    ctx.report(&patches, |page| page.table(&headings, &rows, "no patch matches"))
}

fn row(view: &PatchView) -> Vec<String> {
    let newest = view.newest.as_ref();
    vec![
        view.patch.name.to_string(),
        newest.map_or_else(|| "-".to_owned(), |v| v.version.to_string()),
        newest.map_or_else(String::new, |v| v.evidence.to_string()),
        view.patch.base.repo.to_string(),
        view.patch.title.clone(),
    ]
}
