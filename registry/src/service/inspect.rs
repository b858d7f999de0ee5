//! Looks at everything that is stored: each object has the bytes of its digest, each signed document verifies at its place
//! in the log, and each leaf is the record of its decision. Changes nothing. Clause: specification, section 10 (`fsck`).

use futures_util::TryStreamExt as _;
use retoque_core::decision::{Commitment, Record, RecordKind};
use retoque_core::digest::{Digest, Hasher};
use retoque_core::problem::{Code, Finding, Findings, OBJECT_DAMAGED, OBJECT_MISSING, Place as At, RECORD_DAMAGED};
use retoque_core::sign::dsse::IN_TOTO;
use retoque_core::sign::{Chain, Envelope, KeySet, PublicKey, Role};

use super::{Error, Service, chain, signers};
use crate::blobs::{self, Place};
use crate::store::objects::Logged;
use crate::store::{Page, Tx};

/// What was looked at, and what is wrong.
#[derive(Debug, Default)]
pub struct Report {
    /// Versions whose objects were read.
    pub versions: u64,
    /// Objects that were read.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Decisions and registrations that were verified.
    pub documents: u64,
    /// What is wrong.
    pub findings: Findings,
}

/// Looks at all of it.
pub async fn run(service: &Service) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut page = Page::first(Page::MOST);
    loop {
        let listing = service.store.read().await?.holders(&page).await?;
        for holder in listing.items {
            let mut tx = service.store.read().await?;
            let files = tx.record_files(holder.id).await?;
            drop(tx);
            let (package, size) = holder.package;
            let mut objects = vec![("package", package, Some(size)), ("validation cases", holder.cases, None)];
            objects.extend(files.iter().map(|file| (file.name.as_str(), file.sha256, Some(file.size))));
            for (what, digest, size) in objects {
                object(service, &mut report, &format!("{what} of {}", holder.name), digest, size).await?;
            }
            report.versions += 1;
        }
        match listing.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    let mut page = Page::first(Page::MOST);
    loop {
        let listing = service.store.read().await?.suites(&page).await?;
        for suite in listing.items {
            object(service, &mut report, &format!("suite {:?}", suite.name), suite.sha256, None).await?;
        }
        match listing.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    let mut tx = service.store.read().await?;
    let chain = chain::load(&mut tx).await?;
    documents(&mut tx, &chain, &mut report).await?;
    registrations(&mut tx, &chain, &mut report).await?;
    Ok(report)
}

/// Reads an object and compares it with its digest.
async fn object(
    service: &Service,
    report: &mut Report,
    what: &str,
    digest: Digest,
    size: Option<u64>,
) -> Result<(), Error> {
    let mut stream = match service.blobs.stream(&Place::Blob(digest), None).await {
        Ok(stream) => stream.bytes,
        Err(blobs::Error::NotFound) => {
            let next = "restore the object from a backup";
            let found = "no such object";
            report.findings.push(Finding::new(OBJECT_MISSING, At::file(what), found, digest.to_string(), next));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let mut hasher = Hasher::new();
    while let Some(chunk) = stream.try_next().await? {
        hasher.update(&chunk);
    }
    let length = hasher.len();
    (report.objects, report.bytes) = (report.objects + 1, report.bytes + length);
    let found = hasher.finish();
    if found != digest || size.is_some_and(|size| size != length) {
        let next = "restore the object from a backup";
        let found = format!("{length} bytes, {found}");
        report.findings.push(Finding::new(OBJECT_DAMAGED, At::file(what), found, digest.to_string(), next));
    }
    Ok(())
}

async fn documents(tx: &mut Tx, chain: &Chain, report: &mut Report) -> Result<(), Error> {
    let mut next = 0;
    loop {
        let rows = tx.history_from(next).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        next = last.index + 1;
        for row in rows {
            let leaf = tx.leaf(row.index).await?;
            report.documents += 1;
            if let Err(what) = document(tx, chain, &row, leaf.as_deref()).await? {
                report.findings.push(damaged(row.index, &what));
            }
        }
    }
}

/// Whether record, leaf and envelope belong together and the envelope verifies; else what is wrong.
async fn document(tx: &mut Tx, chain: &Chain, row: &Logged, leaf: Option<&[u8]>) -> Result<Result<(), String>, Error> {
    let Ok(Record::Version(record)) = Record::parse(&row.record) else {
        return Ok(Err("a record that cannot be read".to_owned()));
    };
    let name = format!("`{}` of {}@{}", record.kind.name(), record.patch, record.version);
    if Digest::of(&row.record) != row.record_sha256 || Digest::of(&row.envelope) != record.envelope {
        return Ok(Err(format!("{name}: a record of another document")));
    }
    let salt = row.salt.as_deref().map(<[u8; 32]>::try_from);
    let logged = match (salt, leaf) {
        (None, Some(leaf)) => leaf == row.record,
        (Some(Ok(salt)), Some(leaf)) => Commitment::parse(leaf).is_ok_and(|said| said.opens(&salt, &row.record)),
        _ => false,
    };
    if !logged {
        return Ok(Err(format!("{name}: a leaf that is not its record")));
    }
    let Ok(envelope) = Envelope::parse(&row.envelope) else {
        return Ok(Err(format!("{name}: an envelope that cannot be read")));
    };
    let roles = match record.kind.action() {
        Some(action) => signers::roles_for(action),
        None if record.kind == RecordKind::Attested => &[Role::PlatformBuild],
        None => &[Role::PlatformStatus],
    };
    let verified = if roles.is_empty() {
        let mut keys = Vec::new();
        for id in envelope.keyids().into_iter().filter(|id| !chain.is_revoked(*id, row.index)) {
            keys.extend(tx.key(&id.to_string()).await?.and_then(|key| PublicKey::from_hex(&key.public).ok()));
        }
        envelope.verify(IN_TOTO, &KeySet::new("a registered key", keys, 1)).is_ok()
    } else {
        roles.iter().any(|role| envelope.verify(IN_TOTO, &chain.keys_at(*role, row.index)).is_ok())
    };
    Ok(if verified { Ok(()) } else { Err(format!("{name}: signatures that do not count")) })
}

async fn registrations(tx: &mut Tx, chain: &Chain, report: &mut Report) -> Result<(), Error> {
    for row in tx.registrations_from(0).await? {
        report.documents += 1;
        let keys = chain.keys_at(Role::PlatformLog, row.index);
        let verified = Envelope::parse(&row.envelope).is_ok_and(|envelope| envelope.verify(IN_TOTO, &keys).is_ok());
        if !verified {
            report.findings.push(damaged(row.index, &format!("the registration of key {}", row.about)));
        }
    }
    Ok(())
}

fn damaged(index: u64, what: &str) -> Finding {
    let code: Code = RECORD_DAMAGED;
    let next = "compare the database with a backup; do not serve it as it is";
    Finding::new(code, At::field(format!("leaf {index}")), what, "what was recorded", next)
}
