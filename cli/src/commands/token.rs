//! `token create | list | revoke`: credentials of accounts. A token's text is shown once, when it is made.

use reqwest::Method;
use retoque_core::api::{MadeToken, NewToken, TokenScope, TokenView};
use retoque_core::id::{AccountName, Org};
use serde_json::json;

use crate::client::{Connection, Document};
use crate::context::Context;
use crate::error::Failure;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make a token and show it, this once
    Create(Create),
    /// List tokens, without their text
    List {
        /// Of another account (operator)
        #[arg(long)]
        account: Option<AccountName>,
    },
    /// Make a token useless
    Revoke {
        /// Its id, as `token list` shows it
        id: String,
    },
}

#[derive(Debug, clap::Args)]
struct Create {
    /// What it is for
    #[arg(long)]
    label: String,
    /// For another account (operator)
    #[arg(long)]
    account: Option<AccountName>,
    /// How far it reaches
    #[arg(long, value_enum, default_value_t = Scope::Read)]
    scope: Scope,
    /// Limit it to one org
    #[arg(long)]
    org: Option<Org>,
    /// Days until it expires, 1 to 365
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=365))]
    days: Option<u32>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Scope {
    /// Only reads
    Read,
    /// All that the account may do
    Write,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    match args.what {
        What::Create(create) => {
            let Create { label, account, scope, org, days } = create;
            let scope = match scope {
                Scope::Read => TokenScope::Read,
                Scope::Write => TokenScope::Write,
            };
            let body = Document::json(&NewToken { account, label, scope, org, days })?;
            let made: MadeToken = block_on(client.call(Method::POST, client.api(&["tokens"]), Some(body)))?;
            ctx.note("keep it now; it is not shown again");
            ctx.report(&made, |page| page.line(&made.secret))
        }
        What::List { account } => {
            let mut url = client.api(&["tokens"]);
            if let Some(account) = account {
                url.query_pairs_mut().append_pair("account", account.as_str());
            }
            let tokens: Vec<TokenView> = block_on(client.list(url))?;
            let rows: Vec<_> = tokens.iter().map(row).collect();
            let headings = ["id", "account", "scope", "org", "expires", "label", ""];
            ctx.report(&tokens, |page| page.table(&headings, &rows, "no tokens"))
        }
        What::Revoke { id } => {
            block_on(client.tell(Method::DELETE, client.api(&["tokens", &id])))?;
            ctx.report(&json!({ "id": id, "revoked": true }), |page| page.line(format!("token {id} is revoked")))
        }
    }
}

fn row(token: &TokenView) -> Vec<String> {
    vec![
        token.id.clone(),
        token.account.to_string(),
        format!("{:?}", token.scope).to_lowercase(),
        token.org.as_ref().map(Org::to_string).unwrap_or_default(),
        token.expires.to_string(),
        token.label.clone(),
        if token.revoked { "revoked" } else { "" }.to_owned(),
    ]
}
