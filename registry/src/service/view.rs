//! Rows as callers see them.

use retoque_core::api;
use retoque_core::id::{AccountName, Org};

use super::Error;
use crate::store::Tx;
use crate::store::accounts::Account;
use crate::store::tokens::Token;

/// An account with its roles.
pub(super) async fn account(tx: &mut Tx, row: Account) -> Result<api::Account, Error> {
    let roles = tx.roles(row.id).await?;
    Ok(api::Account {
        name: row.name,
        display: row.display,
        roles,
        disclosure: row.disclosure,
        created: row.created_at,
        disabled: row.disabled_at.is_some(),
    })
}

/// A token.
pub(super) fn token(row: &Token, account: AccountName, org: Option<Org>) -> api::TokenView {
    api::TokenView {
        id: row.id.to_string(),
        account,
        label: row.label.clone(),
        scope: row.scope,
        org,
        created: row.created_at,
        expires: row.expires_at,
        revoked: row.revoked_at.is_some(),
    }
}
