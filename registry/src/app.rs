//! The parts of a running registry, opened in the order in which they can fail, each failure with its next step.

use retoque_core::adapter::Policy;
use retoque_core::problem::{
    DATABASE_MISSING, DATABASE_NEWER, DATABASE_OLDER, DATABASE_UNUSABLE, Finding, Findings, INSTALLATION_INCOMPLETE,
    Place as Where, STORAGE_FULL, STORAGE_UNUSABLE,
};

use crate::adopt::told;
use crate::blobs::{self, Blobs, Place};
use crate::clock::Chance;
use crate::config::{Config, Profile, Storage, StorageKind};
use crate::keys::PlatformKeys;
use crate::log;
use crate::log::witnesses::Witnesses;
use crate::service::{self, Error, Service, Settings, Signers};
use crate::store::{self, OpenError, Store, Tx, meta};

/// Everything that the services work with.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// The object store.
    pub blobs: Blobs,
    /// The platform's keys.
    pub keys: std::sync::Arc<PlatformKeys>,
    /// Time and randomness.
    pub chance: Chance,
    /// The settings.
    pub config: std::sync::Arc<Config>,
    /// What signed documents call this registry.
    pub origin: String,
    /// Who cosigns the log.
    pub witnesses: std::sync::Arc<Witnesses>,
}

impl App {
    /// Opens database, storage and keys. What can be checked is checked now and not at the first request.
    pub async fn open(config: Config, chance: Chance) -> Result<Self, Findings> {
        let store =
            Store::open(config.database.url.reveal(), config.database.connections).await.map_err(database_refused)?;
        match Self::complete(config, chance, store.clone()).await {
            Ok(app) => Ok(app),
            Err(findings) => {
                store.close().await;
                Err(findings)
            }
        }
    }

    async fn complete(config: Config, chance: Chance, store: Store) -> Result<Self, Findings> {
        let witnesses = Witnesses::new(&config.log.witnesses.0)?.into();
        let keys = PlatformKeys::load(&config.keys);
        let blobs = open_storage(&config.storage, &chance).await;
        let mut findings = Findings::new();
        let mut tx = store.read().await.map_err(database_failed)?;
        let origin = tx.meta(meta::ORIGIN).await.map_err(database_failed)?;
        if origin.is_none() {
            let next = "make an installation with `retoque-registry init`";
            let found = "a database without an installation";
            let expected = "what `init` writes";
            findings.push(Finding::new(INSTALLATION_INCOMPLETE, Where::field("database.url"), found, expected, next));
        } else if let Ok(keys) = &keys {
            findings.extend(keys.check(&mut tx).await.map_err(database_failed)?);
            if !findings.refused() {
                findings.extend(count(&mut tx, keys).await.map_err(told)?);
            }
            findings.extend(log::check::check(&mut tx).await.map_err(log_failed)?);
        }
        drop(tx);
        let keys = keys.map_err(|f| findings.extend(f)).ok();
        let blobs = blobs.map_err(|f| findings.extend(f)).ok();
        match (keys, blobs, origin) {
            (Some(keys), Some(blobs), Some(origin)) if !findings.refused() => {
                if origin != config.server.url.as_str() {
                    tracing::warn!(origin, url = config.server.url.as_str(), "signed documents name another address");
                }
                Ok(Self { store, blobs, keys: keys.into(), chance, config: config.into(), origin, witnesses })
            }
            _ => Err(findings),
        }
    }

    /// The use cases over these parts.
    pub fn service(&self) -> Service {
        let signers =
            Signers { build: self.keys.build.clone(), log: self.keys.log.clone(), status: self.keys.status.clone() };
        let settings = Settings {
            origin: self.origin.clone(),
            max_package_bytes: self.config.limits.package.0,
            policy: match self.config.policy.profile {
                Profile::FixedProfile => Policy::FixedProfile,
                Profile::AnyPlainLora => Policy::AnyPlainLora,
            },
            status_hours: self.config.status.hours,
        };
        Service::new(self.store.clone(), self.blobs.clone(), signers, self.chance.clone(), settings)
            .with_witnesses(self.witnesses.clone())
    }

    /// Closes what is open. Call it when no request is under way.
    pub async fn close(self) {
        self.store.close().await;
    }
}

/// The keys that the installation expects must count by its roots too.
async fn count(tx: &mut Tx, keys: &PlatformKeys) -> Result<Findings, Error> {
    let chain = service::chain::load(tx).await?;
    let next = tx.log_size().await?;
    service::chain::check_ours(tx, &chain, &keys.signers(), next).await
}

/// Opens the object store and proves that it can be written, read and deleted from.
pub(crate) async fn open_storage(storage: &Storage, chance: &Chance) -> Result<Blobs, Findings> {
    let blobs = match (storage.kind, storage.as_bucket()) {
        (StorageKind::S3, Some(bucket)) => Blobs::in_bucket(&bucket),
        _ => Blobs::in_folder(&storage.folder),
    };
    let blobs = blobs.map_err(|e| storage_refused(storage, &e))?;
    let place = Place::staging(chance).map_err(|e| storage_refused(storage, &blobs::Error::Backend(e.to_string())))?;
    blobs.probe(&place).await.map_err(|e| storage_refused(storage, &e))?;
    Ok(blobs)
}

fn storage_refused(storage: &Storage, error: &blobs::Error) -> Findings {
    let (code, found, next) = match error {
        blobs::Error::Full(_) => (STORAGE_FULL, "storage that is full", "make room, then start again"),
        blobs::Error::ReadOnly(_) => {
            (STORAGE_UNUSABLE, "storage that cannot be written", "give this user the right to write there")
        }
        blobs::Error::NotFound => {
            (STORAGE_UNUSABLE, "no storage", "make the folder or the bucket, or correct the setting")
        }
        blobs::Error::Backend(_) => (
            STORAGE_UNUSABLE,
            "storage that does not work",
            "the log has the cause; check the settings under `storage`",
        ),
    };
    tracing::error!(%error, "storage");
    let field = if storage.kind == StorageKind::S3 { "storage.bucket" } else { "storage.folder" };
    Finding::new(code, Where::field(field), found, "storage that can be written, read and deleted from", next).into()
}

/// A database that cannot be opened, as the operator is told.
#[expect(clippy::needless_pass_by_value, reason = "the last stop of an error, passed to map_err")]
pub(crate) fn database_refused(error: OpenError) -> Findings {
    let (code, next) = match error {
        OpenError::Missing => {
            (DATABASE_MISSING, "make an installation with `retoque-registry init`, or correct `database.url`")
        }
        OpenError::Older { .. } => (DATABASE_OLDER, "back the database up, then run `retoque-registry migrate`"),
        OpenError::Newer { .. } => (DATABASE_NEWER, "use the newer program, or restore a backup from before"),
        OpenError::Url | OpenError::Unreachable(_) => {
            (DATABASE_UNUSABLE, "check `database.url`, and that the database runs and lets this user in")
        }
        OpenError::Migration(_) => (DATABASE_UNUSABLE, "restore the backup and report this message"),
    };
    Finding::new(code, Where::field("database.url"), error.to_string(), "a database of this program's schema", next)
        .into()
}

/// A log that cannot be written or read.
pub(crate) fn log_failed(error: log::Error) -> Findings {
    match error {
        log::Error::Store(error) => database_failed(error),
        log::Error::Broken(finding) | log::Error::Retired(finding) => finding.into(),
    }
}

/// A database that stopped answering.
#[expect(clippy::needless_pass_by_value, reason = "the last stop of an error, passed to map_err")]
pub(crate) fn database_failed(error: store::Error) -> Findings {
    database_refused(OpenError::Unreachable(error.to_string()))
}
