//! `trust add | show | update | policy`: which root of trust holds for a registry, and which witnesses count here.
//!
//! The root comes from a file or is compared with a fingerprint that the user got elsewhere. Taking it from the
//! registry itself needs `--trust-on-first-use`, and the fingerprint is printed. Clause: specification, section 8.

mod policy;
mod show;

use std::path::PathBuf;

use retoque_core::digest::Digest;
use retoque_core::problem::RESPONSE_INVALID;
use retoque_core::sign::{Root, root};

use crate::client::Connection;
use crate::config::{Registries, RegistryUrl};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::runtime::block_on;

use show::report;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Pin the root of a registry and make the registry known
    Add(Add),
    /// Show the pinned root, its roles and its expiry
    Show,
    /// Fetch newer roots, each signed by the one before
    Update,
    /// Say which witnesses of the log must have cosigned, whatever the root says
    Policy(policy::Args),
}

#[derive(Debug, clap::Args)]
struct Add {
    /// Address of the registry
    url: String,
    #[command(flatten)]
    pin: PinBy,
    /// Origin that its signed documents name, when that is not the address (a mirror)
    #[arg(long, value_name = "TEXT")]
    origin: Option<String>,
    /// Use this registry when none is named
    #[arg(long)]
    default: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct PinBy {
    /// Root file, got by another way than from the registry
    #[arg(long, value_name = "FILE")]
    root: Option<PathBuf>,
    /// Fingerprint of the root, got by another way than from the registry
    #[arg(long, value_name = "HEX")]
    fingerprint: Option<String>,
    /// Believe the registry this once; the fingerprint is printed, compare it
    #[arg(long)]
    trust_on_first_use: bool,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    match args.what {
        What::Add(add) => run_add(&add, ctx),
        What::Show => {
            let connection = Connection::open(ctx)?;
            let trust = connection.trust_store().load()?;
            report(ctx, &connection, &trust, 0)
        }
        What::Update => {
            let connection = Connection::open(ctx)?;
            let (trust, added) = block_on(async {
                let mut trust = connection.trust_store().load()?;
                let added = connection.client.update_roots(&connection.trust_store(), &mut trust).await?;
                connection.client.serves(trust.root()).await?;
                Ok((trust, added))
            })?;
            trust.root().check_expiry(ctx.start)?;
            report(ctx, &connection, &trust, added)
        }
        What::Policy(args) => policy::run(&args, ctx),
    }
}

fn run_add(add: &Add, ctx: &mut Context) -> Result<(), Failure> {
    let url: RegistryUrl = add.url.parse()?;
    let connection = Connection::with(ctx, url.clone())?;
    let (origin, trust) = block_on(async {
        let root = match (&add.pin.root, &add.pin.fingerprint) {
            (Some(file), _) => Root::trust(&files::read(file, root::MAX_BYTES as u64)?, None)?,
            (None, Some(text)) => connection.client.root_with(fingerprint(text)?).await?,
            (None, None) => {
                let bytes = connection.client.root(1).await?.ok_or_else(no_root)?;
                Root::trust(&bytes, None)?
            }
        };
        let origin = connection.client.origin(add.origin.as_deref()).await?;
        let store = connection.trust_store();
        let mut trust = store.pin(&root, add.pin.trust_on_first_use)?;
        // Pinning by file works without the registry: newer roots are fetched by every later command.
        if add.origin.is_none() {
            connection.client.update_roots(&store, &mut trust).await?;
        }
        Ok((origin, trust))
    })?;
    let mut registries = Registries::load(&connection.home)?;
    registries.entry(&url, &origin).origin.clone_from(&origin);
    if add.default {
        registries.default = Some(url);
    }
    registries.save(&connection.home)?;
    if add.pin.trust_on_first_use {
        ctx.warn(format!(
            "this root was taken from the registry itself; compare its fingerprint with the operator's: {}",
            trust.pin.fingerprint.hex()
        ));
    }
    let connection = Connection { registries, ..connection };
    report(ctx, &connection, &trust, 0)
}

/// `sha256:` and spaces, as people copy them, are accepted.
fn fingerprint(text: &str) -> Result<Digest, Failure> {
    let hex: String = text.trim_start_matches("sha256:").chars().filter(|c| !c.is_whitespace()).collect();
    Digest::from_hex(&hex.to_lowercase()).map_err(|_| {
        Failure::usage("the fingerprint is not 64 hex digits", "copy it again from where the operator published it")
    })
}

fn no_root() -> Failure {
    Failure::new(RESPONSE_INVALID, "the registry serves no first root", "give a root file with --root")
}
