//! `root`: looks at the root of trust and signs the next one, in which a reviewer or operator has come or gone.
//!
//! Run it where the offline keys are. The next root is signed by the old threshold, checked as a client would check
//! it, and stored with its leaf in one transaction; the file for clients is printed.
//! Refuses the platform's own roles: their keys are replaced together with the service's files.

use std::fmt::Write as _;

use retoque_core::decision::{FORMAT, Record, RootKind, RootRecord};
use retoque_core::problem::{FIELD_INVALID, Finding, Findings, INSTALLATION_INCOMPLETE, Place};
use retoque_core::sign::root::{Role, Root, RootBuilder};
use retoque_core::sign::{Envelope, PublicKey, SecretKey, Signer, Time};

use crate::app::{database_failed, database_refused};
use crate::args::RootChange;
use crate::clock::Chance;
use crate::config::{Config, Sources};
use crate::install::internal;
use crate::keys;
use crate::store::meta;
use crate::store::{Error, Store};

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
    let root = newest(&store).await;
    store.close().await;
    Ok(describe(&root?))
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
    let mut signers = Vec::new();
    for file in &wanted.signers {
        match keys::load(file, "signer") {
            Ok(key) => signers.push(key),
            Err(refused) => findings.extend(refused),
        }
    }
    let (Some(role), Ok(key), false) = (role, key, findings.refused()) else { return Err(findings) };
    let store = open(sources).await?;
    let result = next_root(&store, &chance, role, &key, way, &signers).await;
    store.close().await;
    result.map(|root| describe(&root))
}

async fn next_root(
    store: &Store,
    chance: &Chance,
    role: Role,
    key: &PublicKey,
    way: Change,
    signers: &[SecretKey],
) -> Result<Root, Findings> {
    let current = newest(store).await?;
    let now = Time::from_micros(chance.now().as_microsecond()).map_err(|e| internal(&e))?;
    let builder = RootBuilder::after(&current, now.plus_seconds(DAYS * 86_400).whole_second());
    let builder = match way {
        Change::Add => builder.add(role, key.clone()),
        Change::Remove => {
            let kept: Vec<PublicKey> =
                current.keys(role).keys().iter().filter(|other| other.id() != key.id()).cloned().collect();
            builder.role(role, kept, 1)
        }
    };
    let signers: Vec<&dyn Signer> = signers.iter().map(|k| k as &dyn Signer).collect();
    let root = current.update(&builder.sign(&signers)?)?;
    let record = Record::Root(RootRecord {
        format: FORMAT.to_owned(),
        kind: RootKind::RootChanged,
        root: root.version(),
        envelope: root.envelope().digest(),
        time: now,
    })
    .to_bytes()?;
    let row =
        meta::Root { version: root.version(), envelope: root.to_bytes(), created_at: chance.now(), log_index: None };
    let (record, row) = (&record, &row);
    store
        .write(|mut tx| async move {
            let log_index = Some(crate::log::append(&mut tx, record).await?);
            tx.insert_root(&meta::Root { log_index, ..row.clone() }).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .map_err(database_failed)?;
    Ok(root)
}

async fn open(sources: &Sources) -> Result<Store, Findings> {
    let config = Config::load(sources)?;
    Store::open(config.database.url.reveal(), 2).await.map_err(database_refused)
}

/// The newest stored root. It is this installation's own, so it is trusted as it stands.
async fn newest(store: &Store) -> Result<Root, Findings> {
    let mut tx = store.read().await.map_err(database_failed)?;
    let row = tx.latest_root().await.map_err(database_failed)?.ok_or_else(|| {
        let next = "make an installation with `retoque-registry init`";
        Finding::new(INSTALLATION_INCOMPLETE, Place::field("database.url"), "no root", "an installation", next)
    })?;
    let envelope = Envelope::parse(&row.envelope)?;
    Ok(Root::trust(&envelope.to_bytes(), None)?)
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
