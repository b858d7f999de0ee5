//! Acts and the permission that each needs.

use super::Visibility;
use super::role::{OrgRole, PlatformRole, Who};
use crate::lifecycle::Action;

/// Anything that somebody can ask the registry to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// See that a patch exists, and its description.
    ReadPatch,
    /// Read manifest, evidence, attestation, decisions, licence and listing of a version.
    ReadVersion,
    /// Read package bytes (the state of the version may still forbid it).
    ReadPackage,
    /// Read the private evaluation record.
    ReadRecord,
    /// Create a patch in an org, or change its description.
    CreatePatch,
    /// Upload bytes to staging.
    Upload,
    /// Make a version from uploaded bytes.
    Push,
    /// An action of the lifecycle.
    Decide(Action),
    /// List what waits for review.
    ListReviews,
    /// Read what the registry says of itself, and its root of trust.
    ReadRegistry,
    /// Read a base record.
    ReadBase,
    /// Register a base revision.
    RegisterBase,
    /// Read the shared regression suite.
    ReadSuite,
    /// Set the shared regression suite.
    SetSuite,
    /// Read the accounts, tokens and keys of others.
    ReadAccounts,
    /// Create accounts, give platform roles, disable accounts.
    ManageAccounts,
    /// Create orgs, mark publishers as verified.
    ManageOrgs,
    /// Read the members of an org.
    ReadOrg,
    /// Add and remove members of an org.
    ManageMembers,
    /// Create and revoke one's own tokens, none wider than the one used.
    ManageOwnTokens,
    /// Revoke tokens of others.
    ManageTokens,
    /// Register one's own public key.
    RegisterOwnKey,
    /// Read the account that the token belongs to.
    ReadSelf,
    /// Bring in the next root of trust (which its own signatures must allow).
    ManageRoot,
}

/// Who may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Anyone, without a token.
    Anyone,
    /// Any account.
    Account,
    /// Any of these platform roles, or at least this role in the owning org.
    Role(&'static [PlatformRole], Option<OrgRole>),
}

/// What an act is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A patch or one of its versions.
    Patch,
    /// An org.
    Org,
    /// The platform, or the caller's own account.
    Platform,
}

impl Permission {
    /// Whether `who` has it.
    pub fn held_by(self, who: &Who) -> bool {
        match self {
            Self::Anyone => true,
            Self::Account => who.is_signed_in(),
            Self::Role(platform, org) => {
                platform.iter().any(|role| who.has(*role))
                    || org.is_some_and(|least| who.org().is_some_and(|role| role >= least))
            }
        }
    }
}

impl Act {
    /// Every act, lifecycle actions included.
    pub fn all() -> impl Iterator<Item = Self> {
        let before = [
            Self::ReadPatch,
            Self::ReadVersion,
            Self::ReadPackage,
            Self::ReadRecord,
            Self::CreatePatch,
            Self::Upload,
            Self::Push,
        ];
        let after = [
            Self::ListReviews,
            Self::ReadRegistry,
            Self::ReadBase,
            Self::RegisterBase,
            Self::ReadSuite,
            Self::SetSuite,
            Self::ReadAccounts,
            Self::ManageAccounts,
            Self::ManageOrgs,
            Self::ReadOrg,
            Self::ManageMembers,
            Self::ManageOwnTokens,
            Self::ManageTokens,
            Self::RegisterOwnKey,
            Self::ReadSelf,
            Self::ManageRoot,
        ];
        before.into_iter().chain(Action::ALL.map(Self::Decide)).chain(after)
    }

    /// What kind of thing the act is done to.
    pub const fn target(self) -> Target {
        match self {
            Self::ReadPatch
            | Self::ReadVersion
            | Self::ReadPackage
            | Self::ReadRecord
            | Self::Push
            | Self::Decide(_) => Target::Patch,
            Self::CreatePatch | Self::ReadOrg | Self::ManageMembers => Target::Org,
            Self::Upload
            | Self::ListReviews
            | Self::ReadRegistry
            | Self::ReadBase
            | Self::RegisterBase
            | Self::ReadSuite
            | Self::SetSuite
            | Self::ReadAccounts
            | Self::ManageAccounts
            | Self::ManageOrgs
            | Self::ManageRoot
            | Self::ManageOwnTokens
            | Self::ManageTokens
            | Self::RegisterOwnKey
            | Self::ReadSelf => Target::Platform,
        }
    }

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadPatch => "read-patch",
            Self::ReadVersion => "read-version",
            Self::ReadPackage => "read-package",
            Self::ReadRecord => "read-record",
            Self::CreatePatch => "create-patch",
            Self::Upload => "upload",
            Self::Push => "push",
            Self::Decide(action) => action.name(),
            Self::ListReviews => "list-reviews",
            Self::ReadRegistry => "read-registry",
            Self::ReadBase => "read-base",
            Self::RegisterBase => "register-base",
            Self::ReadSuite => "read-suite",
            Self::SetSuite => "set-suite",
            Self::ReadAccounts => "read-accounts",
            Self::ManageAccounts => "manage-accounts",
            Self::ManageOrgs => "manage-orgs",
            Self::ReadOrg => "read-org",
            Self::ManageMembers => "manage-members",
            Self::ManageOwnTokens => "manage-own-tokens",
            Self::ManageTokens => "manage-tokens",
            Self::RegisterOwnKey => "register-own-key",
            Self::ReadSelf => "read-self",
            Self::ManageRoot => "manage-root",
        }
    }

    /// The permission that this act needs on a thing of this visibility.
    pub const fn required_permission(self, visibility: Visibility) -> Permission {
        use OrgRole::{Admin, Member, Publisher};
        use Permission::{Account, Anyone, Role};
        use PlatformRole::{Build, Operate, Review};
        match self {
            Self::ReadRegistry | Self::ReadBase => Anyone,
            Self::ReadPatch | Self::ReadVersion | Self::ReadPackage if matches!(visibility, Visibility::Public) => {
                Anyone
            }
            // A build worker may see what it has to push to, and that its push arrived.
            Self::ReadPatch | Self::ReadVersion => Role(&[Build, Review, Operate], Some(Member)),
            Self::ReadPackage | Self::ReadRecord => Role(&[Review, Operate], Some(Member)),
            Self::CreatePatch => Role(&[], Some(Publisher)),
            Self::Upload | Self::Push => Role(&[Build], None),
            Self::Decide(action) => action.required_permission(),
            Self::ListReviews => Role(&[Review, Operate], None),
            Self::RegisterBase
            | Self::SetSuite
            | Self::ReadAccounts
            | Self::ManageAccounts
            | Self::ManageOrgs
            | Self::ManageTokens
            | Self::ManageRoot => Role(&[Operate], None),
            Self::ReadOrg => Role(&[Operate], Some(Member)),
            Self::ManageMembers => Role(&[Operate], Some(Admin)),
            Self::ReadSuite | Self::ManageOwnTokens | Self::RegisterOwnKey | Self::ReadSelf => Account,
        }
    }
}

impl Action {
    /// The permission that this action needs, whatever the visibility.
    pub const fn required_permission(self) -> Permission {
        use Permission::Role;
        use PlatformRole::{Operate, Review};
        match self {
            Self::Submit => Role(&[], Some(OrgRole::Admin)),
            Self::Return | Self::Approve | Self::Revoke => Role(&[Review, Operate], None),
            Self::Publish => Role(&[], Some(OrgRole::Publisher)),
            Self::Deprecate | Self::Restore | Self::Withdraw | Self::TakeDown => Role(&[Operate], None),
        }
    }
}
