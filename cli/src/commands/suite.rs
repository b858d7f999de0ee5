//! `suite add FILE --name N [--allowance P]`, `suite list`, `suite retire SUITE`: the shared regression suites.

use std::path::PathBuf;

use reqwest::Method;
use retoque_core::api::SuiteView;
use retoque_core::problem::NOT_FOUND;

use crate::client::{Connection, Document};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Add a suite (operator)
    Add(Add),
    /// List the suites
    List,
    /// Take no new version that was evaluated on a suite (operator); adding it again brings it back
    Retire {
        /// Its name or digest, as `suite list` shows them
        suite: String,
    },
}

#[derive(Debug, clap::Args)]
struct Add {
    /// JSON Lines, at least 40 cases
    file: PathBuf,
    /// Its name
    #[arg(long)]
    name: String,
    /// Allowed drop on it, in percentage points
    #[arg(long, value_name = "POINTS", default_value_t = 5)]
    allowance: u64,
}

/// The most bytes of a suite.
const MAX_SUITE: u64 = 20_000_000;

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let mut url = client.api(&["suites"]);
    match args.what {
        What::Add(add) => {
            let body = Document { media_type: "application/jsonl", bytes: files::read(&add.file, MAX_SUITE)?.into() };
            url.query_pairs_mut()
                .append_pair("name", &add.name)
                .append_pair("allowance_points", &add.allowance.to_string());
            let suite: SuiteView = block_on(client.call(Method::POST, url, Some(body)))?;
            report(&suite, ctx)
        }
        What::List => {
            let suites: Vec<SuiteView> = block_on(client.list(url))?;
            let rows: Vec<_> = suites.iter().map(row).collect();
            let headings = ["suite", "cases", "allowance", "state", "digest"];
            ctx.report(&suites, |page| page.table(&headings, &rows, "no suites"))
        }
        What::Retire { suite: named } => {
            let suites: Vec<SuiteView> = block_on(client.list(url))?;
            let fits = |suite: &&SuiteView| suite.name == named || suite.sha256.to_string() == named;
            let Some(found) = suites.iter().find(fits) else {
                let message = format!("there is no suite {named:?}");
                return Err(Failure::new(NOT_FOUND, message, "see `retoque suite list`"));
            };
            let url = client.api(&["suites", &found.sha256.to_string()]);
            let suite: SuiteView = block_on(client.call(Method::DELETE, url, None))?;
            report(&suite, ctx)
        }
    }
}

fn report(suite: &SuiteView, ctx: &mut Context) -> Result<(), Failure> {
    ctx.report(suite, |page| {
        page.field("suite", &suite.name);
        page.field("digest", suite.sha256);
        page.field("cases", suite.cases);
        page.field("allowance", format!("{} points", suite.allowance_points));
        page.field("state", state(suite));
    })
}

fn state(suite: &SuiteView) -> String {
    suite.retired.map_or_else(|| "in force".to_owned(), |at| format!("retired {at}"))
}

fn row(suite: &SuiteView) -> Vec<String> {
    let allowance = format!("{} points", suite.allowance_points);
    vec![suite.name.clone(), suite.cases.to_string(), allowance, state(suite), suite.sha256.to_string()]
}
