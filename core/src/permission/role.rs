//! Roles, and who somebody is to the thing at hand.

use serde::{Deserialize, Serialize};

/// What the operator lets an account do on the whole platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlatformRole {
    /// Push packages.
    Build,
    /// Review submissions.
    Review,
    /// Run the platform.
    Operate,
}

impl PlatformRole {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Build, Self::Review, Self::Operate];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Review => "review",
            Self::Operate => "operate",
        }
    }

    /// The role of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What an account may do in one org. A later role can do everything that an earlier one can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrgRole {
    /// Read what the org has.
    Member,
    /// Create patches and publish approved versions.
    Publisher,
    /// Submit with declarations, and manage members.
    Admin,
}

impl OrgRole {
    /// All of them, from the least.
    pub const ALL: [Self; 3] = [Self::Member, Self::Publisher, Self::Admin];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Publisher => "publisher",
            Self::Admin => "admin",
        }
    }

    /// The role of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Somebody, as far as one decision needs: platform roles, and the role in the org that owns the thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    signed_in: bool,
    platform: Vec<PlatformRole>,
    org: Option<OrgRole>,
}

impl Who {
    /// Nobody: no token.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// An account with its platform roles and its role in the owning org.
    pub fn account(platform: impl IntoIterator<Item = PlatformRole>, org: Option<OrgRole>) -> Self {
        Self { signed_in: true, platform: platform.into_iter().collect(), org }
    }

    /// Whether there is an account at all.
    pub const fn is_signed_in(&self) -> bool {
        self.signed_in
    }

    /// Whether the account has this platform role.
    pub fn has(&self, role: PlatformRole) -> bool {
        self.platform.contains(&role)
    }

    /// The role in the owning org.
    pub const fn org(&self) -> Option<OrgRole> {
        self.org
    }
}
