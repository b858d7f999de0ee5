//! Whether a signed document is the one of its entry, and whether its signer could sign at that place of the log.

use std::collections::BTreeMap;

use retoque_core::decision::{Decision, RecordKind, VersionRecord};
use retoque_core::id::AccountName;
use retoque_core::licence::Licence;
use retoque_core::lifecycle::Action;
use retoque_core::problem::{DECISION_REPLACED, Finding, LOG_CONTRADICTION, Place};
use retoque_core::sign::provenance::Provenance;
use retoque_core::sign::registration::{KeyRegistration, SUBJECT};
use retoque_core::sign::statement::{MANIFEST, Statement};
use retoque_core::sign::{Envelope, KeyId, KeySet, PublicKey, Role};

use crate::head::Authority;

/// The keys of members, by account, each with the index of the entry that registered it.
pub(super) type MemberKeys = BTreeMap<AccountName, Vec<(PublicKey, u64)>>;

/// What came of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signed {
    /// It is of a key that could sign there.
    Good,
    /// The log names a key for the account, but no document that shows it.
    KeyNotShown,
}

/// Checks the document of the entry at `index`.
pub(super) fn check(
    (index, record): (u64, &VersionRecord),
    envelope: &Envelope,
    members: &MemberKeys,
    authority: &Authority<'_>,
) -> Result<Signed, Finding> {
    let place = at(index);
    let found = envelope.digest();
    if found != record.envelope {
        let next = "keep it: the log proves that another document was signed; ask the operator of the registry";
        let expected = format!("the document {} of `{}`", record.envelope, record.kind.name());
        return Err(Finding::new(DECISION_REPLACED, place, format!("a document {found}"), expected, next));
    }
    let placed = |finding: Finding| Finding { place: at(index), ..finding };
    signed(index, record, envelope, members, authority).map_err(placed)
}

fn signed(
    index: u64,
    record: &VersionRecord,
    envelope: &Envelope,
    members: &MemberKeys,
    authority: &Authority<'_>,
) -> Result<Signed, Finding> {
    let subject = BTreeMap::from([(MANIFEST, record.manifest)]);
    let keys = |role| authority.keys(role, index);
    let Some(action) = record.kind.action() else {
        if record.kind == RecordKind::Attested {
            let statement = Statement::<Provenance>::verify(envelope, &keys(Role::PlatformBuild))?;
            let pusher = &statement.predicate().build_definition.external_parameters.pusher;
            let fits = statement.subject(MANIFEST) == Some(record.manifest) && *pusher == record.actor;
            return if fits { Ok(Signed::Good) } else { Err(contradiction(record, "a build of something else")) };
        }
        let statement = Statement::<Licence>::verify(envelope, &keys(Role::PlatformStatus))?;
        statement.check_subjects(&subject)?;
        return Ok(Signed::Good);
    };
    let said = Statement::<Decision>::parse_unverified(envelope.payload_unverified())?;
    said.check_subjects(&subject)?;
    let said = said.predicate();
    if (said.action, &said.actor, &said.patch, &said.version) != (action, &record.actor, &record.patch, &record.version)
    {
        return Err(contradiction(
            record,
            &format!("`{}` of {} {} by {}", said.action, said.patch, said.version, said.actor),
        ));
    }
    let verify = |keys: &KeySet| Statement::<Decision>::verify(envelope, keys).map(|_| Signed::Good);
    match action {
        Action::Submit | Action::Publish => {
            let own = members.get(&record.actor).into_iter().flatten().filter(|(_, since)| *since < index);
            let own: Vec<PublicKey> = own.map(|(key, _)| key.clone()).collect();
            if own.is_empty() { Ok(Signed::KeyNotShown) } else { verify(&KeySet::new("member", own, 1)) }
        }
        Action::Return | Action::Approve | Action::Revoke => {
            verify(&keys(Role::Review)).or_else(|refusal| verify(&keys(Role::Operate)).map_err(|_| refusal))
        }
        Action::Deprecate | Action::Restore | Action::Withdraw | Action::TakeDown => verify(&keys(Role::Operate)),
    }
}

/// The account and key of a registration that the log has at `index`, when the log's key signed it there.
pub(super) fn registration(
    index: u64,
    (account, key): (&AccountName, KeyId),
    envelope: &Envelope,
    authority: &Authority<'_>,
) -> Result<PublicKey, Finding> {
    let checked = || {
        let statement = Statement::<KeyRegistration>::verify(envelope, &authority.keys(Role::PlatformLog, index))?;
        let said = statement.predicate();
        statement.check_subjects(&BTreeMap::from([(SUBJECT, said.key.id().digest())]))?;
        if (&said.account, said.key.id()) == (account, key) {
            return Ok(said.key.clone());
        }
        let next = "tell the operator of the registry; the log and the registration contradict one another";
        let found = format!("a registration of {} for {}", said.key.id(), said.account);
        Err(Finding::new(LOG_CONTRADICTION, Place::default(), found, format!("{key} for {account}"), next))
    };
    checked().map_err(|finding: Finding| Finding { place: at(index), ..finding })
}

fn contradiction(record: &VersionRecord, found: &str) -> Finding {
    let expected = format!("`{}` of {} {} by {}", record.kind.name(), record.patch, record.version, record.actor);
    let next = "keep the log and the document: together they show the contradiction";
    Finding::new(LOG_CONTRADICTION, Place::default(), found, expected, next)
}

/// The place of an entry: `log[index]`.
pub(super) fn at(index: u64) -> Place {
    Place::field(format!("log[{index}]"))
}
