//! Accounts, orgs, members, tokens and keys.

use serde::{Deserialize, Serialize};

use crate::id::{AccountName, Org};
use crate::permission::{OrgRole, PlatformRole};

/// `POST /accounts` (operator).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewAccount {
    /// Its name.
    pub name: AccountName,
    /// How people know it; 1–80 characters.
    pub display: String,
    /// Platform roles.
    #[serde(default)]
    pub roles: Vec<PlatformRole>,
    /// Copied into each decision of a reviewer.
    #[serde(default)]
    pub disclosure: Option<String>,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Its name.
    pub name: AccountName,
    /// How people know it.
    pub display: String,
    /// Platform roles.
    pub roles: Vec<PlatformRole>,
    /// Copied into each decision of a reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<String>,
    /// Since when.
    pub created: jiff::Timestamp,
    /// Whether it may no longer act.
    #[serde(default)]
    pub disabled: bool,
}

/// `PATCH /accounts/{name}` (operator): the fields that are given are replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountChange {
    /// New platform roles.
    #[serde(default)]
    pub roles: Option<Vec<PlatformRole>>,
    /// New disclosure; empty removes it.
    #[serde(default)]
    pub disclosure: Option<String>,
    /// Whether it may no longer act.
    #[serde(default)]
    pub disabled: Option<bool>,
}

/// `POST /orgs` (operator).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewOrg {
    /// Its name.
    pub name: Org,
    /// How people know it; 1–80 characters.
    pub display: String,
}

/// An org.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrgView {
    /// Its name.
    pub name: Org,
    /// How people know it.
    pub display: String,
    /// Since when.
    pub created: jiff::Timestamp,
    /// Whether the operator verified it as a publisher, which paid offers need.
    #[serde(default)]
    pub verified: bool,
    /// Members, by name; lists of orgs leave them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// `PATCH /orgs/{org}` (operator).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrgChange {
    /// Whether it is a verified publisher.
    pub verified: bool,
}

/// `PUT /orgs/{org}/members/{account}` (operator or admin of the org).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMember {
    /// The role within the org.
    pub role: OrgRole,
}

/// A member of an org.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Who.
    pub account: AccountName,
    /// The role within the org.
    pub role: OrgRole,
}

/// A membership as its holder sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Where.
    pub org: Org,
    /// The role within the org.
    pub role: OrgRole,
}

/// `GET /whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhoAmI {
    /// The account behind the token.
    pub account: Account,
    /// Its orgs.
    pub memberships: Vec<Membership>,
    /// The token that was used.
    pub token: TokenView,
}

/// `POST /tokens`: for oneself, or by an operator for another account. Never wider than the asking token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// For whom; absent: for oneself.
    #[serde(default)]
    pub account: Option<AccountName>,
    /// What it is for; 1–80 characters.
    pub label: String,
    /// `read` (only reads) or `write` (all that the account may do).
    pub scope: TokenScope,
    /// Limits it to one org.
    #[serde(default)]
    pub org: Option<Org>,
    /// Days until it expires, 1–365; 90 unless given.
    #[serde(default)]
    pub days: Option<u32>,
}

/// How far a token reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenScope {
    /// Only reads.
    Read,
    /// All that the account may do, short of making tokens that are wider.
    Write,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenView {
    /// Its id, for revoking it.
    pub id: String,
    /// Whose.
    pub account: AccountName,
    /// What it is for.
    pub label: String,
    /// How far it reaches.
    pub scope: TokenScope,
    /// The one org it is limited to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<Org>,
    /// Since when.
    pub created: jiff::Timestamp,
    /// Until when.
    pub expires: jiff::Timestamp,
    /// Whether it was revoked.
    #[serde(default)]
    pub revoked: bool,
}

/// The answer to `POST /tokens`: the only time the secret is shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeToken {
    /// The token's text, `rtq_…`.
    pub secret: String,
    /// What it is.
    pub token: TokenView,
}

impl std::fmt::Debug for MadeToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MadeToken").field("token", &self.token).finish_non_exhaustive()
    }
}

/// `POST /keys`: registers one's own signing key. The signature proves that one holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Ed25519 public key, 64 hex digits.
    pub public: String,
    /// Hex signature of the key over `retoque-key-registration/1\n<registry origin>\n<account>\n<public>\n`.
    pub proof: String,
}

/// A registered key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyView {
    /// TUF keyid.
    pub keyid: String,
    /// Whose.
    pub account: AccountName,
    /// Ed25519 public key, 64 hex digits.
    pub public: String,
    /// Since when.
    pub created: jiff::Timestamp,
    /// Whether it may no longer sign new acts.
    #[serde(default)]
    pub revoked: bool,
    /// Roles that the current root gives it (`review`, `operate`).
    #[serde(default)]
    pub root_roles: Vec<String>,
}
