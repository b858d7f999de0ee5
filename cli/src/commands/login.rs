//! `login URL`: checks a token with the registry and keeps it, readable by its owner alone.
//!
//! The token comes from a prompt that does not show it, from a file, or from standard input; never from the
//! command line, where other users could read it.

use std::path::PathBuf;

use retoque_core::problem::TOKEN_MALFORMED;
use secrecy::SecretString;
use serde::Serialize;

use super::whoami;
use crate::client::{Client, Connection, Pace};
use crate::config::{Registries, RegistryUrl};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Address of the registry
    url: String,
    /// Read the token from this file (`-` is standard input) [default: a prompt]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Serialize)]
struct LoggedIn<'a> {
    registry: &'a RegistryUrl,
    #[serde(flatten)]
    me: &'a retoque_core::api::WhoAmI,
    trusted: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let url: RegistryUrl = args.url.parse()?;
    let token = token(&args, ctx)?;
    let connection = Connection::with(ctx, url.clone())?;
    let client = Client::new(url.clone(), Some(token.clone()), ctx.global.allow_http, Pace::DEFAULT)?;
    let known = connection.registries.get(&url).map(|registry| registry.origin.clone());
    let (origin, me) = block_on(async {
        let origin = client.origin(known.as_deref()).await?;
        Ok((origin, client.whoami().await?))
    })?;
    connection.home.store_token(&url, &token)?;
    let mut registries = Registries::load(&connection.home)?;
    registries.entry(&url, &origin).account = Some(me.account.name.clone());
    registries.save(&connection.home)?;
    let trusted = connection.trust_store().load_optional()?.is_some();
    ctx.report(&LoggedIn { registry: &url, me: &me, trusted }, |page| {
        page.field("registry", &url);
        whoami::text(page, &me);
    })?;
    if !trusted {
        ctx.note(format!("no root is pinned for it yet: `retoque trust add {url} --root FILE`"));
    }
    Ok(())
}

fn token(args: &Args, ctx: &mut Context) -> Result<SecretString, Failure> {
    let text = match &args.token_file {
        Some(path) if path.as_os_str() != "-" => String::from_utf8_lossy(&files::read(path, 4 << 10)?).into_owned(),
        None if ctx.interactive() => ctx.ask_secret("Token: ")?,
        _ => ctx.read_line()?,
    };
    let token = text.trim();
    if token.starts_with("rtq_") && token.len() > 12 && token.bytes().all(|b| b.is_ascii_graphic()) {
        return Ok(token.to_owned().into());
    }
    let next = "give the whole token, which begins with rtq_";
    Err(Failure::new(TOKEN_MALFORMED, "this is not a token", next))
}
