//! Every requirement, alone and together.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::decision::{Decision, Declarations, Offer};
use crate::digest::Digest;
use crate::id::AccountName;
use crate::manifest::Manifest;
use crate::permission::{OrgRole, PlatformRole, Who};
use crate::problem::{self, Code};
use crate::release::sample;
use crate::review::Checklist;
use crate::sign::Time;

fn name(text: &str) -> AccountName {
    text.parse().unwrap()
}

/// A case that passes for every action; a test spoils one thing in it.
struct Case {
    decision: Decision,
    manifest: Manifest,
    package: Option<Digest>,
    attested: Option<Digest>,
    approved: Option<Digest>,
    disclosure: Option<&'static str>,
    paid_patch: bool,
    verified: bool,
    replacement: Option<State>,
}

impl Case {
    fn new(action: Action) -> Self {
        let about = ("acme/tiny-desk".parse().unwrap(), "1.2.0".parse().unwrap());
        let time = Time::from_micros(0).unwrap();
        let mut decision = Decision::new("https://r.example", action, name("cho"), about, Digest::of(b"p"), time);
        match action {
            Action::Submit => {
                decision.declarations = Some(Declarations {
                    dataset_rights: true,
                    base_licence_compliance: true,
                    publish_validation_cases: false,
                    third_party_attribution: "None".into(),
                    offer: Offer::Free { licence: "MIT".into() },
                });
            }
            Action::Approve => decision.checklist = Some(Checklist::COMPLETE),
            Action::Publish => {}
            _ => {
                let code = reason_codes(action)[0].to_owned();
                decision.reason = Some(Reason { code, text: "A text that is long enough.".into() });
            }
        }
        let digest = Some(Digest::of(b"m"));
        Self {
            decision,
            manifest: sample::manifest(),
            package: Some(Digest::of(b"z")),
            attested: digest,
            approved: digest,
            disclosure: None,
            paid_patch: false,
            verified: false,
            replacement: None,
        }
    }

    fn apply(&self, state: State) -> Result<State, problem::Findings> {
        let facts = Facts {
            decision: &self.decision,
            manifest: &self.manifest,
            manifest_digest: Digest::of(b"m"),
            package: self.package,
            attested: self.attested,
            approved: self.approved,
            pusher: &name("pusher"),
            submitter: Some(&name("ana")),
            disclosure: self.disclosure,
            paid_patch: self.paid_patch,
            verified_publisher: self.verified,
            replacement: self.replacement,
        };
        apply(state, self.decision.action, &facts)
    }

    fn refused_with(&self, codes: &[Code]) {
        let from = TRANSITIONS.iter().find(|t| t.action == self.decision.action).unwrap().from;
        let findings = self.apply(from).unwrap_err();
        let found: Vec<_> = findings.list().iter().map(|f| f.code).collect();
        assert_eq!(found, codes);
    }
}

#[test]
fn every_state_and_action_does_what_the_table_says() {
    for state in State::ALL {
        for action in Action::ALL {
            match (Case::new(action).apply(state), transition(state, action)) {
                (Ok(to), Some(row)) => assert_eq!(to, row.to),
                (Err(findings), None) => assert!(findings.has(problem::WRONG_STATE) && findings.errors() == 1),
                (result, row) => panic!("{state} {action}: {result:?} {row:?}"),
            }
        }
    }
}

#[test]
fn a_submission_names_everything_that_is_missing() {
    let mut case = Case::new(Action::Submit);
    case.decision.declarations = None;
    case.manifest.evidence.held_out.cases = 0;
    case.manifest.evidence.regression.base = 19;
    case.package = None;
    case.refused_with(&[
        problem::NEEDS_DATASET_RIGHTS,
        problem::NEEDS_BASE_COMPLIANCE,
        problem::NEEDS_ATTRIBUTION,
        problem::NEEDS_OFFER,
        problem::NEEDS_HELD_OUT,
        problem::NEEDS_INFORMATIVE_REGRESSION,
        problem::NEEDS_DIGESTS,
    ]);
    let mut case = Case::new(Action::Submit);
    case.manifest.evidence.regression.cases = 39;
    case.manifest.evidence.state = crate::evaluation::EvidenceState::Degraded;
    case.manifest.evidence.disabled_equals_base = false;
    case.refused_with(&[problem::NEEDS_REGRESSION]);
}

#[test]
fn a_paid_offer_needs_a_paid_patch_and_a_verified_publisher() {
    let mut case = Case::new(Action::Submit);
    let wallet = format!("0x{}", "ab".repeat(20));
    case.decision.declarations.as_mut().unwrap().offer = Offer::Paid { price_usd: "49".into(), payout_wallet: wallet };
    case.refused_with(&[problem::NEEDS_OFFER, problem::NEEDS_VERIFIED_PUBLISHER]);
    (case.paid_patch, case.verified) = (true, true);
    assert_eq!(case.apply(State::Candidate), Ok(State::Submitted));
}

#[test]
fn neither_the_pusher_nor_the_submitter_reviews() {
    for action in [Action::Approve, Action::Return] {
        for actor in ["pusher", "ana"] {
            let mut case = Case::new(action);
            case.decision.actor = name(actor);
            case.refused_with(&[problem::NEEDS_SECOND_PERSON]);
        }
    }
}

#[test]
fn an_approval_needs_every_item_the_disclosure_and_the_signature() {
    let mut case = Case::new(Action::Approve);
    case.decision.checklist = Some(Checklist { metrics_reproduce: false, ..Checklist::COMPLETE });
    case.disclosure = Some("Both reviewers belong to the founder.");
    case.attested = Some(Digest::of(b"other"));
    case.refused_with(&[problem::NEEDS_DISCLOSURE, problem::NEEDS_CHECKLIST, problem::NEEDS_ATTESTATION]);
    case.decision.checklist = None;
    assert_eq!(case.apply(State::Submitted).unwrap_err().errors(), 7, "one for each item");
    let mut case = Case::new(Action::Approve);
    case.disclosure = Some("Mine.");
    case.decision.disclosure = Some("Mine.".into());
    assert_eq!(case.apply(State::Submitted), Ok(State::Approved));
}

#[test]
fn publication_needs_the_approval_of_these_bytes() {
    let mut case = Case::new(Action::Publish);
    case.approved = Some(Digest::of(b"other"));
    case.refused_with(&[problem::NEEDS_APPROVAL]);
    case.approved = None;
    case.refused_with(&[problem::NEEDS_APPROVAL]);
}

#[test]
fn reasons_and_replacements_are_checked() {
    for action in Action::ALL.into_iter().filter(|a| !reason_codes(*a).is_empty()) {
        let mut case = Case::new(action);
        case.decision.reason = Some(Reason { code: "because".into(), text: "  short   ".into() });
        case.refused_with(&[problem::NEEDS_REASON, problem::NEEDS_REASON]);
        case.decision.reason = None;
        case.refused_with(&[problem::NEEDS_REASON]);
    }
    let mut case = Case::new(Action::Withdraw);
    case.decision.replacement = Some("1.3.0".parse().unwrap());
    case.refused_with(&[problem::NEEDS_USABLE_REPLACEMENT]);
    case.replacement = Some(State::Deprecated);
    case.refused_with(&[problem::NEEDS_USABLE_REPLACEMENT]);
    case.replacement = Some(State::Published);
    assert_eq!(case.apply(State::Published), Ok(State::Withdrawn));
    case.decision.replacement = Some("1.2.0".parse().unwrap());
    case.refused_with(&[problem::NEEDS_USABLE_REPLACEMENT]);
}

#[test]
fn allowed_actions_follow_role_and_state() {
    let admin = Who::account([], Some(OrgRole::Admin));
    assert_eq!(allowed(State::Candidate, &admin), [Action::Submit]);
    assert_eq!(allowed(State::Approved, &admin), [Action::Publish]);
    let reviewer = Who::account([PlatformRole::Review], None);
    assert_eq!(allowed(State::Submitted, &reviewer), [Action::Return, Action::Approve]);
    assert!(allowed(State::Published, &reviewer).is_empty());
    let operator = Who::account([PlatformRole::Operate], None);
    assert_eq!(allowed(State::Deprecated, &operator), [Action::Restore, Action::Withdraw, Action::TakeDown]);
    assert!(State::ALL.into_iter().all(|s| allowed(s, &Who::anonymous()).is_empty()));
}

#[test]
fn bytes_of_ended_versions_are_gone() {
    assert_eq!(check_served(State::Withdrawn).unwrap_err().code, problem::VERSION_WITHDRAWN);
    assert_eq!(check_served(State::TakenDown).unwrap_err().code, problem::VERSION_TAKEN_DOWN);
    assert!(check_served(State::Deprecated).is_ok());
}
