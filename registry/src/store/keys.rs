//! Registered public keys of accounts, each with its signed registration.

use jiff::Timestamp;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, KeyRowId};
use super::value::{Columns, args, statements};

statements! {
    INSERT_KEY = "INSERT INTO keys (id, account_id, keyid, public, registration, created_at, revoked_at, log_index) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    KEY_BY_KEYID = "SELECT id, account_id, keyid, public, registration, created_at, revoked_at, log_index FROM keys WHERE keyid = $1";
    KEYS_OF = "SELECT id, account_id, keyid, public, registration, created_at, revoked_at, log_index FROM keys \
        WHERE account_id = $1 ORDER BY id";
    SET_REGISTRATION = "UPDATE keys SET registration = $2, log_index = $3 WHERE keyid = $1";
    REVOKE_KEY = "UPDATE keys SET revoked_at = $2 WHERE keyid = $1 AND revoked_at IS NULL";
}

/// A public key of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Row id.
    pub id: KeyRowId,
    /// Whose it is.
    pub account_id: AccountId,
    /// The TUF key id.
    pub keyid: String,
    /// The public key, 64 hex digits.
    pub public: String,
    /// The registration statement's envelope.
    pub registration: Vec<u8>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Where the log says so.
    pub log_index: u64,
}

fn key(c: &mut Columns<'_>) -> Result<Key, Error> {
    Ok(Key {
        id: c.take()?,
        account_id: c.take()?,
        keyid: c.take()?,
        public: c.take()?,
        registration: c.take()?,
        created_at: c.take()?,
        revoked_at: c.take()?,
        log_index: c.take()?,
    })
}

impl Tx {
    /// Registers a key; a key belongs to one account for ever.
    pub async fn insert_key(&mut self, k: &Key) -> Result<(), Error> {
        let args =
            args![&k.id, &k.account_id, &k.keyid, &k.public, &k.registration, k.created_at, k.revoked_at, k.log_index];
        self.execute(INSERT_KEY, args).await.map(drop)
    }

    /// The key of that keyid; revoked ones too.
    pub async fn key(&mut self, keyid: &str) -> Result<Option<Key>, Error> {
        self.row(KEY_BY_KEYID, args![keyid]).await?.map(|row| key(&mut Columns::of(&row))).transpose()
    }

    /// The keys of an account, oldest first.
    pub async fn keys_of(&mut self, account: AccountId) -> Result<Vec<Key>, Error> {
        self.rows(KEYS_OF, args![&account]).await?.iter().map(|row| key(&mut Columns::of(row))).collect()
    }

    /// Replaces a key's registration by a newer one, which the log holds at `log_index`.
    pub async fn set_key_registration(
        &mut self,
        keyid: &str,
        registration: &[u8],
        log_index: u64,
    ) -> Result<(), Error> {
        let changed = self.execute(SET_REGISTRATION, args![keyid, registration, log_index]).await?;
        if changed == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Revokes a key. Answers whether it was still good; the first time stays.
    pub async fn revoke_key(&mut self, keyid: &str, at: Timestamp) -> Result<bool, Error> {
        Ok(self.execute(REVOKE_KEY, args![keyid, at]).await? == 1)
    }
}
