//! Attacks on a pulled folder, each made as an attacker would make it.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::sample::{Folder, Plan, REGISTRY, key, root};
use super::*;
use crate::digest::Digest;
use crate::permission::OrgRole;
use crate::problem::{self, Code, Findings, Kind};
use crate::review::Checklist;
use crate::sign::root::{Chain, Revoked, RootBuilder};
use crate::sign::{Envelope, Role, Signer as _};

fn chain() -> Chain {
    Chain::pinned(root())
}

fn trust(chain: &Chain) -> Trust<'_> {
    Trust { registry: Some(REGISTRY), ..Trust::new(chain, "2026-12-02T00:00:00Z".parse().unwrap()) }
}

fn check(folder: &Folder) -> Result<VerifiedRelease, Findings> {
    verify(folder, &trust(&chain()), Asked::default(), &mut |_| {})
}

#[track_caller]
fn refused(folder: &Folder, code: Code, file: &str) {
    let findings = open(folder, &trust(&chain()), Asked::default()).map(|v| v.report).unwrap_err();
    let hit = findings.list().iter().find(|f| f.code == code && f.place.file.as_deref() == Some(file));
    assert!(hit.is_some(), "{code} at {file} not among {findings:#?}");
}

#[test]
fn a_good_folder_is_proven_and_says_what_is_not() {
    let mut read = 0;
    let folder = Plan::new().build();
    let good = verify(&folder, &trust(&chain()), Asked::default(), &mut |n| read += n).unwrap();
    assert_eq!(read, good.manifest.files.iter().map(|f| f.size).sum::<u64>());
    let text = good.report.lines().join("\n");
    for part in ["IMPROVED_ON_SCOPE", "approval by rev: review", "no split-view protection", "root version 1"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(good.report.signed.len(), 5);
    let mut operator = Plan::new();
    operator.keys[2] = 14;
    assert!(check(&operator.build()).is_ok(), "an operator may approve");
    let mut hidden = Plan::new();
    hidden.submit.declarations.as_mut().unwrap().publish_validation_cases = false;
    let mut hidden = hidden.build().with(|r| r.files.validation_cases = None);
    refused(&hidden, problem::FILE_UNEXPECTED, VALIDATION_CASES);
    hidden.files.remove(VALIDATION_CASES);
    assert!(check(&hidden).is_ok());
}

#[test]
fn names_are_exactly_those_of_the_release() {
    let folder = Plan::new().build();
    for name in NAMES {
        let mut less = folder.clone();
        less.files.remove(name);
        let findings = check(&less).unwrap_err();
        let named = findings.list().iter().filter(|f| f.code == problem::FILE_MISSING);
        assert_eq!(named.map(|f| f.place.file.as_deref().unwrap()).collect::<Vec<_>>(), [name]);
        let mut renamed = folder.clone();
        let bytes = renamed.files.remove(name).unwrap();
        renamed.files.insert(name.to_uppercase() + "x", bytes);
        let findings = check(&renamed).unwrap_err();
        assert!(findings.has(problem::FILE_MISSING) && findings.has(problem::FILE_UNEXPECTED), "{name}");
    }
    for extra in [".git", "model.py", "adapter_model.bin", "readme.md"] {
        let mut more = folder.clone();
        more.files.insert(extra.into(), Vec::new());
        refused(&more, problem::FILE_UNEXPECTED, extra);
    }
}

#[test]
fn a_changed_byte_names_its_file_and_piece() {
    let folder = Plan::new().build();
    for at in [0, (4 << 20) - 1, 4 << 20, 8_999_999] {
        let mut bad = folder.clone();
        bad.files.get_mut("adapter_model.safetensors").unwrap()[at] ^= 1;
        let findings = check(&bad).unwrap_err();
        let piece = findings.list().iter().find(|f| f.code == problem::PIECE_MISMATCH).unwrap();
        assert_eq!(piece.place.piece, Some(at as u64 / (4 << 20)));
        assert_eq!(findings.errors(), 2, "that piece and the whole: {findings:?}");
        assert_eq!(findings.first_error().unwrap().code.kind(), Kind::Verification);
    }
    for (name, cut) in [("adapter_model.safetensors", true), ("README.md", true), ("evaluation.json", false)] {
        let mut bad = folder.clone();
        let bytes = bad.files.get_mut(name).unwrap();
        bytes.truncate(bytes.len() - usize::from(cut));
        bytes.extend((!cut).then_some(0));
        let findings = check(&bad).unwrap_err();
        assert!(findings.has(problem::SIZE_MISMATCH) && findings.list()[0].place.file.as_deref() == Some(name));
    }
}

#[test]
fn no_byte_of_the_small_files_is_free() {
    let mut folder = Plan::new().build();
    folder.files.get_mut("adapter_model.safetensors").unwrap().clear();
    let chain = chain();
    for name in ["manifest.json", ATTESTATION, LICENSE, RELEASE, VALIDATION_CASES] {
        let length = folder.files[name].len();
        // Every byte of the smaller ones, some of the larger; the end-to-end tests take more.
        for at in (0..length).step_by(if length > 2000 { 29 } else { 1 }) {
            let mut bad = folder.clone();
            bad.files.get_mut(name).unwrap()[at] ^= 1 << (at % 8);
            let findings = open(&bad, &trust(&chain), Asked::default()).map(|v| v.report).unwrap_err();
            let first = findings.first_error().unwrap();
            assert_eq!((first.code.kind(), first.place.file.as_deref()), (Kind::Verification, Some(name)), "{at}");
        }
    }
}

#[test]
fn another_name_than_asked_for() {
    let folder = Plan::new().build();
    let chain = chain();
    let ask = |asked: Asked<'_>| open(&folder, &trust(&chain), asked).unwrap_err().first_error().unwrap().code;
    let (patch, version) = ("acme/tiny-desk".parse().unwrap(), "1.2.0".parse().unwrap());
    let right = Asked { patch: Some(&patch), version: Some(&version), manifest: Some(folder.release.manifest_digest) };
    assert!(open(&folder, &trust(&chain), right).is_ok());
    let (patch, version) = ("acme/tiny-desk-pro".parse().unwrap(), "1.2.1".parse().unwrap());
    assert_eq!(ask(Asked { patch: Some(&patch), ..right }), problem::NAME_MISMATCH);
    assert_eq!(ask(Asked { version: Some(&version), ..right }), problem::NAME_MISMATCH);
    assert_eq!(ask(Asked { manifest: Some(Digest::of(b"")), ..right }), problem::NAME_MISMATCH);
    let other = Trust { registry: Some("https://other.example"), ..trust(&chain) };
    assert!(open(&folder, &other, right).unwrap_err().has(problem::REGISTRY_MISMATCH));
    // The label on the outside says something else than the manifest and the statements.
    refused(&folder.clone().with(|r| r.version = "9.9.9".parse().unwrap()), problem::NAME_MISMATCH, RELEASE);
    refused(&folder.with(|r| r.registry = "https://other.example".into()), problem::REGISTRY_MISMATCH, RELEASE);
}

#[test]
fn each_statement_needs_its_role() {
    let folder = Plan::new().build();
    let statements: [fn(&mut Release) -> &mut Envelope; 6] = [
        |r| &mut r.attestation,
        |r| &mut r.submission,
        |r| &mut r.approval,
        |r| &mut r.publication,
        |r| &mut r.licence,
        |r| &mut r.key_registrations[0],
    ];
    for (n, statement) in statements.into_iter().enumerate() {
        let signed = |seed: u8| folder.clone().with(|r| *statement(r) = Folder::resign(statement(r), seed));
        refused(&signed(99), problem::SIGNER_UNKNOWN, RELEASE);
        for other in [1, 10, 11, 12].into_iter().filter(|seed| *seed != [10, 0, 0, 0, 12, 11][n]) {
            refused(&signed(other), problem::WRONG_ROLE, RELEASE);
        }
        let unsigned = folder.clone().with(|r| {
            let envelope = statement(r);
            let payload = envelope.payload_unverified().to_vec();
            *envelope = Envelope::sign(envelope.payload_type(), payload, &[]).unwrap();
        });
        refused(&unsigned, problem::UNSIGNED, RELEASE);
        let twice = folder.clone().with(|r| statement(r).add_signature(&key(99)).unwrap());
        refused(&twice, problem::SIGNATURE_INVALID, RELEASE);
    }
}

#[test]
fn statements_of_another_version_do_not_fit() {
    let mut other = Plan::new();
    other.contents[0].1 = b"# Another\n".to_vec();
    let other = other.build().release;
    let folder = Plan::new().build();
    let swaps: [fn(&mut Release, &Release); 5] = [
        |r, o| r.attestation = o.attestation.clone(),
        |r, o| r.submission = o.submission.clone(),
        |r, o| r.approval = o.approval.clone(),
        |r, o| r.publication = o.publication.clone(),
        |r, o| r.licence = o.licence.clone(),
    ];
    for swap in swaps {
        refused(&folder.clone().with(|r| swap(r, &other)), problem::SUBJECT_MISMATCH, RELEASE);
    }
    refused(&folder.clone().with(|r| r.publication = r.approval.clone()), problem::WRONG_ROLE, RELEASE);
    refused(&folder.with(|r| r.submission = r.publication.clone()), problem::DECISION_MISMATCH, RELEASE);
}

#[test]
fn decisions_must_be_complete_and_follow_each_other() {
    let spoil = |change: fn(&mut Plan), code: Code| {
        let mut plan = Plan::new();
        change(&mut plan);
        refused(&plan.build(), code, RELEASE);
    };
    spoil(|p| p.chained = false, problem::DECISION_MISMATCH);
    spoil(|p| p.approve.checklist = None, problem::DECISION_MISMATCH);
    spoil(
        |p| p.approve.checklist = Some(Checklist { rights_verified: false, ..Checklist::COMPLETE }),
        problem::DECISION_MISMATCH,
    );
    spoil(|p| p.approve.action = crate::lifecycle::Action::Return, problem::DECISION_MISMATCH);
    spoil(|p| p.publish.version = "1.2.1".parse().unwrap(), problem::DECISION_MISMATCH);
    spoil(|p| p.submit.registry = "https://other.example".into(), problem::REGISTRY_MISMATCH);
    spoil(|p| p.builder = "https://other.example", problem::REGISTRY_MISMATCH);
    spoil(|p| p.approve.actor = "ana".parse().unwrap(), problem::SELF_REVIEW);
    spoil(|p| p.approve.actor = "worker".parse().unwrap(), problem::SELF_REVIEW);
    spoil(|p| p.memberships[0] = OrgRole::Publisher, problem::MEMBERSHIP_MISSING);
    spoil(|p| p.memberships[1] = OrgRole::Member, problem::MEMBERSHIP_MISSING);
    spoil(|p| p.submit.actor = "eve".parse().unwrap(), problem::KEY_UNREGISTERED);
    spoil(|p| p.submit.declarations.as_mut().unwrap().publish_validation_cases = false, problem::DECISION_MISMATCH);
}

#[test]
fn registrations_are_those_that_are_needed() {
    let folder = Plan::new().build();
    let none = folder.clone().with(|r| r.key_registrations.clear());
    refused(&none, problem::SIGNER_UNKNOWN, RELEASE);
    let repeated = folder.clone().with(|r| r.key_registrations.push(r.key_registrations[0].clone()));
    refused(&repeated, problem::KEY_UNREGISTERED, RELEASE);
    refused(&folder.with(|r| r.key_registrations.reverse()), problem::KEY_UNREGISTERED, RELEASE);
}

#[test]
fn the_licence_is_the_one_that_was_offered() {
    let folder = Plan::new().build();
    let statement = crate::sign::statement::Statement::<crate::licence::Licence>::parse_unverified(
        folder.release.licence.payload_unverified(),
    );
    let good = statement.unwrap().into_predicate();
    let changes: [fn(&mut crate::licence::Licence); 5] = [
        |l| l.terms = "MIT".into(),
        |l| l.state = crate::licence::LicenceState::GrantedPaid,
        |l| l.text = Digest::of(b""),
        |l| l.base_licence = "mit".into(),
        |l| l.price_usd = Some("1".into()),
    ];
    for change in changes {
        let mut plan = Plan::new();
        let mut licence = good.clone();
        change(&mut licence);
        plan.licence = Some(licence);
        refused(&plan.build(), problem::LICENCE_MISMATCH, RELEASE);
    }
}

#[test]
fn roots_expire_rotate_and_revoke() {
    let folder = Plan::new().build();
    let (root, chain) = (root(), chain());
    let late = Trust { now: "2028-01-01T00:00:00Z".parse().unwrap(), ..trust(&chain) };
    let findings = open(&folder, &late, Asked::default()).unwrap_err();
    assert_eq!((findings.errors(), findings.first_error().unwrap().code), (1, problem::ROOT_EXPIRED));
    assert_eq!(problem::ROOT_EXPIRED.kind(), Kind::Stale);
    let allowed = open(&folder, &Trust { allow_expired: true, ..late }, Asked::default()).unwrap();
    assert!(allowed.report.root_expired && allowed.report.lines().iter().any(|l| l.contains("EXPIRED")));

    let expires = "2029-01-01T00:00:00Z".parse().unwrap();
    let next = |keys: &[u8], role: Role, new: u8| {
        let keys: Vec<_> = keys.iter().map(|n| key(*n)).collect();
        let signers: Vec<_> = keys.iter().map(|k| k as &dyn crate::sign::Signer).collect();
        RootBuilder::after(&root, expires).role(role, [key(new).public().clone()], 1).sign(&signers).unwrap()
    };
    let rotated = next(&[1, 2], Role::Root, 2);
    let good = folder.clone().with(|r| r.root_chain.push(rotated.clone()));
    assert_eq!(check(&good).unwrap().chain.newest().version(), 2);
    let extra = next(&[1, 2, 3], Role::Root, 2);
    refused(&folder.clone().with(|r| r.root_chain.push(extra)), problem::SIGNATURE_INVALID, RELEASE);
    refused(&folder.clone().with(|r| r.root_chain.push(next(&[2], Role::Root, 2))), problem::SIGNER_UNKNOWN, RELEASE);
    let gone = Revoked { keyid: key(10).public().id(), from_index: 0 };
    let taken_over = RootBuilder::after(&root, expires).role(Role::PlatformBuild, [key(66).public().clone()], 1);
    let taken_over = taken_over.revoke(gone).sign(&[&key(1)]).unwrap();
    let moved = folder.clone().with(|r| r.root_chain.push(taken_over));
    refused(&moved, problem::KEY_REVOKED, RELEASE);

    let revoked = Revoked { keyid: key(21).public().id(), from_index: 0 };
    let revoking = RootBuilder::after(&root, expires).revoke(revoked).sign(&[&key(1)]).unwrap();
    refused(&folder.with(|r| r.root_chain.push(revoking)), problem::KEY_REVOKED, RELEASE);
}

#[test]
fn a_folder_cannot_bring_its_own_root() {
    let own = RootBuilder::after(&root(), "2029-01-01T00:00:00Z".parse().unwrap());
    let own = RootBuilder::first("2029-01-01T00:00:00Z".parse().unwrap())
        .role(Role::Root, [key(50).public().clone()], 1)
        .role(Role::PlatformBuild, [key(51).public().clone()], 1)
        .role(Role::PlatformLog, [key(52).public().clone()], 1)
        .role(Role::PlatformStatus, [key(53).public().clone()], 1)
        .sign(&[&key(50)])
        .and_then(|first| own.sign(&[&key(50)]).map(|_| first))
        .unwrap();
    let folder = Plan::new().build();
    refused(&folder.clone().with(|r| r.root_chain = vec![own]), problem::ROOT_UNPINNED, RELEASE);
    refused(&folder.with(|r| r.root_chain.clear()), problem::ROOT_VERSION, RELEASE);
}

#[test]
fn release_documents_have_one_form() {
    let folder = Plan::new().build();
    let good = String::from_utf8(folder.files[RELEASE].clone()).unwrap();
    let bad = [
        (format!("{good}\n"), problem::RELEASE_NOT_CANONICAL),
        (good.replacen(':', ": ", 1), problem::RELEASE_NOT_CANONICAL),
        (good.replacen('{', "{\"zzz\":1,", 1), problem::RELEASE_INVALID),
        (good.replace("release/1", "release/2"), problem::RELEASE_INVALID),
        (good.replace("\"index\":", "\"more\":1,\"index\":"), problem::RELEASE_INVALID),
        (good.replacen("\"keyid\":", "\"keyid\":\"\",\"keyid\":", 1), problem::RELEASE_INVALID),
        (" ".repeat(MAX_BYTES) + &good, problem::SIZE_MISMATCH),
    ];
    for (text, code) in bad {
        let mut folder = folder.clone();
        folder.files.insert(RELEASE.into(), text.into_bytes());
        refused(&folder, code, RELEASE);
    }
}
