//! `key authorize`: the next root, in which an account's key may review or operate.
//!
//! The short way for an installation whose root keys are at hand: one step of the ceremony of `key root`, on a machine
//! that sees the registry. The new root says what the newest known one says, and gives one more key a role. It is signed
//! with the given root key files, checked as every client will check it, written to a file, and with `--publish` sent
//! to the registry. With fewer signatures than the threshold it is only written; more are added with `--continue`.

use std::path::PathBuf;

use retoque_core::api::KeyView;
use retoque_core::id::AccountName;
use retoque_core::problem::KEY_MISSING;
use retoque_core::sign::root::{Proposal, RootBuilder, Standing};
use retoque_core::sign::{PublicKey, Role, Signer as _};
use serde_json::json;

use super::root;
use crate::client::Connection;
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::runtime::block_on;
use crate::trust_store::Trust;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Whose key
    #[arg(required_unless_present = "continued")]
    account: Option<AccountName>,
    /// The role that it gets
    #[arg(long, value_enum, required_unless_present = "continued")]
    role: Option<KeyRole>,
    /// Public key, 64 hex digits, as its owner showed it [default: the registered one]
    #[arg(long, value_name = "HEX")]
    public: Option<String>,
    /// Private root key file; repeat it for more signatures
    #[arg(long = "root-key", value_name = "FILE", required = true)]
    root_keys: Vec<PathBuf>,
    /// Days until the new root expires
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
    /// Add signatures to this root file instead of making a new root
    #[arg(long = "continue", value_name = "FILE", conflicts_with_all = ["account", "role", "public"])]
    continued: Option<PathBuf>,
    /// Where the root file goes [default: <version>.root.json, or the file of --continue]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Send the new root to the registry when enough keys have signed it
    #[arg(long)]
    publish: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum KeyRole {
    /// Approve, return and revoke
    Review,
    /// Deprecate, restore, withdraw, take down
    Operate,
}

impl KeyRole {
    const fn role(self) -> Role {
        match self {
            Self::Review => Role::Review,
            Self::Operate => Role::Operate,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let store = connection.trust_store();
    let keys = args.root_keys.iter().map(|path| connection.home.read_key(path)).collect::<Result<Vec<_>, _>>()?;
    let (mut trust, key) = block_on(async {
        let mut trust = store.load()?;
        connection.client.update_roots(&store, &mut trust).await?;
        Ok((trust, key(args, &connection).await?))
    })?;
    let mut proposal = match &args.continued {
        Some(path) => root::proposal(path)?,
        None => draft(args, ctx, &trust, key.as_ref())?,
    };
    let previous = trust.root().clone();
    let signed = proposal.root().envelope().keyids();
    for key in keys.iter().filter(|key| !signed.contains(&key.public().id())) {
        proposal.sign(key, Some(&previous))?;
    }
    let version = proposal.root().version();
    let path = args.out.clone().or_else(|| args.continued.clone());
    let path = path.unwrap_or_else(|| PathBuf::from(format!("{version}.root.json")));
    files::write(&path, &proposal.to_bytes(), 0o644)?;
    let complete = proposal.standing(Some(&previous)).iter().all(Standing::is_met);
    if args.publish && complete {
        block_on(root::send(&connection, &mut trust, &proposal, 0))?;
    }
    let envelope = proposal.root().envelope();
    let published = args.publish && complete;
    let shown = json!({
        "file": files::shown(&path), "version": version, "fingerprint": envelope.payload_digest(),
        "signatures": envelope.signatures().len(), "complete": complete, "published": published,
        "key": key.as_ref().map(|key| key.id().to_string()),
    });
    if !complete {
        ctx.note("more root keys must sign: `retoque key authorize --continue FILE --root-key KEY`");
    }
    ctx.report(&shown, |page| {
        page.field("root", format!("version {version}, fingerprint {}", envelope.payload_digest().hex()));
        page.field("file", files::shown(&path));
        if let Some(key) = &key {
            page.field("key", format!("{} (public {})", key.id(), key.hex()));
        }
        page.field("signatures", if complete { "enough" } else { "not enough yet" });
        page.field("published", if published { "yes" } else { "no" });
    })
}

/// The key that gets the role: named on the command line, else the one that the account registered.
async fn key(args: &Args, connection: &Connection) -> Result<Option<PublicKey>, Failure> {
    let Some(account) = &args.account else { return Ok(None) };
    if let Some(public) = &args.public {
        return Ok(Some(PublicKey::from_hex(public)?));
    }
    let mut url = connection.client.api(&["keys"]);
    url.query_pairs_mut().append_pair("account", account.as_str());
    let keys: Vec<KeyView> = connection.client.list(url).await?;
    match keys.iter().filter(|key| !key.revoked && key.account == *account).collect::<Vec<_>>()[..] {
        [key] => Ok(Some(PublicKey::from_hex(&key.public)?)),
        [] => {
            let next = format!("{account} runs `retoque key generate` and `retoque key register` first");
            Err(Failure::new(KEY_MISSING, format!("{account} has registered no key"), next))
        }
        _ => {
            let next = "ask which one is meant and name it with --public";
            Err(Failure::new(KEY_MISSING, format!("{account} has registered several keys"), next))
        }
    }
}

fn draft(args: &Args, ctx: &Context, trust: &Trust, key: Option<&PublicKey>) -> Result<Proposal, Failure> {
    let expires = ctx.start.plus_seconds(i64::from(args.days) * 86_400);
    let mut builder = RootBuilder::after(trust.root(), expires);
    if let (Some(key), Some(role)) = (key, args.role) {
        builder = builder.add(role.role(), key.clone());
    }
    Ok(Proposal::of(builder)?)
}
