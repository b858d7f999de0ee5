//! `whoami`: whose token is used, and what it may do.

use retoque_core::api::WhoAmI;

use crate::client::Connection;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Page;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let me = block_on(connection.client.whoami())?;
    ctx.report(&me, |page| {
        page.field("registry", &connection.url);
        text(page, &me);
    })
}

/// The account behind a token.
pub(super) fn text(page: &mut Page, me: &WhoAmI) {
    page.field("account", format!("{} ({})", me.account.name, me.account.display));
    let roles: Vec<_> = me.account.roles.iter().map(|role| role.name()).collect();
    page.field("platform roles", if roles.is_empty() { "none".to_owned() } else { roles.join(", ") });
    for membership in &me.memberships {
        page.field("org", format!("{} as {}", membership.org, membership.role.name()));
    }
    if let Some(disclosure) = &me.account.disclosure {
        page.field("disclosure", disclosure);
    }
    let org = me.token.org.as_ref().map(|org| format!(" in {org}")).unwrap_or_default();
    let scope = format!("{:?}", me.token.scope).to_lowercase();
    page.field("token", format!("{}, {scope}{org}, until {}", me.token.label, me.token.expires));
}
