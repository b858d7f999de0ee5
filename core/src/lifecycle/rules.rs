//! The moves and what each of them needs.

use std::fmt::Write as _;

use super::{Action, State};
use crate::permission::{OrgRole, Permission, PlatformRole};

/// Something that a move needs besides the right state and permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// The rights in the dataset are confirmed.
    DatasetRights,
    /// Compliance with the licence of the base is confirmed.
    BaseCompliance,
    /// Third-party attribution, or `None`.
    Attribution,
    /// An offer that can be granted and fits the patch; for a paid one a verified publisher, price and wallet.
    Offer,
    /// A finished held-out evaluation.
    HeldOut,
    /// Recorded results on the regression suite.
    Regression,
    /// A regression suite of which the base itself passes at least half.
    InformativeRegression,
    /// Digests of adapter, package and manifest.
    Digests,
    /// Somebody who is neither the submitter nor the pusher.
    SecondPerson,
    /// Every item of the review checklist.
    Checklist,
    /// The disclosure of the account, word for word.
    Disclosure,
    /// A build signature that matches the manifest digest.
    Attestation,
    /// An approval of exactly this manifest digest.
    Approval,
    /// A reason code and text.
    Reason,
    /// When a replacement is named: another published version of the patch.
    Replacement,
}

impl Requirement {
    /// What is needed, for the documentation.
    pub const fn text(self) -> &'static str {
        match self {
            Self::DatasetRights => "the rights in the dataset confirmed",
            Self::BaseCompliance => "compliance with the licence of the base confirmed",
            Self::Attribution => "third-party attribution, or `None`",
            Self::Offer => "a free or paid offer that fits the patch (paid: verified publisher, price in USD, wallet)",
            Self::HeldOut => "a finished held-out evaluation",
            Self::Regression => "recorded regression results",
            Self::InformativeRegression => "a regression suite of which the base passes at least half",
            Self::Digests => "digests of adapter, package and manifest",
            Self::SecondPerson => "neither the submitter nor the pusher",
            Self::Checklist => "every item of the review checklist",
            Self::Disclosure => "the disclosure text of the account, if it has one",
            Self::Attestation => "a build signature that matches the manifest digest",
            Self::Approval => "an approval of exactly this manifest digest",
            Self::Reason => "a reason code and a text",
            Self::Replacement => "a replacement, if named, that is another published version",
        }
    }
}

/// One move.
#[derive(Debug, Clone, Copy)]
pub struct Transition {
    /// Where it starts.
    pub from: State,
    /// What is done.
    pub action: Action,
    /// Where it ends.
    pub to: State,
    /// What it needs.
    pub needs: &'static [Requirement],
}

const SUBMIT: &[Requirement] = &[
    Requirement::DatasetRights,
    Requirement::BaseCompliance,
    Requirement::Attribution,
    Requirement::Offer,
    Requirement::HeldOut,
    Requirement::Regression,
    Requirement::InformativeRegression,
    Requirement::Digests,
];
const RETURN: &[Requirement] = &[Requirement::SecondPerson, Requirement::Disclosure, Requirement::Reason];
const APPROVE: &[Requirement] =
    &[Requirement::SecondPerson, Requirement::Disclosure, Requirement::Checklist, Requirement::Attestation];
const REVOKE: &[Requirement] = &[Requirement::Disclosure, Requirement::Reason];
const REASON: &[Requirement] = &[Requirement::Reason];
const REPLACE: &[Requirement] = &[Requirement::Reason, Requirement::Replacement];

const fn row(from: State, action: Action, to: State, needs: &'static [Requirement]) -> Transition {
    Transition { from, action, to, needs }
}

/// Every move there is.
pub const TRANSITIONS: &[Transition] = &[
    row(State::Candidate, Action::Submit, State::Submitted, SUBMIT),
    row(State::Submitted, Action::Return, State::Candidate, RETURN),
    row(State::Submitted, Action::Approve, State::Approved, APPROVE),
    row(State::Approved, Action::Revoke, State::Candidate, REVOKE),
    row(State::Approved, Action::Publish, State::Published, &[Requirement::Approval]),
    row(State::Published, Action::Deprecate, State::Deprecated, REPLACE),
    row(State::Deprecated, Action::Restore, State::Published, REASON),
    row(State::Published, Action::Withdraw, State::Withdrawn, REPLACE),
    row(State::Deprecated, Action::Withdraw, State::Withdrawn, REPLACE),
    row(State::Candidate, Action::TakeDown, State::TakenDown, REPLACE),
    row(State::Submitted, Action::TakeDown, State::TakenDown, REPLACE),
    row(State::Approved, Action::TakeDown, State::TakenDown, REPLACE),
    row(State::Published, Action::TakeDown, State::TakenDown, REPLACE),
    row(State::Deprecated, Action::TakeDown, State::TakenDown, REPLACE),
    row(State::Withdrawn, Action::TakeDown, State::TakenDown, REPLACE),
];

/// The move that `action` is from `state`.
pub fn transition(state: State, action: Action) -> Option<&'static Transition> {
    TRANSITIONS.iter().find(|t| t.from == state && t.action == action)
}

fn who(permission: Permission) -> String {
    let Permission::Role(platform, org) = permission else { return "anyone".to_owned() };
    let platform = platform.iter().map(|role| match role {
        PlatformRole::Build => "build worker",
        PlatformRole::Review => "reviewer",
        PlatformRole::Operate => "operator",
    });
    let org = org.map(|role| match role {
        OrgRole::Admin => "org admin",
        OrgRole::Publisher => "org publisher or admin",
        OrgRole::Member => "org member",
    });
    platform.chain(org).collect::<Vec<_>>().join(" or ")
}

/// The table as Markdown, for the documentation.
pub fn markdown() -> String {
    let mut text = String::from(
        "<!-- Generated from core/src/lifecycle/rules.rs; a test compares. -->\n\n\
         | from | action | to | who | needs |\n|---|---|---|---|---|\n",
    );
    for t in TRANSITIONS {
        let needs = t.needs.iter().map(|n| n.text()).collect::<Vec<_>>().join("; ");
        let who = who(t.action.required_permission());
        let _ = writeln!(text, "| {} | {} | {} | {who} | {needs} |", t.from, t.action, t.to);
    }
    text
}
