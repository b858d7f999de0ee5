//! `key adopt`: the installation's key of one platform role becomes the mounted one.
//!
//! A platform key is replaced in three steps: a root in which the new key stands beside the old one, this command with
//! the new key file in place, and a root in which the old key is revoked. From this command's commit on, replicas that
//! still hold the old key sign nothing (`platform_key_retired`) until they are started with the new one. Refuses a key
//! that the newest root does not name for the role. Clause: specification, sections 8 and 10.

use retoque_core::problem::{FIELD_INVALID, Finding, Findings, PLATFORM_KEY_MISMATCH, Place};
use retoque_core::sign::{KeyId, Role, Signer as _};

use crate::app::{database_failed, database_refused};
use crate::args::Adopt;
use crate::config::{Config, Sources};
use crate::install::internal;
use crate::keys;
use crate::service::{self, Error};
use crate::store::{self, Store, Tx, meta};

/// Adopts the mounted key of a role.
pub async fn adopt(sources: &Sources, wanted: &Adopt) -> Result<String, Findings> {
    let known = Role::from_name(&wanted.role).and_then(|role| {
        meta::KEY_IDS.iter().find(|(name, _)| *name == role.name()).map(|(_, stored)| (role, *stored))
    });
    let Some((role, stored)) = known else {
        let found = wanted.role.chars().take(40).collect::<String>();
        let next = "give --role platform-build, platform-log or platform-status";
        return Err(Finding::new(FIELD_INVALID, Place::field("role"), found, "a role of the platform", next).into());
    };
    let config = Config::load(sources)?;
    let file = match role {
        Role::PlatformBuild => &config.keys.build,
        Role::PlatformLog => &config.keys.log,
        _ => &config.keys.status,
    };
    let passphrase = keys::passphrase(config.keys.passphrase_file.as_deref(), "keys.passphrase_file")?;
    let field = format!("keys.{}", role.name().trim_start_matches("platform-"));
    let key = keys::load(file, &field, passphrase.as_ref())?.public().id();
    let store = Store::open(config.database.url.reveal(), 2).await.map_err(database_refused)?;
    let result = store
        .write(|mut tx| async move {
            // No replica writes with the key of before once this is committed, and what it wrote is in the log.
            tx.lock_log().await?;
            let before = take(&mut tx, role, stored, key).await?;
            Ok::<_, Error>(tx.done(before))
        })
        .await;
    store.close().await;
    let before = result.map_err(told)?;
    Ok(if before == key {
        format!("key {key} is the installation's key of {role} already\n")
    } else {
        format!(
            "key {key} is the installation's key of {role} now, after {before}\n\
            next: start every replica anew; then revoke the old key with `retoque key root next --remove {role}={before} \
            --revoke {before}@INDEX`, where INDEX is behind the log's size\n"
        )
    })
}

/// Answers which key it was before.
async fn take(tx: &mut Tx, role: Role, stored: &str, key: KeyId) -> Result<KeyId, Error> {
    let before = service::chain::expected(tx, role).await?;
    let chain = service::chain::load(tx).await?;
    let size = tx.log_size().await?;
    let named = chain.newest().roles_of(key).contains(&role);
    if !named || !chain.accepts(role, size, &[key]) {
        let next = format!("first publish a root in which it stands: `retoque key root next --add {role}=PUBLIC`");
        let found = format!("a key with id {key}, which the newest root does not accept for {role}");
        let expected = format!("a key of {role} that may sign alone");
        return Err(Error::refuse(PLATFORM_KEY_MISMATCH, Place::field(role.name()), found, expected, next));
    }
    if before != key {
        tx.update_meta(stored, &key.to_string()).await?;
    }
    Ok(before)
}

/// What the operator is told; the cause of a fault too, for it is the operator who must mend it.
pub(crate) fn told(error: Error) -> Findings {
    match error {
        Error::Refused(findings) => findings,
        Error::Internal(detail) => internal(&detail),
        Error::Unavailable(message) | Error::Transient(message) => {
            database_failed(store::Error::Backend { message, transient: false })
        }
    }
}
