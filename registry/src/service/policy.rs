//! The gate: the only place that grants. Every use case passes it, for every verb and every door.
//!
//! What a role allows is decided by [`decide`] in the core. Here the token is held against it: a token can only take
//! away. A thing that stays hidden is answered as not found, before anything is said about tokens.

use retoque_core::api::TokenScope;
use retoque_core::id::Org;
use retoque_core::permission::{Act, Verdict, Visibility, decide};
use retoque_core::problem::{NOT_ALLOWED, Place, TOKEN_MISSING, TOKEN_SCOPE};

use super::actor::SignedIn;
use super::{Actor, Error};
use crate::store::patches::Viewer;

/// What an act is done to.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    org: Option<&'a Org>,
    visibility: Visibility,
    /// What it is called when it is said not to be there.
    noun: &'static str,
}

impl<'a> Subject<'a> {
    /// The platform, or the caller's own account.
    pub const PLATFORM: Subject<'static> = Subject { org: None, visibility: Visibility::Public, noun: "such thing" };

    /// An org.
    pub const fn org(org: &'a Org) -> Self {
        Self { org: Some(org), visibility: Visibility::Private, noun: "such org" }
    }

    /// A patch of `org`, or one of its versions.
    pub const fn patch(org: &'a Org, visibility: Visibility) -> Self {
        Self { org: Some(org), visibility, noun: "such patch or version" }
    }
}

/// Lets `actor` do `act` to `subject`, or says why not: 404 where it may not know of the subject, 401 without a token,
/// 403 otherwise.
pub fn authorize(actor: &Actor, act: Act, subject: Subject<'_>) -> Result<(), Error> {
    // A build worker's token may be limited to one org and still has to bring its bytes in.
    let who = match (act, subject.org) {
        (Act::Upload, None) => actor.who_unlimited(None),
        (_, org) => actor.who(org),
    };
    match decide(&who, act, subject.visibility) {
        Verdict::Allowed => token_reaches(actor, act),
        Verdict::Hidden => Err(Error::not_found(subject.noun)),
        Verdict::Denied if actor.signed_in().is_none() => Err(token_missing()),
        Verdict::Denied => {
            let by_token = decide(&actor.who_unlimited(subject.org), act, subject.visibility) == Verdict::Allowed;
            Err(if by_token { out_of_scope("a token of another org", "a token of this org") } else { not_allowed(act) })
        }
    }
}

/// Whether `actor` may do `act` to `subject`; for lists and views that show less instead of refusing.
pub fn allows(actor: &Actor, act: Act, subject: Subject<'_>) -> bool {
    authorize(actor, act, subject).is_ok()
}

/// What the gate lets `actor` see of patches, in the terms of the store's search; `org` is the one org that the search
/// is about. A token of one org sees what is private there, and nowhere else.
pub(super) fn viewer(actor: &Actor, org: Option<&Org>) -> Viewer {
    let everything = decide(&actor.who(None), Act::ReadPatch, Visibility::Private) == Verdict::Allowed;
    let unlimited = |s: &&SignedIn| s.limit.is_none() || org.is_some_and(|org| sees_private(actor, org));
    Viewer { account: actor.signed_in().filter(unlimited).map(|s| s.account), everything }
}

/// Whether `actor` sees what is private in `org`.
pub(super) fn sees_private(actor: &Actor, org: &Org) -> bool {
    allows(actor, Act::ReadPatch, Subject::patch(org, Visibility::Private))
}

fn token_reaches(actor: &Actor, act: Act) -> Result<(), Error> {
    let Some(signed_in) = actor.signed_in() else { return Ok(()) };
    if signed_in.scope == TokenScope::Read && !reads(act) {
        return Err(out_of_scope("a token that only reads", "a token with the scope `write`"));
    }
    // A registered key speaks for the account in every org.
    if signed_in.limit.is_some() && act == Act::RegisterOwnKey {
        return Err(out_of_scope("a token of one org", "a token without a limit"));
    }
    Ok(())
}

/// Acts that change nothing. Exhaustive, so that a new act must say what it is.
const fn reads(act: Act) -> bool {
    match act {
        Act::ReadPatch
        | Act::ReadVersion
        | Act::ReadPackage
        | Act::ReadRecord
        | Act::ListReviews
        | Act::ReadRegistry
        | Act::ReadBase
        | Act::ReadSuite
        | Act::ReadAccounts
        | Act::ReadOrg
        | Act::ReadSelf => true,
        Act::CreatePatch
        | Act::Upload
        | Act::Push
        | Act::Decide(_)
        | Act::RegisterBase
        | Act::SetSuite
        | Act::ManageAccounts
        | Act::ManageOrgs
        | Act::ManageMembers
        | Act::ManageOwnTokens
        | Act::ManageTokens
        | Act::RegisterOwnKey
        | Act::ManageRoot => false,
    }
}

fn out_of_scope(found: &str, expected: &str) -> Error {
    let next = "make a token that reaches further, with one that does (`retoque token create`)";
    Error::refuse(TOKEN_SCOPE, Place::default(), found, expected, next)
}

/// The refusal of a request that needs a token and has none.
pub fn token_missing() -> Error {
    Error::refuse(
        TOKEN_MISSING,
        Place::field("authorization"),
        "a request without a token",
        "`Authorization: Bearer rtq_…`",
        "sign in with `retoque login`",
    )
}

fn not_allowed(act: Act) -> Error {
    Error::refuse(
        NOT_ALLOWED,
        Place::default(),
        format!("an account without the right to {}", act.name()),
        "an account that has it",
        "ask the operator, or an admin of the org",
    )
}
