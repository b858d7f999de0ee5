//! The signed documents behind the entries of public versions, as the registry shows them to everybody.

use std::collections::BTreeMap;

use retoque_core::api::DecisionView;
use retoque_core::decision::{Record, VersionRecord};
use retoque_core::digest::Digest;
use retoque_core::problem::{DOCUMENT_WITHHELD, Finding, LOG_CONTRADICTION, RESPONSE_INVALID};
use retoque_core::release::{self, Release};
use retoque_core::sign::Envelope;

use super::signatures::at;
use super::trail::Trail;
use crate::client::Client;
use crate::error::Failure;

/// Entries of one version with their documents.
pub(super) type Documents = Vec<(u64, VersionRecord, Option<Envelope>)>;

/// The documents of a version: exactly the records that the log has, in their order. Later ones are passed over. What is
/// missing or another is a finding; a failure is one of the way.
pub(super) async fn of(
    trail: &Trail,
    manifest: Digest,
    client: &Client,
) -> Result<Result<Documents, Finding>, Failure> {
    let url = client.version_url(&trail.patch, &manifest.to_string(), &["decisions"]);
    let views: Vec<DecisionView> = match client.get(url).await {
        Err(failure) if is_absent(&failure) => Vec::new(),
        other => other?,
    };
    Ok(compare(trail, views))
}

fn compare(trail: &Trail, views: Vec<DecisionView>) -> Result<Documents, Finding> {
    let mut views: BTreeMap<u64, DecisionView> = views.into_iter().map(|view| (view.log_index, view)).collect();
    let mut documents = Documents::new();
    for (index, digest) in &trail.records {
        let view = views.remove(index).ok_or_else(|| withheld(trail, *index))?;
        if Digest::of(view.record.as_bytes()) != *digest {
            return Err(contradiction(*index, format!("another record for {} {}", trail.patch, trail.version)));
        }
        let Record::Version(record) = Record::parse(view.record.as_bytes())? else {
            return Err(contradiction(*index, "a record of something else".to_owned()));
        };
        let placed = |finding: Finding| Finding { place: at(*index), ..finding };
        let envelope = view.envelope.map(|text| Envelope::parse(text.as_bytes())).transpose().map_err(placed)?;
        documents.push((*index, record, envelope));
    }
    Ok(documents)
}

/// Withdrawn, taken down, not for everybody, or simply not shown.
fn is_absent(failure: &Failure) -> bool {
    [4, 5, 6].contains(&failure.exit_status()) || failure.is(RESPONSE_INVALID)
}

/// The key registrations in a release, where one is served.
pub(super) async fn registrations(trail: &Trail, manifest: Digest, client: &Client) -> Result<Vec<Envelope>, Failure> {
    let url = client.version_url(&trail.patch, &manifest.to_string(), &["release"]);
    match client.bytes(url, release::MAX_BYTES).await {
        Ok(bytes) => Ok(Release::parse(&bytes)?.key_registrations),
        Err(failure) if is_absent(&failure) => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}

pub(super) fn withheld(trail: &Trail, index: u64) -> Finding {
    let found = format!("no document for an entry of {} {}", trail.patch, trail.version);
    let next = "ask the operator of the registry for it; what the log names was signed";
    Finding::new(DOCUMENT_WITHHELD, at(index), found, "the signed document whose digest the entry holds", next)
}

fn contradiction(index: u64, found: String) -> Finding {
    let next = "keep both: the log proves what was recorded";
    Finding::new(LOG_CONTRADICTION, at(index), found, "the record that stands in the log", next)
}
