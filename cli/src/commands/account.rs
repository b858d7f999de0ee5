//! `account create | list | show | change`: who may act on the platform (operator).

use reqwest::Method;
use retoque_core::api::{Account, AccountChange, NewAccount};
use retoque_core::id::AccountName;
use retoque_core::permission::PlatformRole;

use super::parse_role;
use crate::client::{Connection, Document};
use crate::context::Context;
use crate::error::Failure;
use crate::output::Page;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make an account
    Create(Create),
    /// List all accounts
    List,
    /// Show one account
    Show {
        /// Its name
        name: AccountName,
    },
    /// Change roles or disclosure, or disable an account
    Change(Change),
}

#[derive(Debug, clap::Args)]
struct Create {
    /// Its name: lower-case letters and digits in groups joined by hyphens
    name: AccountName,
    /// How people know it
    #[arg(long)]
    display: String,
    /// Platform role (build, review, operate); may be repeated
    #[arg(long = "role", value_parser = parse_role::<PlatformRole>)]
    roles: Vec<PlatformRole>,
    /// Text that is copied into each of its review decisions
    #[arg(long)]
    disclosure: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Change {
    /// Its name
    name: AccountName,
    /// The new platform roles, instead of all former ones; may be repeated
    #[arg(long = "role", value_parser = parse_role::<PlatformRole>)]
    roles: Vec<PlatformRole>,
    /// Take all platform roles away
    #[arg(long, conflicts_with = "roles")]
    no_roles: bool,
    /// The new disclosure; an empty one removes it
    #[arg(long)]
    disclosure: Option<String>,
    /// It may no longer act
    #[arg(long, conflicts_with = "enable")]
    disable: bool,
    /// It may act again
    #[arg(long)]
    enable: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let one = |name: &AccountName| client.api(&["accounts", name.as_str()]);
    match args.what {
        What::Create(create) => {
            let Create { name, display, roles, disclosure } = create;
            let body = Document::json(&NewAccount { name, display, roles, disclosure })?;
            show(ctx, &block_on(client.call(Method::POST, client.api(&["accounts"]), Some(body)))?)
        }
        What::List => {
            let accounts: Vec<Account> = block_on(client.list(client.api(&["accounts"])))?;
            let rows: Vec<_> = accounts.iter().map(row).collect();
            ctx.report(&accounts, |page| page.table(&["account", "roles", "name", ""], &rows, "no accounts"))
        }
        What::Show { name } => show(ctx, &block_on(client.get(one(&name)))?),
        What::Change(change) => {
            let roles = (change.no_roles || !change.roles.is_empty()).then_some(change.roles);
            let disabled = (change.disable || change.enable).then_some(change.disable);
            let body = AccountChange { roles, disclosure: change.disclosure, disabled };
            if body == AccountChange::default() {
                return Err(Failure::usage("nothing to change", "see `retoque account change --help`"));
            }
            let body = Document::json(&body)?;
            show(ctx, &block_on(client.call(Method::PATCH, one(&change.name), Some(body)))?)
        }
    }
}

fn roles(account: &Account) -> String {
    account.roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}

fn row(account: &Account) -> Vec<String> {
    let disabled = if account.disabled { "disabled" } else { "" };
    vec![account.name.to_string(), roles(account), account.display.clone(), disabled.to_owned()]
}

fn show(ctx: &mut Context, account: &Account) -> Result<(), Failure> {
    ctx.report(account, |page: &mut Page| {
        page.field("account", format!("{} ({})", account.name, account.display));
        page.field("platform roles", if account.roles.is_empty() { "none".to_owned() } else { roles(account) });
        if let Some(disclosure) = &account.disclosure {
            page.field("disclosure", disclosure);
        }
        page.field("since", account.created);
        if account.disabled {
            page.field("disabled", "it may no longer act");
        }
    })
}
