//! `root`: looks at the root of trust and signs the next one, in which a reviewer or operator has come or gone.
//!
//! Run it where the offline keys are. The next root is signed by them and taken in as the service takes one in
//! ([`service::root::take_in`]). Refuses a change that changes nothing, and the platform's own roles: their keys are
//! replaced together with the service's files.

use std::fmt::Write as _;

use retoque_core::log::VerifierKey;
use retoque_core::problem::{
    ALREADY_EXISTS, FIELD_INVALID, Finding, Findings, INSTALLATION_INCOMPLETE, NOT_FOUND, Place,
};
use retoque_core::sign::root::{Revoked, Role, Root, RootBuilder};
use retoque_core::sign::{PublicKey, SecretKey, Signer, Time};

use crate::adopt::told;
use crate::app::database_refused;
use crate::args::RootChange;
use crate::clock::Chance;
use crate::config::{Config, Sources};
use crate::install::internal;
use crate::keys;
use crate::service::{self, Error};
use crate::store::meta::ORIGIN;
use crate::store::{Store, Tx};

/// How long the next root is good.
const DAYS: i64 = 365;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The key comes.
    Add,
    /// The key goes.
    Remove,
}

/// Describes the newest root.
pub async fn show(sources: &Sources) -> Result<String, Findings> {
    let store = open(sources).await?;
    let described = match store.read().await {
        Ok(mut tx) => described(&mut tx).await,
        Err(error) => Err(error.into()),
    };
    store.close().await;
    described.map_err(told)
}

/// The newest root, and the verifier keys that witnesses of the log need.
async fn described(tx: &mut Tx) -> Result<String, Error> {
    let root = newest(tx).await?;
    let registry = tx.meta(ORIGIN).await?.unwrap_or_default();
    let mut text = describe(&root);
    for key in root.keys(Role::PlatformLog).keys() {
        let vkey = VerifierKey::log(&root.log_origin(&registry), key.clone())?;
        let _ = writeln!(text, "log key      {vkey}");
    }
    Ok(text)
}

/// Signs and stores the next root.
pub async fn change(sources: &Sources, wanted: &RootChange, way: Change) -> Result<String, Findings> {
    let chance = Chance::system();
    let mut findings = Findings::new();
    let role = Role::from_name(&wanted.role).filter(|role| matches!(role, Role::Review | Role::Operate));
    if role.is_none() {
        let next = "give --role review or --role operate";
        let found = wanted.role.chars().take(40).collect::<String>();
        findings.push(Finding::new(FIELD_INVALID, Place::field("role"), found, "the role of a person", next));
    }
    let key = PublicKey::from_hex(&wanted.key).map_err(|f| findings.push(Finding { place: Place::field("key"), ..f }));
    let passphrase = keys::passphrase(wanted.passphrase_file.as_deref(), "passphrase-file");
    let passphrase = passphrase.map_err(|refused| findings.extend(refused)).ok().flatten();
    let mut signers = Vec::new();
    for file in &wanted.signers {
        match keys::load(file, "signer", passphrase.as_ref()) {
            Ok(key) => signers.push(key),
            Err(refused) => findings.extend(refused),
        }
    }
    let (Some(role), Ok(key), false) = (role, key, findings.refused()) else { return Err(findings) };
    let store = open(sources).await?;
    let result = next_root(&store, &chance, (role, &key, way), &signers, wanted.orphans).await;
    store.close().await;
    result.map(|root| describe(&root))
}

async fn next_root(
    store: &Store,
    chance: &Chance,
    (role, key, way): (Role, &PublicKey, Change),
    signers: &[SecretKey],
    orphans: u64,
) -> Result<Root, Findings> {
    let at = chance.now();
    let expires =
        Time::from_micros(at.as_microsecond()).map_err(|e| internal(&e))?.plus_seconds(DAYS * 86_400).whole_second();
    let signers: &Vec<&dyn Signer> = &signers.iter().map(|k| k as &dyn Signer).collect();
    store
        .write(|mut tx| async move {
            let size = tx.log_size().await?;
            let next = draft(&newest(&mut tx).await?, expires, role, key, way, size)?.sign(signers)?;
            let root = service::root::take_in(&mut tx, &next.to_bytes(), at, orphans).await?;
            Ok::<_, Error>(tx.done(root))
        })
        .await
        .map_err(told)
}

/// The root after `current` with the one change; refuses a change that changes nothing. A key that goes leaves both
/// roles of people, and is revoked from `size` on: everything that it signed so far is in the log and stays good.
fn draft(
    current: &Root,
    expires: Time,
    role: Role,
    key: &PublicKey,
    way: Change,
    size: u64,
) -> Result<RootBuilder, Finding> {
    let stands = current.roles_of(key.id()).contains(&role);
    let refuse = |code, found: String, expected: &str| {
        let next = "look at the keys of the newest root with `retoque-registry root show`";
        Err(Finding::new(code, Place::field("key"), found, expected, next))
    };
    let builder = RootBuilder::after(current, expires);
    match (way, stands) {
        (Change::Add, false) => Ok(builder.add(role, key.clone())),
        (Change::Remove, true) => {
            let gone = builder.remove(Role::Review, key.id()).remove(Role::Operate, key.id());
            Ok(gone.revoke(Revoked { keyid: key.id(), from_index: size }))
        }
        (Change::Add, true) => {
            refuse(ALREADY_EXISTS, format!("a key that stands in `{role}` already"), "a key that is new in the role")
        }
        (Change::Remove, false) => {
            refuse(NOT_FOUND, format!("a key that does not stand in `{role}`"), "a key of the role")
        }
    }
}

async fn open(sources: &Sources) -> Result<Store, Findings> {
    let config = Config::load(sources)?;
    Store::open(config.database.url.reveal(), 2).await.map_err(database_refused)
}

/// The newest stored root. It is this installation's own, so it is trusted as it stands.
async fn newest(tx: &mut Tx) -> Result<Root, Error> {
    let row = tx.latest_root().await?.ok_or_else(|| {
        let next = "make an installation with `retoque-registry init`";
        Finding::new(INSTALLATION_INCOMPLETE, Place::field("database.url"), "no root", "an installation", next)
    })?;
    Ok(Root::trust(&row.envelope, None)?)
}

fn describe(root: &Root) -> String {
    let mut text = format!("version      {}\nexpires      {}\n", root.version(), root.expires());
    let _ = writeln!(text, "fingerprint  {}", root.fingerprint().hex());
    for role in Role::ALL {
        for key in root.keys(role).keys() {
            let _ = writeln!(text, "{:<15}  {}", role.name(), key.hex());
        }
    }
    text
}
