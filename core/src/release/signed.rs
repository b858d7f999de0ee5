//! The statements of a release: each under the right role, each about this manifest, each following the other.

use std::collections::BTreeMap;

use super::document::Release;
use super::log::{Logged, Of};
use super::report::SignedBy;
use super::verify::place;
use crate::decision::Decision;
use crate::digest::Digest;
use crate::id::AccountName;
use crate::licence::{Licence, LicenceState};
use crate::lifecycle::Action;
use crate::manifest::Manifest;
use crate::permission::OrgRole;
use crate::problem::{
    Code, DECISION_MISMATCH, Finding, Findings, KEY_UNREGISTERED, LEAF_MISMATCH, LICENCE_MISMATCH, MEMBERSHIP_MISSING,
    REGISTRY_MISMATCH, STATEMENT_INVALID,
};
use crate::review::Checklist;
use crate::sign::provenance::{Build, PACKAGE, Provenance};
use crate::sign::registration::{KeyRegistration, SUBJECT};
use crate::sign::root::Chain;
use crate::sign::statement::{MANIFEST, Statement};
use crate::sign::{Envelope, KeySet, Role, Verified};

/// What the statements say, once all of them hold.
pub(super) struct Signed {
    pub(super) package: Digest,
    pub(super) licence: Licence,
    pub(super) disclosure: Option<String>,
    pub(super) by: Vec<SignedBy>,
}

/// Checks every statement and reports everything that is wrong with them.
pub(super) fn check(
    release: &Release,
    manifest: &Manifest,
    chain: &Chain,
    logged: &Logged<'_>,
) -> Result<Signed, Findings> {
    let mut checker = Checker { release, manifest, chain, logged, findings: Findings::new(), by: Vec::new() };
    let build = checker.build();
    let registrations = checker.registrations();
    let submission = checker.decision(Action::Submit, &release.submission, &registrations);
    let approval = checker.decision(Action::Approve, &release.approval, &registrations);
    let publication = checker.decision(Action::Publish, &release.publication, &registrations);
    let licence = checker.licence(submission.as_deref().map(Statement::predicate));
    if let (Some(submission), Some(approval), Some(publication)) = (&submission, &approval, &publication) {
        checker.order(submission, approval, publication);
        checker.second_person(build.as_ref().map(|(_, pusher)| pusher), submission, approval);
        checker.registrations_in_order(submission, publication, &registrations);
    }
    let Checker { findings, by, .. } = checker;
    match (build, approval, licence) {
        (Some((package, _)), Some(approval), Some(licence)) if !findings.refused() => {
            Ok(Signed { package, licence, disclosure: approval.predicate().disclosure.clone(), by })
        }
        _ => Err(findings),
    }
}

pub(super) struct Checker<'a> {
    pub(super) release: &'a Release,
    manifest: &'a Manifest,
    chain: &'a Chain,
    logged: &'a Logged<'a>,
    findings: Findings,
    by: Vec<SignedBy>,
}

impl Checker<'_> {
    pub(super) fn refuse(&mut self, code: Code, field: &str, found: impl Into<String>, expected: impl Into<String>) {
        let next = "do not use this folder; pull the version again, and report it if this stays";
        self.findings.push(Finding::new(code, place(field), found, expected, next));
    }

    /// Keeps the value, or the refusal with its place in `release.json`.
    fn take<T>(&mut self, field: &str, result: Result<T, Finding>) -> Option<T> {
        result
            .map_err(|mut finding| {
                finding.place = place(&match finding.place.field.take() {
                    Some(inner) => format!("{field}.{inner}"),
                    None => field.to_owned(),
                });
                self.findings.push(finding);
            })
            .ok()
    }

    /// The keys that count for `role` where the log has that document.
    fn keys(&self, role: Role, of: Of) -> KeySet {
        self.chain.keys_at(role, self.logged.index(of))
    }

    /// The log says that the same account acted.
    fn logged_actor(&mut self, of: Of, field: &str, actor: &AccountName) {
        if let Some(record) = self.logged.record(of)
            && record.actor != *actor
        {
            self.refuse(LEAF_MISMATCH, field, format!("{actor}, and in the log {}", record.actor), "the same account");
        }
    }

    fn about_manifest(&self) -> BTreeMap<&'static str, Digest> {
        BTreeMap::from([(MANIFEST, self.release.manifest_digest)])
    }

    /// The build statement must be exactly the one that this manifest, its archive and its pusher give.
    fn build(&mut self) -> Option<(Digest, AccountName)> {
        let field = "attestation";
        let keys = self.keys(Role::PlatformBuild, Of::Attestation);
        let verified = self.take(field, Statement::<Provenance>::verify(&self.release.attestation, &keys))?;
        let said = verified.predicate();
        let pusher = &said.build_definition.external_parameters.pusher;
        let Some(package) = verified.subject(PACKAGE) else {
            self.refuse(STATEMENT_INVALID, field, "no digest of the package", "a subject `package.tar.zst`");
            return None;
        };
        let time = said.run_details.metadata.finished_on;
        let expected = Build {
            registry: &self.release.registry,
            manifest: self.manifest,
            manifest_digest: self.release.manifest_digest,
            package,
            pusher,
            time,
        };
        let expected = expected.statement();
        let subjects = [MANIFEST, PACKAGE, crate::archive::WEIGHTS]
            .into_iter()
            .filter_map(|name| expected.subject(name).map(|digest| (name, digest)));
        self.take(field, verified.check_subjects(&subjects.collect()))?;
        if said.run_details.builder != expected.predicate().run_details.builder {
            let found = crate::sign::excerpt(&said.run_details.builder.id);
            let wanted = expected.predicate().run_details.builder.id.clone();
            self.refuse(REGISTRY_MISMATCH, "attestation.runDetails.builder.id", found, wanted);
            return None;
        }
        if *verified != expected {
            let wanted = "the base, dataset, training and evaluation of the manifest";
            self.refuse(STATEMENT_INVALID, field, "a build of something else than the manifest says", wanted);
            return None;
        }
        self.logged_actor(Of::Attestation, field, pusher);
        self.by.push(SignedBy {
            statement: field,
            role: keys.purpose().to_owned(),
            keys: verified.signers().to_vec(),
            account: None,
            time,
        });
        Some((package, pusher.clone()))
    }

    fn registrations(&mut self) -> Vec<KeyRegistration> {
        let mut good = Vec::new();
        for (n, envelope) in self.release.key_registrations.iter().enumerate() {
            let field = format!("key_registrations[{n}]");
            let keys = self.keys(Role::PlatformLog, Of::Registration(n));
            let verified = Statement::<KeyRegistration>::verify(envelope, &keys);
            let Some(verified) = self.take(&field, verified) else { continue };
            let said = verified.predicate();
            let subject = BTreeMap::from([(SUBJECT, said.key.id().digest())]);
            if self.take(&field, verified.check_subjects(&subject)).is_none() {
                continue;
            }
            if said.registry == self.release.registry {
                good.push(verified.into_inner().into_predicate());
            } else {
                let found = crate::sign::excerpt(&said.registry);
                self.refuse(REGISTRY_MISMATCH, &field, found, self.release.registry.clone());
            }
        }
        good
    }

    /// Verifies one decision under the keys that may make it, and that it is about this version.
    fn decision(
        &mut self,
        action: Action,
        envelope: &Envelope,
        registrations: &[KeyRegistration],
    ) -> Option<Verified<Statement<Decision>>> {
        let (field, of) = match action {
            Action::Submit => ("submission", Of::Submission),
            Action::Approve => ("approval", Of::Approval),
            _ => ("publication", Of::Publication),
        };
        let (role, verified) = if action == Action::Approve {
            let verified = self.by_person_of_the_root(envelope);
            self.take(field, verified)?
        } else {
            self.by_member(of, field, envelope, registrations)?
        };
        self.take(field, verified.check_subjects(&self.about_manifest()))?;
        let said = verified.predicate();
        if said.registry != self.release.registry {
            let found = crate::sign::excerpt(&said.registry);
            self.refuse(REGISTRY_MISMATCH, field, found, self.release.registry.clone());
        }
        // From here on everything that is wrong is reported, and the decision is still compared with the others.
        if said.action != action || said.patch != self.manifest.patch || said.version != self.manifest.version {
            let found = format!("`{}` of {} {}", said.action, said.patch, said.version);
            let wanted = format!("`{action}` of {} {}", self.manifest.patch, self.manifest.version);
            self.refuse(DECISION_MISMATCH, field, found, wanted);
        }
        if action == Action::Approve && said.checklist != Some(Checklist::COMPLETE) {
            self.refuse(DECISION_MISMATCH, "approval.checklist", "an incomplete checklist", "every item confirmed");
        }
        if action != Action::Approve {
            self.member_role(field, action, verified.predicate(), registrations);
        }
        self.logged_actor(of, field, &verified.predicate().actor);
        self.by.push(SignedBy {
            statement: field,
            role,
            keys: verified.signers().to_vec(),
            account: Some(verified.predicate().actor.clone()),
            time: verified.predicate().time,
        });
        Some(verified)
    }

    fn by_person_of_the_root(&self, envelope: &Envelope) -> Result<(String, Verified<Statement<Decision>>), Finding> {
        let verify = |role: Role| {
            let verified = Statement::<Decision>::verify(envelope, &self.keys(role, Of::Approval))?;
            Ok((role.name().to_owned(), verified))
        };
        verify(Role::Review).or_else(|refusal: Finding| verify(Role::Operate).map_err(|_: Finding| refusal))
    }

    fn by_member(
        &mut self,
        of: Of,
        field: &str,
        envelope: &Envelope,
        registrations: &[KeyRegistration],
    ) -> Option<(String, Verified<Statement<Decision>>)> {
        let at = self.logged.index(of);
        let keys = registrations.iter().map(|r| r.key.clone());
        let (revoked, good): (Vec<_>, Vec<_>) = keys.partition(|key| self.chain.is_revoked(key.id(), at));
        let others = Role::ALL.into_iter().flat_map(|role| {
            let keys = self.chain.keys_at(role, at).keys().to_vec();
            keys.into_iter().map(move |key| (role.name().to_owned(), key))
        });
        let keys = KeySet::new("member", good, 1).with_others(others).with_revoked(revoked);
        let verified = self.take(field, Statement::<Decision>::verify(envelope, &keys))?;
        let actor = &verified.predicate().actor;
        let bound = registrations.iter().any(|r| verified.signers() == [r.key.id()] && r.account == *actor);
        if !bound {
            let found = format!("a key that is not registered for {actor}");
            self.refuse(KEY_UNREGISTERED, field, found, "a registration of this key for the acting account");
            return None;
        }
        Some(("member".to_owned(), verified))
    }

    fn member_role(&mut self, field: &str, action: Action, said: &Decision, registrations: &[KeyRegistration]) {
        let least = if action == Action::Submit { OrgRole::Admin } else { OrgRole::Publisher };
        let org = &self.manifest.patch.org;
        let roles = registrations.iter().filter(|r| r.account == said.actor).filter_map(|r| r.memberships.get(org));
        if roles.max().is_none_or(|role| *role < least) {
            let found = format!("{} without that role", said.actor);
            self.refuse(MEMBERSHIP_MISSING, field, found, format!("at least {} of {org}", least.name()));
        }
    }

    fn licence(&mut self, submission: Option<&Decision>) -> Option<Licence> {
        let field = "licence";
        let keys = self.keys(Role::PlatformStatus, Of::Licence);
        let verified = self.take(field, Statement::<Licence>::verify(&self.release.licence, &keys))?;
        self.take(field, verified.check_subjects(&self.about_manifest()))?;
        let said = verified.predicate();
        let declared = submission.and_then(|s| s.declarations.as_ref());
        let offer = declared.map(|d| &d.offer);
        let price = match offer {
            Some(crate::decision::Offer::Paid { price_usd, .. }) => Some(price_usd),
            _ => None,
        };
        let checks = [
            ("registry", said.registry == self.release.registry),
            ("patch", said.patch == self.manifest.patch),
            ("version", said.version == self.manifest.version),
            ("base_licence", said.base_licence == self.manifest.base.licence),
            ("text", said.text == self.release.files.license),
            ("state", offer.is_none_or(|o| said.state == LicenceState::granted_by(o))),
            ("terms", offer.is_none_or(|o| said.terms == o.terms())),
            ("price_usd", offer.is_none() || said.price_usd.as_ref() == price),
        ];
        for (name, _) in checks.into_iter().filter(|(_, holds)| !holds) {
            let wanted = "what the submission offered and the release holds";
            self.refuse(LICENCE_MISMATCH, &format!("licence.{name}"), "something else", wanted);
        }
        if submission.is_some() && declared.is_none() {
            self.refuse(DECISION_MISMATCH, "submission.declarations", "no declarations", "declarations and an offer");
        }
        let cases = declared.map(|d| d.publish_validation_cases.then_some(self.manifest.evidence.validation_cases));
        if cases.is_some_and(|cases| cases != self.release.files.validation_cases) {
            let text = |d: Option<Digest>| d.map_or_else(|| "not published".to_owned(), |d| d.to_string());
            let (found, wanted) = (text(self.release.files.validation_cases), text(cases.flatten()));
            self.refuse(DECISION_MISMATCH, "files.validation-cases.json", found, wanted);
        }
        self.by.push(SignedBy {
            statement: field,
            role: keys.purpose().to_owned(),
            keys: verified.signers().to_vec(),
            account: None,
            time: said.from,
        });
        Some(verified.into_inner().into_predicate())
    }
}
