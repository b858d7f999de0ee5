//! Orgs and who belongs to them.

use jiff::Timestamp;
use retoque_core::id::{AccountName, Org as OrgName};
use retoque_core::permission::OrgRole;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, OrgId};
use super::page::{Listing, Page};
use super::value::{Columns, args, statements};

statements! {
    INSERT_ORG = "INSERT INTO orgs (id, name, display, verified_at, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6)";
    ORG_BY_ID = "SELECT id, name, display, verified_at, created_at, created_by FROM orgs WHERE id = $1";
    ORG_BY_NAME = "SELECT id, name, display, verified_at, created_at, created_by FROM orgs WHERE name = $1";
    ORGS = "SELECT id, name, display, verified_at, created_at, created_by FROM orgs WHERE name > $1 ORDER BY name LIMIT $2";
    SET_VERIFIED = "UPDATE orgs SET verified_at = $2 WHERE id = $1";
    PUT_MEMBER = "INSERT INTO memberships (org_id, account_id, role, created_at) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (org_id, account_id) DO UPDATE SET role = EXCLUDED.role";
    DROP_MEMBER = "DELETE FROM memberships WHERE org_id = $1 AND account_id = $2";
    MEMBER_ROLE = "SELECT role FROM memberships WHERE org_id = $1 AND account_id = $2";
    MEMBERS = "SELECT a.id, a.name, m.role, m.created_at FROM memberships m JOIN accounts a ON a.id = m.account_id \
        WHERE m.org_id = $1 AND a.name > $2 ORDER BY a.name LIMIT $3";
    MEMBERSHIPS = "SELECT o.id, o.name, m.role FROM memberships m JOIN orgs o ON o.id = m.org_id \
        WHERE m.account_id = $1 ORDER BY o.name";
}

/// An organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Org {
    /// Row id.
    pub id: OrgId,
    /// Unique name.
    pub name: OrgName,
    /// Name for people.
    pub display: String,
    /// When the operator verified it as a publisher; needed for paid patches.
    pub verified_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Who made it.
    pub created_by: AccountId,
}

/// One account in an org.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: AccountName,
    /// Its role here.
    pub role: OrgRole,
    /// Since when.
    pub created_at: Timestamp,
}

/// One org of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The org.
    pub org_id: OrgId,
    /// Its name.
    pub org: OrgName,
    /// The account's role there.
    pub role: OrgRole,
}

fn org(c: &mut Columns<'_>) -> Result<Org, Error> {
    Ok(Org {
        id: c.take()?,
        name: c.take()?,
        display: c.take()?,
        verified_at: c.take()?,
        created_at: c.take()?,
        created_by: c.take()?,
    })
}

impl Tx {
    /// Makes an org; its name must be free.
    pub async fn insert_org(&mut self, o: &Org) -> Result<(), Error> {
        let args = args![&o.id, &o.name, &o.display, o.verified_at, o.created_at, &o.created_by];
        self.execute(INSERT_ORG, args).await.map(drop)
    }

    /// The org of that id.
    pub async fn org(&mut self, id: OrgId) -> Result<Option<Org>, Error> {
        self.row(ORG_BY_ID, args![&id]).await?.map(|row| org(&mut Columns::of(&row))).transpose()
    }

    /// The org of that name.
    pub async fn org_by_name(&mut self, name: &OrgName) -> Result<Option<Org>, Error> {
        self.row(ORG_BY_NAME, args![name]).await?.map(|row| org(&mut Columns::of(&row))).transpose()
    }

    /// All orgs, by name.
    pub async fn orgs(&mut self, page: &Page) -> Result<Listing<Org>, Error> {
        let rows = self.rows(ORGS, &[page.after_arg(), page.limit_arg()]).await?;
        let items = rows.iter().map(|row| org(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |o: &Org| o.name.to_string()))
    }

    /// Marks an org as a verified publisher (a time) or takes that back (`None`).
    pub async fn set_org_verified(&mut self, id: OrgId, at: Option<Timestamp>) -> Result<(), Error> {
        if self.execute(SET_VERIFIED, args![&id, at]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Makes an account a member, or changes its role.
    pub async fn put_member(
        &mut self,
        org: OrgId,
        account: AccountId,
        role: OrgRole,
        at: Timestamp,
    ) -> Result<(), Error> {
        self.execute(PUT_MEMBER, args![&org, &account, role, at]).await.map(drop)
    }

    /// Ends a membership. Answers whether there was one.
    pub async fn drop_member(&mut self, org: OrgId, account: AccountId) -> Result<bool, Error> {
        Ok(self.execute(DROP_MEMBER, args![&org, &account]).await? == 1)
    }

    /// The role of an account in an org.
    pub async fn member_role(&mut self, org: OrgId, account: AccountId) -> Result<Option<OrgRole>, Error> {
        self.row(MEMBER_ROLE, args![&org, &account]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// The members of an org, by name.
    pub async fn members(&mut self, org: OrgId, page: &Page) -> Result<Listing<Member>, Error> {
        let args = &[(&org).into(), page.after_arg(), page.limit_arg()];
        let rows = self.rows(MEMBERS, args).await?;
        let read = |c: &mut Columns<'_>| {
            Ok(Member { account_id: c.take()?, name: c.take()?, role: c.take()?, created_at: c.take()? })
        };
        let items = rows.iter().map(|row| read(&mut Columns::of(row))).collect::<Result<_, Error>>()?;
        Ok(page.listing(items, |m: &Member| m.name.to_string()))
    }

    /// The orgs of an account, by name.
    pub async fn memberships(&mut self, account: AccountId) -> Result<Vec<Membership>, Error> {
        let rows = self.rows(MEMBERSHIPS, args![&account]).await?;
        let read = |c: &mut Columns<'_>| Ok(Membership { org_id: c.take()?, org: c.take()?, role: c.take()? });
        rows.iter().map(|row| read(&mut Columns::of(row))).collect()
    }
}
