//! Who asks: nobody, or an account through a token. Only authentication makes one with an account.

use std::collections::BTreeMap;

use jiff::Timestamp;
use retoque_core::api::TokenScope;
use retoque_core::id::{AccountName, Org};
use retoque_core::permission::{OrgRole, PlatformRole, Who};

use super::Error;
use super::policy::token_missing;
use crate::store::id::{AccountId, TokenId};

/// Who asks.
#[derive(Debug, Clone, Default)]
pub struct Actor(Option<Box<SignedIn>>);

/// An account and the token that it came with.
#[derive(Debug, Clone)]
pub(super) struct SignedIn {
    pub(super) account: AccountId,
    pub(super) name: AccountName,
    pub(super) roles: Vec<PlatformRole>,
    pub(super) memberships: BTreeMap<Org, OrgRole>,
    pub(super) token: TokenId,
    pub(super) scope: TokenScope,
    /// The one org that the token is limited to.
    pub(super) limit: Option<Org>,
    /// When the token ends.
    pub(super) expires: Timestamp,
}

impl Actor {
    /// Nobody: a request without a token.
    pub const fn anonymous() -> Self {
        Self(None)
    }

    pub(super) fn from_token(signed_in: SignedIn) -> Self {
        Self(Some(Box::new(signed_in)))
    }

    pub(super) fn signed_in(&self) -> Option<&SignedIn> {
        self.0.as_deref()
    }

    /// The account that acts; refused when nobody is signed in.
    pub(super) fn account_id(&self) -> Result<AccountId, Error> {
        self.signed_in().map(|s| s.account).ok_or_else(token_missing)
    }

    /// Its name; refused when nobody is signed in.
    pub(super) fn account_name(&self) -> Result<&AccountName, Error> {
        self.name().ok_or_else(token_missing)
    }

    /// The account's name, for the log.
    pub fn name(&self) -> Option<&AccountName> {
        self.signed_in().map(|s| &s.name)
    }

    /// Who the account is to a thing of `org`, or to the platform, were the token without limits.
    pub(super) fn who_unlimited(&self, org: Option<&Org>) -> Who {
        self.signed_in().map_or_else(Who::anonymous, |s| {
            Who::account(s.roles.iter().copied(), org.and_then(|org| s.memberships.get(org)).copied())
        })
    }

    /// Who the account is to a thing of `org`, or to the platform, through this token. A token of one org has no roles
    /// in another and none on the platform.
    pub(super) fn who(&self, org: Option<&Org>) -> Who {
        match self.signed_in().and_then(|s| s.limit.as_ref()) {
            Some(limit) if org != Some(limit) => Who::account([], None),
            _ => self.who_unlimited(org),
        }
    }
}
