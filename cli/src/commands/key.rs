//! `key generate | show | register | list | revoke | authorize | root`: the keys that people sign with.
//!
//! A key is made here and its private half never leaves this machine. `register` proves to the registry that one
//! holds it; `authorize` (operator) makes the next root, which gives an account's key the role of a reviewer or
//! operator. Clause: TRUST, documents that are signed.

mod authorize;
mod root;

use std::path::PathBuf;

use reqwest::Method;
use retoque_core::api::{KeyView, NewKey};
use retoque_core::id::AccountName;
use retoque_core::problem::KEY_MISSING;
use retoque_core::sign::{PublicKey, SecretKey, Signer as _};
use serde::Serialize;
use serde_json::json;

use crate::client::{Connection, Document};
use crate::config::keys::{new_passphrase, read_key};
use crate::config::{Home, Registries};
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
    /// Make a signing key
    Generate {
        #[command(flatten)]
        of: Of,
        /// Write it to this file instead of the configuration's folder
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Encrypt it with a passphrase, which every later use asks for
        #[arg(long)]
        encrypt: bool,
    },
    /// Show the public half of a key
    Show {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        file: KeyFile,
    },
    /// Tell the registry that the key is one's own
    Register {
        #[command(flatten)]
        file: KeyFile,
    },
    /// List registered keys
    List {
        /// Of another account (operator)
        #[arg(long)]
        account: Option<AccountName>,
    },
    /// Say that a registered key may no longer sign
    Revoke {
        /// Its key id, as `key list` shows it
        keyid: String,
    },
    /// Make the next root, which gives an account's key the role review or operate (operator)
    Authorize(authorize::Args),
    /// The ceremony of the root of trust, on machines without network
    Root(root::Args),
}

#[derive(Debug, clap::Args)]
struct Of {
    /// Whose key [default: who is logged in]
    #[arg(long)]
    account: Option<AccountName>,
}

/// Which key signs.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct KeyFile {
    /// Private key file [default: the key of who is logged in, in the configuration's folder]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl KeyFile {
    /// The key of `account`, or the one in the named file.
    pub fn read(&self, home: &Home, account: &AccountName) -> Result<SecretKey, Failure> {
        self.key.as_ref().map_or_else(|| home.key(account), |path| home.read_key(path))
    }
}

#[derive(Serialize)]
struct Shown {
    keyid: String,
    public: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    match args.what {
        What::Generate { of, out, encrypt } => {
            let path = if let Some(path) = out {
                path
            } else {
                let home = Home::of(&ctx.environment)?;
                let account = account(&of, &home, ctx)?;
                home.make("keys")?;
                home.key_path(&account)
            };
            let passphrase = ctx.environment.passphrase.as_ref();
            let passphrase = encrypt.then(|| new_passphrase(passphrase)).transpose()?;
            let key = Home::generate_key(&path, passphrase.as_ref())?;
            show(ctx, key.public(), Some(files::shown(&path)))
        }
        What::Show { of, file } => {
            let key = if let Some(path) = file.key {
                read_key(&path, ctx.environment.passphrase.as_ref())?
            } else {
                let home = Home::of(&ctx.environment)?;
                home.key(&account(&of, &home, ctx)?)?
            };
            show(ctx, key.public(), None)
        }
        What::Register { file } => {
            let connection = Connection::open(ctx)?;
            let view = block_on(register(&connection, &file))?;
            ctx.report(&view, |page| {
                page.field("account", &view.account);
                page.field("key id", &view.keyid);
                page.field("public", &view.public);
                page.field(
                    "root roles",
                    if view.root_roles.is_empty() { "none".into() } else { view.root_roles.join(", ") },
                );
            })
        }
        What::List { account } => list(account.as_ref(), ctx),
        What::Revoke { keyid } => {
            let client = Connection::open(ctx)?.client;
            block_on(client.tell(Method::DELETE, client.api(&["keys", &keyid])))?;
            ctx.report(&json!({ "keyid": keyid, "revoked": true }), |page| page.line(format!("key {keyid} is revoked")))
        }
        What::Authorize(args) => authorize::run(&args, ctx),
        What::Root(args) => root::run(&args, ctx),
    }
}

fn list(account: Option<&AccountName>, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let mut url = client.api(&["keys"]);
    if let Some(account) = account {
        url.query_pairs_mut().append_pair("account", account.as_str());
    }
    let keys: Vec<KeyView> = block_on(client.list(url))?;
    let row = |key: &KeyView| {
        let revoked = if key.revoked { "revoked" } else { "" };
        vec![key.keyid.clone(), key.account.to_string(), key.root_roles.join(", "), revoked.to_owned()]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    ctx.report(&keys, |page| page.table(&["key id", "account", "root roles", ""], &rows, "no keys"))
}

async fn register(connection: &Connection, file: &KeyFile) -> Result<KeyView, Failure> {
    let account = connection.client.whoami().await?.account.name;
    let key = file.read(&connection.home, &account)?;
    let public = key.public().hex();
    let message = format!("retoque-key-registration/1\n{}\n{account}\n{public}\n", connection.origin()?);
    let proof = hex::encode(key.sign(message.as_bytes())?);
    let body = Document::json(&NewKey { public, proof })?;
    connection.client.call(Method::POST, connection.client.api(&["keys"]), Some(body)).await
}

/// The account that is meant: the one named, else who is logged in to the chosen registry.
fn account(of: &Of, home: &Home, ctx: &Context) -> Result<AccountName, Failure> {
    if let Some(account) = &of.account {
        return Ok(account.clone());
    }
    let registries = Registries::load(home)?;
    let registry = registries.chosen(ctx).ok().and_then(|url| registries.get(&url).cloned());
    registry.and_then(|r| r.account).ok_or_else(|| {
        Failure::new(
            KEY_MISSING,
            "nobody is logged in, so it is not known whose key is meant",
            "name it with --account",
        )
    })
}

fn show(ctx: &mut Context, key: &PublicKey, file: Option<String>) -> Result<(), Failure> {
    let shown = Shown { keyid: key.id().to_string(), public: key.hex(), file };
    ctx.report(&shown, |page| {
        page.field("key id", &shown.keyid);
        page.field("public", &shown.public);
        if let Some(file) = &shown.file {
            page.field("private file", file);
        }
    })
}
