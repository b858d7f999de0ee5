//! The first rows: what this installation is, its root and the first operator with key and token. One transaction.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use retoque_core::api::TokenScope;
use retoque_core::decision::{FORMAT, KeyKind, KeyRecord, Record, RootKind, RootRecord};
use retoque_core::id::AccountName;
use retoque_core::permission::PlatformRole;
use retoque_core::problem::{ALREADY_EXISTS, Finding, Findings, Place};
use retoque_core::sign::Envelope;
use retoque_core::sign::registration::{KeyRegistration, Purpose};

use super::trust::{self, Trust};
use crate::app::{database_refused, log_failed};
use crate::clock::Chance;
use crate::config::Config;
use crate::log;
use crate::store::accounts::Account;
use crate::store::id::{AccountId, KeyRowId, TokenId};
use crate::store::keys::Key;
use crate::store::meta::{self, Root};
use crate::store::tokens::Token;
use crate::store::{Error, Store, Unique};
use crate::token::TokenText;

/// How long the first token is good.
const TOKEN_DAYS: i64 = 90;

/// What is written, ready before the transaction begins.
struct Rows {
    instance: String,
    origin: String,
    account: Account,
    token: Token,
    root: Root,
    root_record: Vec<u8>,
    key: Key,
    key_record: Vec<u8>,
}

/// Makes the schema and writes the first rows. Answers the operator's token.
pub(super) async fn write(
    config: &Config,
    trust: &Trust,
    operator: &AccountName,
    chance: &Chance,
) -> Result<TokenText, Findings> {
    let token = TokenText::mint(chance).map_err(|e| super::internal(&e))?;
    let rows = Rows::make(config, trust, operator, &token, chance)?;
    let store = Store::migrate(config.database.url.reveal(), 2).await.map_err(database_refused)?;
    let written = rows.insert(&store, trust).await;
    store.close().await;
    match written {
        Ok(()) => Ok(token),
        Err(log::Error::Store(Error::Duplicate(Unique::Meta))) => {
            let next = "name another database, or serve the installation that is there";
            let found = "a database that holds an installation already";
            let place = Place::field("database.url");
            Err(Finding::new(ALREADY_EXISTS, place, found, "a database without one", next).into())
        }
        Err(error) => Err(log_failed(error)),
    }
}

impl Rows {
    fn make(
        config: &Config,
        trust: &Trust,
        operator: &AccountName,
        token: &TokenText,
        chance: &Chance,
    ) -> Result<Self, Findings> {
        let now = chance.now();
        let time = trust::now(chance)?;
        let origin = config.server.url.as_str().to_owned();
        let account = Account {
            id: AccountId::mint(chance).map_err(|e| super::internal(&e))?,
            name: operator.clone(),
            display: "Operator".to_owned(),
            disclosure: None,
            created_at: now,
            disabled_at: None,
        };
        let public = &trust.operator;
        let registration = KeyRegistration {
            registry: origin.clone(),
            account: operator.clone(),
            key: public.clone(),
            purpose: Purpose::Member,
            memberships: BTreeMap::new(),
            time,
        };
        let registration: Envelope = registration.statement().sign(&[trust.platform.log.as_ref()])?;
        let key_record = KeyRecord {
            format: FORMAT.to_owned(),
            kind: KeyKind::KeyRegistered,
            account: operator.clone(),
            key: public.id(),
            envelope: registration.digest(),
            time,
        };
        let root_record = RootRecord {
            format: FORMAT.to_owned(),
            kind: RootKind::RootChanged,
            root: trust.root.version(),
            envelope: trust.root.envelope().digest(),
            time,
        };
        Ok(Self {
            instance: chance.uuid().map_err(|e| super::internal(&e))?.to_string(),
            origin,
            token: Token {
                id: TokenId::mint(chance).map_err(|e| super::internal(&e))?,
                account_id: account.id,
                secret: token.digest(),
                label: "made by init".to_owned(),
                scope: TokenScope::Write,
                org_id: None,
                created_at: now,
                expires_at: now.checked_add((TOKEN_DAYS * 24).hours()).map_err(|e| super::internal(&e))?,
                revoked_at: None,
            },
            root: Root {
                version: trust.root.version(),
                envelope: trust.root.to_bytes(),
                created_at: now,
                log_index: None,
            },
            root_record: Record::Root(root_record).to_bytes()?,
            key: Key {
                id: KeyRowId::mint(chance).map_err(|e| super::internal(&e))?,
                account_id: account.id,
                keyid: public.id().to_string(),
                public: public.hex(),
                registration: registration.to_bytes(),
                created_at: now,
                revoked_at: None,
                log_index: 0,
            },
            key_record: Record::Key(key_record).to_bytes()?,
            account,
        })
    }

    async fn insert(&self, store: &Store, trust: &Trust) -> Result<(), log::Error> {
        store
            .write(|mut tx| async move {
                tx.insert_meta(meta::INSTANCE, &self.instance).await?;
                tx.insert_meta(meta::ORIGIN, &self.origin).await?;
                trust.platform.expect_in(&mut tx).await?;
                tx.insert_account(&self.account).await?;
                tx.grant_role(self.account.id, PlatformRole::Operate, self.account.created_at).await?;
                tx.insert_token(&self.token).await?;
                let log_index = Some(log::append(&mut tx, &self.root_record, self.root.created_at).await?);
                tx.insert_root(&Root { log_index, ..self.root.clone() }).await?;
                let log_index = log::append(&mut tx, &self.key_record, self.key.created_at).await?;
                tx.insert_key(&Key { log_index, ..self.key.clone() }).await?;
                Ok::<_, log::Error>(tx.done(()))
            })
            .await
    }
}
