//! `org create | list | show` and `org member set | remove`: who owns patches, and who acts for them.

use reqwest::Method;
use retoque_core::api::{Member, NewMember, NewOrg, OrgChange, OrgView};
use retoque_core::id::{AccountName, Org};
use retoque_core::permission::OrgRole;
use serde_json::json;

use super::parse_role;
use crate::client::{Client, Connection, Document};
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
    /// Make an org (operator)
    Create {
        /// Its name
        name: Org,
        /// How people know it
        #[arg(long)]
        display: String,
    },
    /// List the orgs
    List,
    /// Show an org and its members
    Show {
        /// Its name
        name: Org,
    },
    /// Say whether an org is a verified publisher, which offers for money need (operator)
    #[command(group = clap::ArgGroup::new("verdict").required(true))]
    Change {
        /// Its name
        name: Org,
        /// It is a verified publisher
        #[arg(long, group = "verdict")]
        verified: bool,
        /// It is not, or no longer
        #[arg(long, group = "verdict")]
        unverified: bool,
    },
    /// Give or take roles within an org (operator, or admin of the org)
    Member {
        #[command(subcommand)]
        what: MemberWhat,
    },
}

#[derive(Debug, clap::Subcommand)]
enum MemberWhat {
    /// Give an account a role in the org
    Set {
        /// The org
        org: Org,
        /// The account
        account: AccountName,
        /// member, publisher or admin
        #[arg(long, value_parser = parse_role::<OrgRole>)]
        role: OrgRole,
    },
    /// Take an account out of the org
    Remove {
        /// The org
        org: Org,
        /// The account
        account: AccountName,
    },
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    match args.what {
        What::Create { name, display } => {
            let body = Document::json(&NewOrg { name, display })?;
            show(ctx, &block_on(client.call(Method::POST, client.api(&["orgs"]), Some(body)))?)
        }
        What::List => {
            let orgs: Vec<OrgView> = block_on(client.list(client.api(&["orgs"])))?;
            let rows: Vec<_> = orgs.iter().map(|org| vec![org.name.to_string(), org.display.clone()]).collect();
            ctx.report(&orgs, |page| page.table(&["org", "name"], &rows, "no orgs"))
        }
        What::Show { name } => show(ctx, &block_on(client.get(client.api(&["orgs", name.as_str()])))?),
        What::Change { name, verified, unverified: _ } => {
            let body = Document::json(&OrgChange { verified })?;
            let url = client.api(&["orgs", name.as_str()]);
            show(ctx, &block_on(client.call(Method::PATCH, url, Some(body)))?)
        }
        What::Member { what } => member(&what, &client, ctx),
    }
}

fn member(what: &MemberWhat, client: &Client, ctx: &mut Context) -> Result<(), Failure> {
    let url = |org: &Org, account: &AccountName| client.api(&["orgs", org.as_str(), "members", account.as_str()]);
    match what {
        MemberWhat::Set { org, account, role } => {
            let body = Document::json(&NewMember { role: *role })?;
            let member: Member = block_on(client.call(Method::PUT, url(org, account), Some(body)))?;
            ctx.report(&member, |page| page.line(format!("{} is {} of {org}", member.account, member.role.name())))
        }
        MemberWhat::Remove { org, account } => {
            block_on(client.tell(Method::DELETE, url(org, account)))?;
            let removed = json!({ "org": org, "account": account, "removed": true });
            ctx.report(&removed, |page| page.line(format!("{account} is no longer in {org}")))
        }
    }
}

fn show(ctx: &mut Context, org: &OrgView) -> Result<(), Failure> {
    ctx.report(org, |page| {
        page.field("org", format!("{} ({})", org.name, org.display));
        page.field("since", org.created);
        page.field("publisher", if org.verified { "verified" } else { "not verified" });
        for member in &org.members {
            page.field("member", format!("{} as {}", member.account, member.role.name()));
        }
    })
}
