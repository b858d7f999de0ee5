//! Accounts and the roles that the operator gives them.

use jiff::Timestamp;
use retoque_core::id::AccountName;
use retoque_core::permission::PlatformRole;

use super::db::Tx;
use super::error::Error;
use super::id::AccountId;
use super::page::{Listing, Page};
use super::value::{Columns, args, statements};

statements! {
    INSERT_ACCOUNT =
        "INSERT INTO accounts (id, name, display, disclosure, created_at, disabled_at) VALUES ($1, $2, $3, $4, $5, $6)";
    ACCOUNT_BY_ID = "SELECT id, name, display, disclosure, created_at, disabled_at FROM accounts WHERE id = $1";
    ACCOUNT_BY_NAME = "SELECT id, name, display, disclosure, created_at, disabled_at FROM accounts WHERE name = $1";
    ACCOUNTS =
        "SELECT id, name, display, disclosure, created_at, disabled_at FROM accounts WHERE name > $1 ORDER BY name LIMIT $2";
    // A change that changes nothing: it holds the row until the transaction ends, and no foreign key waits for it.
    LOCK = "UPDATE accounts SET display = display WHERE id = $1";
    SET_DISABLED = "UPDATE accounts SET disabled_at = $2 WHERE id = $1";
    SET_PROFILE = "UPDATE accounts SET display = $2, disclosure = $3 WHERE id = $1";
    GRANT_ROLE =
        "INSERT INTO account_roles (account_id, role, created_at) VALUES ($1, $2, $3) ON CONFLICT (account_id, role) DO NOTHING";
    DROP_ROLE = "DELETE FROM account_roles WHERE account_id = $1 AND role = $2";
    ROLES = "SELECT role FROM account_roles WHERE account_id = $1 ORDER BY role";
}

/// A person or machine that acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Row id.
    pub id: AccountId,
    /// Unique name.
    pub name: AccountName,
    /// Name for people.
    pub display: String,
    /// Text that is copied into each decision of this account.
    pub disclosure: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was switched off.
    pub disabled_at: Option<Timestamp>,
}

fn account(c: &mut Columns<'_>) -> Result<Account, Error> {
    Ok(Account {
        id: c.take()?,
        name: c.take()?,
        display: c.take()?,
        disclosure: c.take()?,
        created_at: c.take()?,
        disabled_at: c.take()?,
    })
}

impl Tx {
    /// Has others who call this for the same account wait until this transaction ends. What an account's keys and
    /// memberships say of each other is read and written behind it.
    pub async fn lock_account(&mut self, id: AccountId) -> Result<(), Error> {
        if self.execute(LOCK, args![&id]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Makes an account; its name must be free.
    pub async fn insert_account(&mut self, a: &Account) -> Result<(), Error> {
        let args = args![&a.id, &a.name, &a.display, a.disclosure.as_deref(), a.created_at, a.disabled_at];
        self.execute(INSERT_ACCOUNT, args).await.map(drop)
    }

    /// The account of that id.
    pub async fn account(&mut self, id: AccountId) -> Result<Option<Account>, Error> {
        self.row(ACCOUNT_BY_ID, args![&id]).await?.map(|row| account(&mut Columns::of(&row))).transpose()
    }

    /// The account of that name.
    pub async fn account_by_name(&mut self, name: &AccountName) -> Result<Option<Account>, Error> {
        self.row(ACCOUNT_BY_NAME, args![name]).await?.map(|row| account(&mut Columns::of(&row))).transpose()
    }

    /// All accounts, by name.
    pub async fn accounts(&mut self, page: &Page) -> Result<Listing<Account>, Error> {
        let rows = self.rows(ACCOUNTS, &[page.after_arg(), page.limit_arg()]).await?;
        let items = rows.iter().map(|row| account(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |a: &Account| a.name.to_string()))
    }

    /// Switches an account off (a time) or on again (`None`).
    pub async fn set_account_disabled(&mut self, id: AccountId, at: Option<Timestamp>) -> Result<(), Error> {
        if self.execute(SET_DISABLED, args![&id, at]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Changes the texts that people see.
    pub async fn set_account_profile(
        &mut self,
        id: AccountId,
        display: &str,
        disclosure: Option<&str>,
    ) -> Result<(), Error> {
        if self.execute(SET_PROFILE, args![&id, display, disclosure]).await? == 1 {
            Ok(())
        } else {
            Err(Error::NotFound)
        }
    }

    /// Gives a role; giving it twice is the same as once.
    pub async fn grant_role(&mut self, id: AccountId, role: PlatformRole, at: Timestamp) -> Result<(), Error> {
        self.execute(GRANT_ROLE, args![&id, role, at]).await.map(drop)
    }

    /// Takes a role away. Answers whether the account had it.
    pub async fn drop_role(&mut self, id: AccountId, role: PlatformRole) -> Result<bool, Error> {
        Ok(self.execute(DROP_ROLE, args![&id, role]).await? == 1)
    }

    /// The roles of an account.
    pub async fn roles(&mut self, id: AccountId) -> Result<Vec<PlatformRole>, Error> {
        self.rows(ROLES, args![&id]).await?.iter().map(|row| Columns::of(row).take()).collect()
    }
}
