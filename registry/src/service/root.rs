//! What the registry says of itself, and its root of trust: served to anyone, moved on by an operator.
//!
//! A new root must follow from the one in force by that one's own rules, and must keep the keys that this
//! installation signs with: another root would make everything that it signs from now on worthless. What would make
//! documents of the log worthless needs a confirmation of how many ([`super::orphans`]).

use jiff::Timestamp;
use retoque_core::api::RegistryView;
use retoque_core::decision::{FORMAT, Record, RootKind, RootRecord};
use retoque_core::permission::Act;
use retoque_core::problem::{Finding, Findings, PLATFORM_KEY_MISMATCH, Place};
use retoque_core::sign::{Chain, Envelope, Role, Root, Time};

use super::policy::{self, Subject};
use super::{Actor, Error, Service, chain, orphans, signers};
use crate::clock::time;
use crate::log;
use crate::store::{Tx, meta};

/// Who this registry is.
pub async fn registry(service: &Service, actor: &Actor) -> Result<RegistryView, Error> {
    policy::authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let first = tx.root(1).await?.ok_or_else(|| Error::internal("no first root"))?;
    let first = Envelope::parse(&first.envelope).map_err(|_| Error::internal("an unreadable first root"))?;
    Ok(RegistryView {
        origin: service.settings.origin.clone(),
        root_version: signers::root(&mut tx).await?.version(),
        root_fingerprint: first.payload_digest().hex(),
        max_package_bytes: service.settings.max_package_bytes,
    })
}

/// The envelope of the newest root, or of one version.
pub async fn envelope(service: &Service, actor: &Actor, version: Option<u64>) -> Result<Vec<u8>, Error> {
    policy::authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let row = match version {
        None => tx.latest_root().await?,
        Some(version) => tx.root(version).await?,
    };
    row.map(|row| row.envelope).ok_or_else(|| Error::not_found("such root"))
}

/// When the root in force is about to expire, and how soon.
pub struct Ending {
    /// When it expires.
    pub expires: Time,
    /// Whole days until then; below zero when it has passed.
    pub days: i64,
}

/// How long before its end a root is warned about.
const WARN_DAYS: i64 = 30;
/// A day, as signed times count.
const DAY_MICROS: i64 = 86_400_000_000;

/// The end of the root in force, when it is near.
pub async fn ending(service: &Service) -> Result<Option<Ending>, Error> {
    let mut tx = service.store.read().await?;
    let expires = signers::root(&mut tx).await?.expires();
    let days = (expires.micros() - time(service.chance.now())?.micros()).div_euclid(DAY_MICROS);
    Ok((days < WARN_DAYS).then_some(Ending { expires, days }))
}

/// Brings in the next root, with its leaf, in one transaction. `orphans` is how many documents of the log the operator
/// gives up with it.
pub async fn advance(service: &Service, actor: &Actor, bytes: &[u8], orphans: u64) -> Result<RegistryView, Error> {
    policy::authorize(actor, Act::ManageRoot, Subject::PLATFORM)?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            take_in(&mut tx, bytes, now, orphans).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await?;
    registry(service, actor).await
}

/// Takes in the next root as it arrived, with its leaf: the one way in, for the route and for the command.
pub(crate) async fn take_in(tx: &mut Tx, received: &[u8], now: Timestamp, orphans: u64) -> Result<Root, Error> {
    // From here on nothing is logged that was judged by the older roots, and nothing is lost that was not counted.
    tx.lock_log().await?;
    let old = chain::load(tx).await?;
    let root = old.newest().update_from(received)?;
    root.check_expiry(time(now)?)?;
    let mut new = old.clone();
    new.extend(root.envelope())?;
    keeps_our_keys(tx, &new).await?;
    orphans::refuse_unless(tx, &old, &new, orphans).await?;
    let record = Record::Root(RootRecord {
        format: FORMAT.to_owned(),
        kind: RootKind::RootChanged,
        root: root.version(),
        envelope: root.envelope().digest(),
        time: time(now)?,
    });
    let log_index = Some(log::append(tx, &record.to_bytes()?, now).await?);
    let row = meta::Root { version: root.version(), envelope: received.to_vec(), created_at: now, log_index };
    tx.insert_root(&row).await?;
    Ok(root)
}

/// The keys that every replica signs with must count for the leaf behind the root's own, and for the head after it.
async fn keeps_our_keys(tx: &mut Tx, new: &Chain) -> Result<(), Error> {
    let leaf = tx.log_size().await? + 1;
    let mut findings = Findings::new();
    for role in [Role::PlatformBuild, Role::PlatformLog, Role::PlatformStatus] {
        let key = chain::expected(tx, role).await?;
        if !new.accepts(role, leaf + 1, &[key]) {
            let found = "a root that does not accept the key that this registry signs with";
            let expected = format!("a root by which {key} alone signs for the role at leaf {leaf}");
            let next = "keep the key in this root; after the service has its new key (`retoque-registry key adopt`), \
                take the old one out in the next";
            findings.push(Finding::new(PLATFORM_KEY_MISMATCH, Place::field(role.name()), found, expected, next));
        }
    }
    findings.into_result(())?;
    Ok(())
}
