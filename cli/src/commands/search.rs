//! `search [TEXT]`: patches by words and filters.

use retoque_core::api::PatchView;

use crate::client::Connection;
use crate::context::Context;
use crate::error::Failure;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Words that all stand in name, title, problem, category or base; without them all patches are listed
    text: Vec<String>,
    /// Only this category, such as structured-output
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
    /// Only patches of this base: `owner/name` or `owner/name@commit`
    #[arg(long, value_name = "BASE")]
    base: Option<String>,
    /// Only patches of this org
    #[arg(long, value_name = "ORG")]
    org: Option<String>,
    /// Only patches with a version in this state, such as published
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let mut url = client.api(&["patches"]);
    let words = (!args.text.is_empty()).then(|| args.text.join(" "));
    let filters =
        [("q", words), ("category", args.category), ("base", args.base), ("org", args.org), ("state", args.state)];
    for (name, value) in filters.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        url.query_pairs_mut().append_pair(name, &value);
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
