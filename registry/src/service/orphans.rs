//! What the next root would make worthless: documents that stand in the log and would no longer verify.
//!
//! A key that goes in good order is revoked from an index behind everything that it signed, and nothing is lost. When a
//! key was stolen, what it signed after the theft must be lost; then the operator confirms how many documents that are.
//! Everything else would be an accident that turns good versions into failed verifications on every client.

use retoque_core::decision::{Record, RecordKind};
use retoque_core::problem::{Finding, Findings, Place, ROOT_ORPHANS};
use retoque_core::sign::{Chain, Envelope, KeyId, Role};

use super::{Error, signers};
use crate::store::Tx;

/// How many are named.
const NAMED: usize = 20;

/// Refuses unless exactly `confirmed` documents become worthless when `new` follows on `old`. The log is locked.
pub(super) async fn refuse_unless(tx: &mut Tx, old: &Chain, new: &Chain, confirmed: u64) -> Result<(), Error> {
    let orphans = find(tx, old, new).await?;
    let count = orphans.len() as u64;
    if count == confirmed {
        return Ok(());
    }
    let next = if count == 0 {
        "leave the confirmation out".to_owned()
    } else {
        format!(
            "revoke from a later index on; only when a key was stolen, confirm the loss with --orphans {count} \
            (`?orphans={count}`)"
        )
    };
    let place = || Place::field("x-revoked");
    let found = format!("{count} signed document(s) of the log that would count no more");
    let expected = format!("{confirmed}, as confirmed");
    let mut findings = Findings::from(Finding::new(ROOT_ORPHANS, place(), found, expected, next));
    for orphan in orphans.into_iter().take(NAMED) {
        let next = "look at what it is, and whether that key may really have lost it";
        findings.push(Finding::new(ROOT_ORPHANS, place(), orphan, "a document that stays good", next));
    }
    Err(findings.into())
}

/// Each of them in a few words.
async fn find(tx: &mut Tx, old: &Chain, new: &Chain) -> Result<Vec<String>, Error> {
    let Some(from) = first_affected(old, new) else { return Ok(Vec::new()) };
    let mut orphans = Vec::new();
    let mut next = from;
    loop {
        let rows = tx.decisions_from(next).await?;
        let Some(last) = rows.last() else { break };
        next = last.index + 1;
        for row in rows {
            let Ok(Record::Version(record)) = Record::parse(&row.about) else {
                return Err(Error::internal(format!("an unreadable record at leaf {}", row.index)));
            };
            let signers = signers_of(&row.envelope)?;
            let good = |chain: &Chain| is_good(chain, record.kind, row.index, &signers);
            if good(old) && !good(new) {
                let (kind, patch, version) = (record.kind.name(), &record.patch, &record.version);
                orphans.push(format!("`{kind}` of {patch} {version} (leaf {})", row.index));
            }
        }
    }
    for row in tx.registrations_from(from).await? {
        let signers = signers_of(&row.envelope)?;
        let good = |chain: &Chain| chain.accepts(Role::PlatformLog, row.index, &signers);
        if good(old) && !good(new) {
            orphans.push(format!("the registration of key {} (leaf {})", row.about, row.index));
        }
    }
    for note in tx.notes_from(from).await? {
        let signer: KeyId = note.keyid.parse().map_err(|_| Error::internal("an unreadable key id"))?;
        let good = |chain: &Chain| chain.accepts(Role::PlatformLog, note.size, &[signer]);
        if good(old) && !good(new) {
            orphans.push(format!("the checkpoint of {} leaves", note.size));
        }
    }
    Ok(orphans)
}

/// The first index at which the new root can change anything.
fn first_affected(old: &Chain, new: &Chain) -> Option<u64> {
    let before = |id| old.newest().revoked_from(id);
    let revoked = new.newest().revoked().iter().filter(|r| before(r.keyid) != Some(r.from_index)).map(|r| r.from_index);
    let raised = |role: &Role| new.newest().threshold(*role) > old.newest().threshold(*role);
    let raised =
        Role::ALL.into_iter().filter(|role| !matches!(role, Role::Root | Role::Witness)).any(|role| raised(&role));
    revoked.chain(raised.then_some(0)).min()
}

fn is_good(chain: &Chain, kind: RecordKind, index: u64, signers: &[KeyId]) -> bool {
    let roles = match kind.action() {
        Some(action) => signers::roles_for(action),
        None if kind == RecordKind::Attested => &[Role::PlatformBuild],
        None => &[Role::PlatformStatus],
    };
    if roles.is_empty() {
        return !signers.iter().any(|id| chain.is_revoked(*id, index));
    }
    roles.iter().any(|role| chain.accepts(*role, index, signers))
}

/// Each signature of a stored document stands under the id of its key.
fn signers_of(envelope: &[u8]) -> Result<Vec<KeyId>, Error> {
    Ok(Envelope::parse(envelope).map_err(|_| Error::internal("an unreadable stored envelope"))?.keyids())
}
