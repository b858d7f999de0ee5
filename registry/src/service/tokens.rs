//! Tokens: what stands behind one, and the making and revoking of them.
//!
//! A token never makes one that reaches further than itself: not in scope, not in org, not in time. The secret is shown
//! once, in the answer that makes it. Clause: specification, section 10.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use retoque_core::api::{MadeToken, NewToken, Page, TokenView};
use retoque_core::id::Org;
use retoque_core::permission::Act;
use retoque_core::problem::{
    ACCOUNT_DISABLED, Code, FIELD_INVALID, Finding, Findings, NOT_FOUND, Place, TOKEN_EXPIRED, TOKEN_MALFORMED,
    TOKEN_REVOKED, TOKEN_SCOPE, TOKEN_UNKNOWN,
};
use retoque_core::text as text_rules;

use super::actor::SignedIn;
use super::policy::{self, Subject, token_missing};
use super::{Actor, Error, Service, accounts, error, view};
use crate::store::Tx;
use crate::store::accounts::Account;
use crate::store::id::{OrgId, TokenId};
use crate::store::tokens::Token;
use crate::token::TokenText;

/// Days that a token lives unless the request says otherwise.
const DAYS_DEFAULT: u32 = 90;
/// Most days that a token lives.
const DAYS_MOST: u32 = 365;

/// Tokens in force of one account.
const TOKENS_MOST: usize = 50;

/// Names a token without being it.
#[derive(Debug, Clone, Copy)]
pub struct TokenRef(TokenId);

/// The text is no id of a token.
#[derive(Debug, thiserror::Error)]
#[error("the id of a token, as `GET /tokens` lists it")]
pub struct NotATokenRef;

impl FromStr for TokenRef {
    type Err = NotATokenRef;
    fn from_str(text: &str) -> Result<Self, NotATokenRef> {
        text.parse().map(Self).map_err(|_| NotATokenRef)
    }
}

impl fmt::Display for TokenRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Finds out who holds `text`; nobody when there is none. Each way of failing has its own code.
pub async fn authenticate(service: &Service, text: Option<&str>) -> Result<Actor, Error> {
    let Some(text) = text else { return Ok(Actor::anonymous()) };
    let token = TokenText::parse(text)
        .map_err(|rule| unauthenticated(TOKEN_MALFORMED, "a text that is no token (not shown)", &rule.to_string()))?;
    let mut tx = service.store.read().await?;
    let row = tx.token_by_secret(&token.digest()).await?;
    let row =
        row.ok_or_else(|| unauthenticated(TOKEN_UNKNOWN, "a token that this registry did not make", "its own"))?;
    in_force(service, &mut tx, row).await
}

/// Who `actor` is now, as the transaction sees it. A body may take long to come; whoever lost the token, the account or a
/// right meanwhile must not write by what was true before. Authorise again with what this answers.
pub(super) async fn still(service: &Service, tx: &mut Tx, actor: &Actor) -> Result<Actor, Error> {
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let row = tx.token(signed_in.token).await?;
    let row = row.ok_or_else(|| unauthenticated(TOKEN_UNKNOWN, "a token that is gone", "a token that is in force"))?;
    in_force(service, tx, row).await
}

/// What stands behind a token, unless it or its account has ended.
async fn in_force(service: &Service, tx: &mut Tx, row: Token) -> Result<Actor, Error> {
    if row.revoked_at.is_some() {
        return Err(unauthenticated(TOKEN_REVOKED, "a revoked token", "a token that is in force"));
    }
    if row.expires_at <= service.chance.now() {
        return Err(unauthenticated(TOKEN_EXPIRED, "an expired token", "a token that is in force"));
    }
    let account = tx.account(row.account_id).await?.ok_or_else(|| Error::internal("a token of no account"))?;
    if account.disabled_at.is_some() {
        let next = "ask an operator; `retoque logout` forgets the token, so that public patches can be read";
        let (found, expected) = ("a disabled account", "an account that may act");
        return Err(Error::refuse(ACCOUNT_DISABLED, Place::field("authorization"), found, expected, next));
    }
    let memberships = tx.memberships(account.id).await?.into_iter().map(|m| (m.org, m.role));
    Ok(Actor::from_token(SignedIn {
        account: account.id,
        name: account.name,
        roles: tx.roles(account.id).await?,
        memberships: memberships.collect(),
        token: row.id,
        scope: row.scope,
        limit: org_name(tx, row.org_id).await?,
        expires: row.expires_at,
    }))
}

fn unauthenticated(code: Code, found: &str, expected: &str) -> Error {
    Error::refuse(code, Place::field("authorization"), found, expected, "sign in again with `retoque login`")
}

/// The tokens of the caller, or of `account` for an operator; oldest first, without secrets.
pub async fn list(service: &Service, actor: &Actor, account: Option<&str>) -> Result<Page<TokenView>, Error> {
    let mut tx = service.store.read().await?;
    let owner = accounts::own_or_asked(&mut tx, actor, account).await?;
    let mut items = Vec::new();
    for row in tx.tokens_of(owner.id).await? {
        let org = org_name(&mut tx, row.org_id).await?;
        items.push(view::token(&row, owner.name.clone(), org));
    }
    Ok(Page { items, next: None })
}

/// Makes a token for the caller, or for another account when an operator asks.
pub async fn create(service: &Service, actor: &Actor, new: NewToken) -> Result<MadeToken, Error> {
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let now = service.chance.now();
    let text = &TokenText::mint(&service.chance)?;
    let id = TokenId::mint(&service.chance)?;
    let new = &new;
    service
        .store
        .write(|mut tx| async move {
            let named = new.account.as_ref();
            let owner = accounts::own_or_named(&mut tx, actor, named, Act::ManageOwnTokens, Act::ManageTokens).await?;
            check_reach(new, signed_in)?;
            let expires_at = expiry(new, signed_in, owner.name == signed_in.name, now)?;
            let in_force = |token: &&Token| token.revoked_at.is_none() && token.expires_at > now;
            let held = tx.tokens_of(owner.id).await?.iter().filter(in_force).count();
            error::room(held, TOKENS_MOST, "token in force", "revoke one with `retoque token revoke`")?;
            let row = Token {
                id,
                account_id: owner.id,
                secret: text.digest(),
                label: new.label.clone(),
                scope: new.scope,
                org_id: limit(&mut tx, new.org.as_ref(), &owner).await?,
                created_at: now,
                expires_at,
                revoked_at: None,
            };
            tx.insert_token(&row).await?;
            let token = view::token(&row, owner.name, new.org.clone());
            Ok(tx.done(MadeToken { secret: text.reveal().to_owned(), token }))
        })
        .await
}

/// Revokes a token for good. Doing it twice is the same as once.
pub async fn revoke(service: &Service, actor: &Actor, token: TokenRef) -> Result<(), Error> {
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            let row = tx.token(token.0).await?;
            // One that is not there is treated as somebody else's: who may not revoke those, cannot tell.
            let own = row.as_ref().is_some_and(|row| row.account_id == signed_in.account);
            // Giving up the token in hand takes nothing but itself away, so every scope may.
            let act = match own {
                true if token.0 == signed_in.token => Act::ReadSelf,
                true => Act::ManageOwnTokens,
                false => Act::ManageTokens,
            };
            policy::authorize(actor, act, Subject::PLATFORM)?;
            let row = row.ok_or_else(|| Error::not_found("such token"))?;
            let limit = org_name(&mut tx, row.org_id).await?;
            if signed_in.limit.is_some() && signed_in.limit != limit {
                return Err(too_wide("another token than one of its org", "a token of the same org"));
            }
            tx.revoke_token(token.0, now).await?;
            Ok(tx.done(()))
        })
        .await
}

async fn org_name(tx: &mut Tx, id: Option<OrgId>) -> Result<Option<Org>, Error> {
    match id {
        None => Ok(None),
        Some(id) => tx.org(id).await?.map(|org| Some(org.name)).ok_or_else(|| Error::internal("a token of no org")),
    }
}

/// The org that the new token is limited to: one that its owner has something to do with.
async fn limit(tx: &mut Tx, org: Option<&Org>, owner: &Account) -> Result<Option<OrgId>, Error> {
    let Some(name) = org else { return Ok(None) };
    let row = tx.org_by_name(name).await?;
    let concerns = match &row {
        Some(org) => tx.member_role(org.id, owner.id).await?.is_some() || !tx.roles(owner.id).await?.is_empty(),
        None => false,
    };
    row.filter(|_| concerns).map(|org| Some(org.id)).ok_or_else(|| {
        let next = "name an org that the account belongs to";
        Error::refuse(NOT_FOUND, Place::field("org"), "no such org that you can see", "an org of the account", next)
    })
}

fn check_reach(new: &NewToken, asking: &SignedIn) -> Result<(), Error> {
    let mut findings = Findings::new();
    text_rules::line(&mut findings, "label", &new.label, text_rules::LABEL);
    if !(1..=DAYS_MOST).contains(&new.days.unwrap_or(DAYS_DEFAULT)) {
        let expected = format!("1 to {DAYS_MOST} days");
        let next = "choose how many days the token shall live";
        findings.push(Finding::new(FIELD_INVALID, Place::field("days"), "another number", expected, next));
    }
    findings.into_result(())?;
    if asking.limit.is_some() && new.org != asking.limit {
        return Err(too_wide("a request for a token without the limit of yours", "a token of the same org"));
    }
    Ok(())
}

/// One's own token ends no later than the one that makes it; a token that is handed to another account is an act of
/// the operator and lives as long as it was given.
fn expiry(new: &NewToken, asking: &SignedIn, own: bool, now: Timestamp) -> Result<Timestamp, Error> {
    let days = i64::from(new.days.unwrap_or(DAYS_DEFAULT));
    let wanted = now.checked_add(SignedDuration::from_hours(24 * days)).map_err(Error::internal)?;
    match Some(asking.expires).filter(|_| own) {
        Some(end) if end < wanted && new.days.is_none() => Ok(end),
        Some(end) if end < wanted => {
            Err(too_wide("a request for a token that outlives yours", &format!("at most until {end}")))
        }
        _ => Ok(wanted),
    }
}

fn too_wide(found: &str, expected: &str) -> Error {
    let next = "ask for less, or ask the operator for a token";
    Error::refuse(TOKEN_SCOPE, Place::default(), found, expected, next)
}
