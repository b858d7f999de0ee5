//! How the statements of a release hang together: each decision names the one before it, the reviewer is a
//! second person, and no registration is there that nothing needs.

use super::signed::Checker;
use crate::decision::Decision;
use crate::id::AccountName;
use crate::problem::{DECISION_MISMATCH, KEY_UNREGISTERED, SELF_REVIEW};
use crate::sign::Verified;
use crate::sign::registration::KeyRegistration;
use crate::sign::statement::Statement;

type Signed = Verified<Statement<Decision>>;

impl Checker<'_> {
    /// Between submission, approval and publication there is no other decision.
    pub(super) fn order(&mut self, submission: &Signed, approval: &Signed, publication: &Signed) {
        let follows = [("approval", approval, submission), ("publication", publication, approval)];
        for (field, decision, before) in follows {
            let (found, wanted) = (decision.predicate().previous, before.payload_digest());
            if found != wanted {
                self.refuse(DECISION_MISMATCH, &format!("{field}.previous"), found.to_string(), wanted.to_string());
            }
        }
    }

    /// The approver is neither the submitter nor the pusher, by account and by key.
    pub(super) fn second_person(&mut self, pusher: Option<&AccountName>, submission: &Signed, approval: &Signed) {
        let approver = &approval.predicate().actor;
        let found = if pusher == Some(approver) {
            format!("an approval by the pusher, {approver}")
        } else if submission.predicate().actor == *approver {
            format!("an approval by the submitter, {approver}")
        } else if approval.signers().iter().any(|key| submission.signers().contains(key)) {
            "an approval with the key of the submission".to_owned()
        } else {
            return;
        };
        self.refuse(SELF_REVIEW, "approval", found, "an approval by a second person");
    }

    /// Exactly the registrations of the two member keys, the submitter's first.
    pub(super) fn registrations_in_order(&mut self, submit: &Signed, publish: &Signed, all: &[KeyRegistration]) {
        let mut wanted = [submit, publish].map(|signed| signed.signers().first().copied()).to_vec();
        wanted.dedup();
        let found: Vec<_> = all.iter().map(|r| Some(r.key.id())).collect();
        if found != wanted && self.release.key_registrations.len() == all.len() {
            let found = format!("{} registration(s) of other keys, or in another order", found.len());
            self.refuse(KEY_UNREGISTERED, "key_registrations", found, "those of submission and publication, once each");
        }
    }
}
