//! `logout [URL]`: forgets the token of a registry on this machine. The token itself goes on until it is revoked.

use serde::Serialize;

use crate::config::{Home, Registries, RegistryUrl};
use crate::context::Context;
use crate::error::Failure;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Address of the registry [default: the one that other commands talk to]
    url: Option<String>,
}

#[derive(Serialize)]
struct LoggedOut {
    registry: RegistryUrl,
    had_token: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let home = Home::of(&ctx.environment)?;
    let mut registries = Registries::load(&home)?;
    let registry: RegistryUrl = match args.url {
        Some(url) => url.parse()?,
        None => registries.chosen(ctx)?,
    };
    let had_token = home.forget_token(&registry)?;
    if let Some(origin) = registries.get(&registry).map(|known| known.origin.clone()) {
        registries.entry(&registry, &origin).account = None;
        registries.save(&home)?;
    }
    let done = LoggedOut { registry, had_token };
    ctx.report(&done, |page| {
        page.field("registry", &done.registry);
        page.line(if done.had_token { "Its token is forgotten here." } else { "There was no token." });
    })?;
    if ctx.environment.token.is_some() {
        ctx.warn("RETOQUE_TOKEN is set and is still used");
    }
    Ok(())
}
