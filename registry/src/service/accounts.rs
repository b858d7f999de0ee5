//! Accounts: made and changed by the operator, read by themselves.

use std::collections::BTreeSet;

use retoque_core::api::{self, AccountChange, Membership, NewAccount, Page, WhoAmI};
use retoque_core::id::AccountName;
use retoque_core::permission::{Act, PlatformRole};
use retoque_core::problem::{FIELD_INVALID, Finding, Findings, NAME_INVALID, Place};
use retoque_core::text;

use super::page::{Window, page};
use super::policy::{self, Subject, token_missing};
use super::{Actor, Error, Service, view};
use crate::store::Tx;
use crate::store::accounts::Account;
use crate::store::id::AccountId;

/// Longest disclosure, in characters.
const DISCLOSURE: usize = 1000;

/// The account behind the token, its orgs and the token.
pub async fn whoami(service: &Service, actor: &Actor) -> Result<WhoAmI, Error> {
    policy::authorize(actor, Act::ReadSelf, Subject::PLATFORM)?;
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let mut tx = service.store.read().await?;
    let row = tx.account(signed_in.account).await?.ok_or_else(|| Error::not_found("such account"))?;
    let token = tx.token(signed_in.token).await?.ok_or_else(|| Error::not_found("such token"))?;
    let memberships = signed_in.memberships.iter().map(|(org, role)| Membership { org: org.clone(), role: *role });
    Ok(WhoAmI {
        token: view::token(&token, row.name.clone(), signed_in.limit.clone()),
        memberships: memberships.collect(),
        account: view::account(&mut tx, row).await?,
    })
}

/// All accounts, by name.
pub async fn list(service: &Service, actor: &Actor, window: &Window) -> Result<Page<api::Account>, Error> {
    policy::authorize(actor, Act::ReadAccounts, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let listing = page(tx.accounts(&window.rows()).await?, Ok)?;
    let mut items = Vec::with_capacity(listing.items.len());
    for row in listing.items {
        items.push(view::account(&mut tx, row).await?);
    }
    Ok(Page { items, next: listing.next })
}

/// One account: one's own, or any for an operator.
pub async fn show(service: &Service, actor: &Actor, name: &AccountName) -> Result<api::Account, Error> {
    let act = if actor.name() == Some(name) { Act::ReadSelf } else { Act::ReadAccounts };
    policy::authorize(actor, act, Subject::PLATFORM)?;
    let mut tx = service.store.read().await?;
    let row = find(&mut tx, name).await?;
    view::account(&mut tx, row).await
}

/// Makes an account.
pub async fn create(service: &Service, actor: &Actor, new: NewAccount) -> Result<api::Account, Error> {
    policy::authorize(actor, Act::ManageAccounts, Subject::PLATFORM)?;
    let mut findings = Findings::new();
    text::line(&mut findings, "display", &new.display, text::LABEL);
    check_disclosure(&mut findings, new.disclosure.as_deref());
    findings.into_result(())?;
    let now = service.chance.now();
    let row = &Account {
        id: AccountId::mint(&service.chance)?,
        name: new.name,
        display: new.display,
        disclosure: new.disclosure.filter(|text| !text.is_empty()),
        created_at: now,
        disabled_at: None,
    };
    let roles = &new.roles;
    service
        .store
        .write(|mut tx| async move {
            tx.insert_account(row).await?;
            for role in roles {
                tx.grant_role(row.id, *role, now).await?;
            }
            let made = view::account(&mut tx, row.clone()).await?;
            Ok(tx.done(made))
        })
        .await
}

/// Changes the fields that are given.
pub async fn change(
    service: &Service,
    actor: &Actor,
    name: &AccountName,
    change: AccountChange,
) -> Result<api::Account, Error> {
    policy::authorize(actor, Act::ManageAccounts, Subject::PLATFORM)?;
    let mut findings = Findings::new();
    check_disclosure(&mut findings, change.disclosure.as_deref());
    findings.into_result(())?;
    if actor.name() == Some(name) {
        check_own(&change)?;
    }
    let (change, now) = (&change, service.chance.now());
    service
        .store
        .write(|mut tx| async move {
            let row = find(&mut tx, name).await?;
            if let Some(roles) = &change.roles {
                replace_roles(&mut tx, row.id, roles, now).await?;
            }
            if let Some(text) = &change.disclosure {
                let text = Some(text.as_str()).filter(|text| !text.is_empty());
                tx.set_account_profile(row.id, &row.display, text).await?;
            }
            match change.disabled {
                Some(true) if row.disabled_at.is_none() => tx.set_account_disabled(row.id, Some(now)).await?,
                Some(false) => tx.set_account_disabled(row.id, None).await?,
                Some(true) | None => {}
            }
            let row = find(&mut tx, name).await?;
            let changed = view::account(&mut tx, row).await?;
            Ok(tx.done(changed))
        })
        .await
}

/// The account called `name`.
pub(super) async fn find(tx: &mut Tx, name: &AccountName) -> Result<Account, Error> {
    tx.account_by_name(name).await?.ok_or_else(|| Error::not_found("such account"))
}

async fn replace_roles(tx: &mut Tx, id: AccountId, roles: &[PlatformRole], now: jiff::Timestamp) -> Result<(), Error> {
    let wanted: BTreeSet<PlatformRole> = roles.iter().copied().collect();
    for role in PlatformRole::ALL {
        if wanted.contains(&role) {
            tx.grant_role(id, role, now).await?;
        } else {
            tx.drop_role(id, role).await?;
        }
    }
    Ok(())
}

fn check_disclosure(findings: &mut Findings, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        text::paragraph(findings, "disclosure", text, 1..=DISCLOSURE);
    }
}

/// An operator who locks itself out may leave nobody who can undo it.
fn check_own(change: &AccountChange) -> Result<(), Error> {
    let keeps = change.roles.as_ref().is_none_or(|roles| roles.contains(&PlatformRole::Operate));
    if keeps && change.disabled != Some(true) {
        return Ok(());
    }
    Err(Error::refuse(
        FIELD_INVALID,
        Place::field(if keeps { "disabled" } else { "roles" }),
        "a change that locks out the account that asks for it",
        "a change of another account",
        "have another operator do it",
    ))
}

/// The account that a list asks for, or the caller's own.
pub(super) async fn own_or_asked(tx: &mut Tx, actor: &Actor, asked: Option<&str>) -> Result<Account, Error> {
    let named = asked.map(str::parse::<AccountName>).transpose().map_err(|rule| {
        Finding::new(NAME_INVALID, Place::field("account"), "another text", rule.to_string(), "name an account")
    })?;
    own_or_named(tx, actor, named.as_ref(), Act::ReadSelf, Act::ReadAccounts).await
}

/// The account that a request names, or the caller's own, with what must be allowed for either.
pub(super) async fn own_or_named(
    tx: &mut Tx,
    actor: &Actor,
    named: Option<&AccountName>,
    own: Act,
    others: Act,
) -> Result<Account, Error> {
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    match named.filter(|name| **name != signed_in.name) {
        None => {
            policy::authorize(actor, own, Subject::PLATFORM)?;
            tx.account(signed_in.account).await?.ok_or_else(|| Error::not_found("such account"))
        }
        Some(name) => {
            policy::authorize(actor, others, Subject::PLATFORM)?;
            find(tx, name).await
        }
    }
}
