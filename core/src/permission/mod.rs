//! Who may do what: roles, acts, and the one function that decides.
//!
//! Every door of the registry asks [`decide`] and nothing else grants. A private patch and an unpublished
//! version are [`Verdict::Hidden`] from those without rights, so that they look as if they did not exist.
//! Clause: specification, section 6.

mod act;
mod matrix;
mod role;

pub use act::{Act, Permission, Target};
pub use matrix::matrix;
pub use role::{OrgRole, PlatformRole, Who};

/// Who can see that the thing exists at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// A public patch with its published, deprecated, withdrawn and taken-down versions, and whatever is no patch.
    Public,
    /// A version of a public patch that was never published: `candidate`, `submitted`, `approved`.
    Unpublished,
    /// A private patch and everything under it.
    Private,
}

impl Visibility {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Public, Self::Unpublished, Self::Private];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unpublished => "unpublished",
            Self::Private => "private",
        }
    }

    /// The visibility of a version in `state`, of a patch that is private or not.
    pub const fn of(private_patch: bool, published_once: bool) -> Self {
        match (private_patch, published_once) {
            (true, _) => Self::Private,
            (false, true) => Self::Public,
            (false, false) => Self::Unpublished,
        }
    }
}

/// What the caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Go on.
    Allowed,
    /// The caller may know that it exists, but not do this (401 without a token, else 403).
    Denied,
    /// The caller may not know that it exists (404).
    Hidden,
}

/// Decides whether `who` may do `act` to a thing of this visibility. The org role of `who` is the one in the org
/// that owns the thing. Only acts on patches look at the visibility.
pub fn decide(who: &Who, act: Act, visibility: Visibility) -> Verdict {
    let may_know = match act.target() {
        Target::Patch => Act::ReadVersion.required_permission(visibility).held_by(who),
        Target::Org => Act::ReadOrg.required_permission(visibility).held_by(who),
        Target::Platform => true,
    };
    match (act.required_permission(visibility).held_by(who), may_know) {
        (true, _) => Verdict::Allowed,
        (false, true) => Verdict::Denied,
        (false, false) => Verdict::Hidden,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::lifecycle::Action;

    fn platform(role: PlatformRole) -> Who {
        Who::account([role], None)
    }

    fn org(role: OrgRole) -> Who {
        Who::account([], Some(role))
    }

    #[test]
    fn strangers_cannot_tell_a_private_patch_from_none() {
        for who in [Who::anonymous(), Who::account([], None)] {
            for act in Act::all().filter(|act| act.target() != Target::Platform) {
                assert_eq!(decide(&who, act, Visibility::Private), Verdict::Hidden, "{act:?}");
            }
        }
    }

    #[test]
    fn no_role_reviews_its_way_into_another() {
        let act = |a| Act::Decide(a);
        assert_eq!(decide(&org(OrgRole::Admin), act(Action::Approve), Visibility::Private), Verdict::Denied);
        assert_eq!(
            decide(&platform(PlatformRole::Review), act(Action::Publish), Visibility::Unpublished),
            Verdict::Denied
        );
        assert_eq!(
            decide(&platform(PlatformRole::Operate), act(Action::Submit), Visibility::Unpublished),
            Verdict::Denied
        );
        assert_eq!(decide(&platform(PlatformRole::Operate), Act::Push, Visibility::Public), Verdict::Denied);
        assert_eq!(decide(&platform(PlatformRole::Review), act(Action::Withdraw), Visibility::Public), Verdict::Denied);
        assert_eq!(decide(&org(OrgRole::Publisher), act(Action::Submit), Visibility::Unpublished), Verdict::Denied);
        assert_eq!(decide(&org(OrgRole::Member), act(Action::Publish), Visibility::Unpublished), Verdict::Denied);
        assert_eq!(decide(&org(OrgRole::Publisher), act(Action::Publish), Visibility::Unpublished), Verdict::Allowed);
    }

    #[test]
    fn the_private_record_is_for_the_org_reviewers_and_operators_even_when_public() {
        for who in [Who::anonymous(), Who::account([], None), platform(PlatformRole::Build)] {
            assert_eq!(decide(&who, Act::ReadRecord, Visibility::Public), Verdict::Denied);
        }
        for who in [org(OrgRole::Member), platform(PlatformRole::Review), platform(PlatformRole::Operate)] {
            assert_eq!(decide(&who, Act::ReadRecord, Visibility::Private), Verdict::Allowed);
        }
    }

    #[test]
    fn the_committed_matrix_is_the_one_in_force() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/format/permissions.txt");
        crate::lifecycle::compare_generated(path, &matrix());
    }
}
