//! Tokens: rows know only the SHA-256 of the secret text (see [`crate::token`]).

use jiff::Timestamp;
use retoque_core::api::TokenScope;
use retoque_core::digest::Digest;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, OrgId, TokenId};
use super::value::{Columns, args, statements};

statements! {
    INSERT_TOKEN = "INSERT INTO tokens (id, account_id, secret_sha256, label, scope, org_id, created_at, expires_at, revoked_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    TOKEN_BY_SECRET = "SELECT id, account_id, secret_sha256, label, scope, org_id, created_at, expires_at, revoked_at \
        FROM tokens WHERE secret_sha256 = $1";
    TOKEN_BY_ID = "SELECT id, account_id, secret_sha256, label, scope, org_id, created_at, expires_at, revoked_at \
        FROM tokens WHERE id = $1";
    TOKENS_OF = "SELECT id, account_id, secret_sha256, label, scope, org_id, created_at, expires_at, revoked_at \
        FROM tokens WHERE account_id = $1 ORDER BY id";
    REVOKE_TOKEN = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Row id.
    pub id: TokenId,
    /// Whose it is.
    pub account_id: AccountId,
    /// Digest of the whole token text.
    pub secret: Digest,
    /// What its owner calls it.
    pub label: String,
    /// How far it reaches.
    pub scope: TokenScope,
    /// When set, it acts in this org alone.
    pub org_id: Option<OrgId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is refused.
    pub expires_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

fn token(c: &mut Columns<'_>) -> Result<Token, Error> {
    Ok(Token {
        id: c.take()?,
        account_id: c.take()?,
        secret: c.take()?,
        label: c.take()?,
        scope: c.take()?,
        org_id: c.take()?,
        created_at: c.take()?,
        expires_at: c.take()?,
        revoked_at: c.take()?,
    })
}

impl Tx {
    /// Stores a new token.
    pub async fn insert_token(&mut self, t: &Token) -> Result<(), Error> {
        let args = args![
            &t.id,
            &t.account_id,
            &t.secret,
            &t.label,
            t.scope,
            t.org_id.as_ref(),
            t.created_at,
            t.expires_at,
            t.revoked_at
        ];
        self.execute(INSERT_TOKEN, args).await.map(drop)
    }

    /// The token whose text has this digest; expired and revoked ones too, so that the caller can say which.
    pub async fn token_by_secret(&mut self, secret: &Digest) -> Result<Option<Token>, Error> {
        self.row(TOKEN_BY_SECRET, args![secret]).await?.map(|row| token(&mut Columns::of(&row))).transpose()
    }

    /// The token of that id.
    pub async fn token(&mut self, id: TokenId) -> Result<Option<Token>, Error> {
        self.row(TOKEN_BY_ID, args![&id]).await?.map(|row| token(&mut Columns::of(&row))).transpose()
    }

    /// The tokens of an account, oldest first.
    pub async fn tokens_of(&mut self, account: AccountId) -> Result<Vec<Token>, Error> {
        self.rows(TOKENS_OF, args![&account]).await?.iter().map(|row| token(&mut Columns::of(row))).collect()
    }

    /// Revokes a token. Answers whether it was still good; the first time stays.
    pub async fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, Error> {
        Ok(self.execute(REVOKE_TOKEN, args![&id, at]).await? == 1)
    }
}
