//! The one function that moves a version.

use super::{Action, Requirement, State, TRANSITIONS, reason, transition};
use crate::decision::{Decision, Offer};
use crate::digest::Digest;
use crate::id::AccountName;
use crate::manifest::Manifest;
use crate::permission::Who;
use crate::problem::{
    Code, Finding, Findings, NEEDS_APPROVAL, NEEDS_ATTESTATION, NEEDS_ATTRIBUTION, NEEDS_BASE_COMPLIANCE,
    NEEDS_CHECKLIST, NEEDS_DATASET_RIGHTS, NEEDS_DISCLOSURE, NEEDS_OFFER, NEEDS_SECOND_PERSON,
    NEEDS_USABLE_REPLACEMENT, NEEDS_VERIFIED_PUBLISHER, Place, VERSION_TAKEN_DOWN, VERSION_WITHDRAWN, WRONG_STATE,
};
use crate::review::{self, Qa};

/// What is known about the version and the person, as far as requirements ask.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The decision that asks for the move.
    pub decision: &'a Decision,
    /// The manifest of the version.
    pub manifest: &'a Manifest,
    /// Digest of its stored bytes.
    pub manifest_digest: Digest,
    /// Digest of the stored archive, when there is one.
    pub package: Option<Digest>,
    /// The manifest digest that the stored and verified build signature is about.
    pub attested: Option<Digest>,
    /// The manifest digest that the latest standing approval is about.
    pub approved: Option<Digest>,
    /// Who pushed.
    pub pusher: &'a AccountName,
    /// Who submitted last.
    pub submitter: Option<&'a AccountName>,
    /// Disclosure text of the deciding account.
    pub disclosure: Option<&'a str>,
    /// Whether the patch is meant to be sold.
    pub paid_patch: bool,
    /// Whether the operator verified the publisher.
    pub verified_publisher: bool,
    /// State of the replacement that the decision names, when that version exists.
    pub replacement: Option<State>,
}

/// The state after `action`, or every reason why not. Permission is asked separately ([`crate::permission::decide`]).
pub fn apply(state: State, action: Action, facts: &Facts<'_>) -> Result<State, Findings> {
    let Some(transition) = transition(state, action) else {
        return Err(wrong_state(state, action).into());
    };
    let mut unmet = Findings::new();
    for need in transition.needs {
        unmet.extend(check(*need, action, facts));
    }
    unmet.into_result(transition.to).map(|(to, _)| to)
}

fn wrong_state(state: State, action: Action) -> Finding {
    let from: Vec<_> = TRANSITIONS.iter().filter(|t| t.action == action).map(|t| t.from.name()).collect();
    let can: Vec<_> = TRANSITIONS.iter().filter(|t| t.from == state).map(|t| t.action.name()).collect();
    Finding::new(
        WRONG_STATE,
        Place::field("action"),
        format!("`{action}` on a version that is {state}"),
        format!("a version that is {}", from.join(" or ")),
        if can.is_empty() {
            format!("nothing can be done to a version that is {state}")
        } else {
            format!("a version that is {state} allows: {}", can.join(", "))
        },
    )
}

/// The actions that `who` may try on a version in `state`.
pub fn allowed(state: State, who: &Who) -> Vec<Action> {
    let moves = TRANSITIONS.iter().filter(|t| t.from == state).map(|t| t.action);
    moves.filter(|action| action.required_permission().held_by(who)).collect()
}

/// Refuses when package bytes are not served in `state` to anybody any more.
pub fn check_served(state: State) -> Result<(), Finding> {
    let refuse = |code, found: &str| {
        let next = "choose another version; evidence, manifest and decisions stay readable";
        Err(Finding::new(code, Place::default(), found, "a version that is served", next))
    };
    match state {
        State::Withdrawn => refuse(VERSION_WITHDRAWN, "a withdrawn version"),
        State::TakenDown => refuse(VERSION_TAKEN_DOWN, "a version that was taken down"),
        State::Candidate | State::Submitted | State::Approved | State::Published | State::Deprecated => Ok(()),
    }
}

fn check(need: Requirement, action: Action, facts: &Facts<'_>) -> Findings {
    let declared = facts.decision.declarations.as_ref();
    match need {
        Requirement::DatasetRights => {
            confirmed(declared.is_some_and(|d| d.dataset_rights), NEEDS_DATASET_RIGHTS, "dataset_rights")
        }
        Requirement::BaseCompliance => confirmed(
            declared.is_some_and(|d| d.base_licence_compliance),
            NEEDS_BASE_COMPLIANCE,
            "base_licence_compliance",
        ),
        Requirement::Attribution => {
            let text = declared.map_or("", |d| d.third_party_attribution.trim());
            one(
                !text.is_empty() && text.chars().count() <= 4000,
                NEEDS_ATTRIBUTION,
                "declarations.third_party_attribution",
                format!("{} characters", text.chars().count()),
                "`None`, or whose work is used and under which terms (at most 4,000 characters)",
                "name third-party material, or state `None`",
            )
        }
        Requirement::Offer => offer(declared.map(|d| &d.offer), facts),
        Requirement::HeldOut | Requirement::Regression | Requirement::InformativeRegression | Requirement::Digests => {
            qa(need, facts)
        }
        Requirement::SecondPerson => second_person(facts),
        Requirement::Checklist => checklist(facts),
        Requirement::Disclosure => one(
            facts.decision.disclosure.as_deref() == facts.disclosure,
            NEEDS_DISCLOSURE,
            "disclosure",
            if facts.decision.disclosure.is_some() { "another disclosure" } else { "no disclosure" },
            if facts.disclosure.is_some() { "the disclosure text of the account" } else { "no disclosure" },
            "ask the registry for the account's disclosure (`retoque whoami`) and sign again",
        ),
        Requirement::Attestation => {
            digests_equal(facts.attested, facts.manifest_digest, NEEDS_ATTESTATION, "attestation")
        }
        Requirement::Approval => digests_equal(facts.approved, facts.manifest_digest, NEEDS_APPROVAL, "approval"),
        Requirement::Reason => reason::check(action, facts.decision.reason.as_ref()),
        Requirement::Replacement => replacement(facts),
    }
}

fn one(
    met: bool,
    code: Code,
    field: &str,
    found: impl Into<String>,
    expected: impl Into<String>,
    next: impl Into<String>,
) -> Findings {
    if met { Findings::new() } else { Finding::new(code, Place::field(field), found, expected, next).into() }
}

fn confirmed(met: bool, code: Code, field: &str) -> Findings {
    let place = format!("declarations.{field}");
    one(met, code, &place, "not confirmed", "confirmed", "confirm it when you submit, if it is true")
}

fn offer(offer: Option<&Offer>, facts: &Facts<'_>) -> Findings {
    let Some(offer) = offer else {
        return one(false, NEEDS_OFFER, "declarations.offer", "no offer", "a free or a paid offer", "state the offer");
    };
    let mut findings = offer.check();
    let paid = matches!(offer, Offer::Paid { .. });
    findings.extend(one(
        paid == facts.paid_patch,
        NEEDS_OFFER,
        "declarations.offer.kind",
        if paid { "a paid offer" } else { "a free offer" },
        if facts.paid_patch { "a paid offer, as the patch intends" } else { "a free offer, as the patch intends" },
        "make the offer that the patch was created for, or change the licensing intent of the patch first",
    ));
    if paid {
        findings.extend(one(
            facts.verified_publisher,
            NEEDS_VERIFIED_PUBLISHER,
            "declarations.offer",
            "a publisher that is not verified",
            "a verified publisher",
            "ask the operator to verify the org",
        ));
    }
    findings
}

fn qa(need: Requirement, facts: &Facts<'_>) -> Findings {
    let items = Qa::of(facts.manifest, Some(facts.manifest_digest), facts.package);
    let mut findings = Findings::new();
    for item in items.outstanding().filter(|item| item.requirement == Some(need)) {
        findings.push(item.finding());
    }
    findings
}

fn second_person(facts: &Facts<'_>) -> Findings {
    let actor = &facts.decision.actor;
    let conflict = if actor == facts.pusher {
        Some("the account that pushed the version")
    } else if facts.submitter == Some(actor) {
        Some("the account that submitted the version")
    } else {
        None
    };
    one(
        conflict.is_none(),
        NEEDS_SECOND_PERSON,
        "actor",
        conflict.unwrap_or_default(),
        "somebody who neither pushed nor submitted it",
        "ask another reviewer",
    )
}

fn checklist(facts: &Facts<'_>) -> Findings {
    let mut findings = Findings::new();
    let missing = facts.decision.checklist.unwrap_or_default().outstanding();
    for item in missing {
        findings.extend(one(
            false,
            NEEDS_CHECKLIST,
            &format!("checklist.{}", item.name()),
            "not confirmed",
            item.text(),
            "check it and confirm it, or return the version with a reason",
        ));
    }
    debug_assert!(review::ChecklistItem::ALL.len() >= findings.list().len(), "one finding per item");
    findings
}

fn digests_equal(found: Option<Digest>, expected: Digest, code: Code, field: &str) -> Findings {
    one(
        found == Some(expected),
        code,
        field,
        found.map_or_else(|| "none".to_owned(), |d| d.to_string()),
        expected.to_string(),
        "look at the version again; its bytes or its decisions are not what you saw",
    )
}

fn replacement(facts: &Facts<'_>) -> Findings {
    let Some(version) = &facts.decision.replacement else { return Findings::new() };
    let itself = *version == facts.decision.version;
    one(
        !itself && facts.replacement == Some(State::Published),
        NEEDS_USABLE_REPLACEMENT,
        "replacement",
        match facts.replacement {
            _ if itself => format!("{version}, the version itself"),
            Some(state) => format!("{version}, which is {state}"),
            None => format!("{version}, which does not exist"),
        },
        "another version of the patch that is published",
        "name a published version, or none",
    )
}
