//! Orgs and their members. An org is known to its members and to operators; to anyone else it is not there.
//!
//! A change of membership renews the registrations of the account's keys, so that a decision travels with the
//! membership that was current when it was made.

use retoque_core::api::{Member, NewMember, NewOrg, OrgChange, OrgView, Page};
use retoque_core::id::{AccountName, Org};
use retoque_core::permission::{Act, PlatformRole};
use retoque_core::problem::Findings;
use retoque_core::text;

use super::page::{Window, page};
use super::policy::{self, Subject, token_missing};
use super::{Actor, Error, Service, accounts, registration};
use crate::store::id::OrgId;
use crate::store::{self, Tx, orgs};

/// Makes an org.
pub async fn create(service: &Service, actor: &Actor, new: NewOrg) -> Result<OrgView, Error> {
    policy::authorize(actor, Act::ManageOrgs, Subject::PLATFORM)?;
    let mut findings = Findings::new();
    text::line(&mut findings, "display", &new.display, text::LABEL);
    findings.into_result(())?;
    let row = &orgs::Org {
        id: OrgId::mint(&service.chance)?,
        name: new.name,
        display: new.display,
        verified_at: None,
        created_at: service.chance.now(),
        created_by: actor.account_id()?,
    };
    service
        .store
        .write(|mut tx| async move {
            tx.insert_org(row).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await?;
    Ok(view(row.clone(), Vec::new()))
}

/// The orgs that the actor may see: all for an operator, else one's own.
pub async fn list(service: &Service, actor: &Actor, window: &Window) -> Result<Page<OrgView>, Error> {
    let signed_in = actor.signed_in().ok_or_else(token_missing)?;
    let mut tx = service.store.read().await?;
    if actor.who(None).has(PlatformRole::Operate) {
        let mut listing = tx.orgs(&window.rows()).await?;
        listing.items.retain(|org| policy::allows(actor, Act::ReadOrg, Subject::org(&org.name)));
        return page(listing, |org| Ok(view(org, Vec::new())));
    }
    let mut items = Vec::new();
    for name in signed_in.memberships.keys() {
        if policy::allows(actor, Act::ReadOrg, Subject::org(name)) {
            items.push(view(find(&mut tx, name).await?, Vec::new()));
        }
    }
    Ok(Page { items, next: None })
}

/// One org with its members.
pub async fn show(service: &Service, actor: &Actor, name: &Org) -> Result<OrgView, Error> {
    policy::authorize(actor, Act::ReadOrg, Subject::org(name))?;
    let mut tx = service.store.read().await?;
    let row = find(&mut tx, name).await?;
    let mut rows = store::Page::first(store::Page::MOST);
    let mut members = Vec::new();
    loop {
        let listing = tx.members(row.id, &rows).await?;
        members.extend(listing.items.into_iter().map(|m| Member { account: m.name, role: m.role }));
        match listing.next {
            Some(next) => rows.after = Some(next),
            None => return Ok(view(row, members)),
        }
    }
}

/// Marks an org as a verified publisher, or takes that back.
pub async fn change(service: &Service, actor: &Actor, name: &Org, change: OrgChange) -> Result<OrgView, Error> {
    policy::authorize(actor, Act::ManageOrgs, Subject::PLATFORM)?;
    let verified_at = change.verified.then(|| service.chance.now());
    let row = service
        .store
        .write(|mut tx| async move {
            let row = find(&mut tx, name).await?;
            let verified_at = if change.verified { row.verified_at.or(verified_at) } else { None };
            tx.set_org_verified(row.id, verified_at).await?;
            Ok::<_, Error>(tx.done(orgs::Org { verified_at, ..row }))
        })
        .await?;
    Ok(view(row, Vec::new()))
}

/// Makes an account a member, or changes its role.
pub async fn put_member(
    service: &Service,
    actor: &Actor,
    (name, account): &(Org, AccountName),
    new: NewMember,
) -> Result<Member, Error> {
    policy::authorize(actor, Act::ManageMembers, Subject::org(name))?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            let org = find(&mut tx, name).await?;
            let member = accounts::find(&mut tx, account).await?;
            // A key that is being registered now waits, or is renewed here.
            tx.lock_account(member.id).await?;
            tx.put_member(org.id, member.id, new.role, now).await?;
            registration::renew(service, &mut tx, &member).await?;
            Ok(tx.done(Member { account: member.name, role: new.role }))
        })
        .await
}

/// Ends a membership. Ending one that is not there is the same.
pub async fn drop_member(service: &Service, actor: &Actor, (name, account): &(Org, AccountName)) -> Result<(), Error> {
    policy::authorize(actor, Act::ManageMembers, Subject::org(name))?;
    service
        .store
        .write(|mut tx| async move {
            let org = find(&mut tx, name).await?;
            let member = accounts::find(&mut tx, account).await?;
            // A key that is being registered now waits, or is renewed here.
            tx.lock_account(member.id).await?;
            if tx.drop_member(org.id, member.id).await? {
                registration::renew(service, &mut tx, &member).await?;
            }
            Ok(tx.done(()))
        })
        .await
}

/// The org called `name`, worded as the gate words what it hides.
pub(super) async fn find(tx: &mut Tx, name: &Org) -> Result<orgs::Org, Error> {
    tx.org_by_name(name).await?.ok_or_else(|| Error::not_found("such org"))
}

fn view(row: orgs::Org, members: Vec<Member>) -> OrgView {
    OrgView {
        name: row.name,
        display: row.display,
        created: row.created_at,
        verified: row.verified_at.is_some(),
        members,
    }
}
