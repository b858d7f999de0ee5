//! Regression suites: set by the operator, pinned by digest, with the drop that evidence on them may show.

use bytes::Bytes;
use retoque_core::api::{Page, SuiteView};
use retoque_core::digest::Digest;
use retoque_core::evaluation::{ALLOWANCE_POINTS, check_suite};
use retoque_core::permission::Act;
use retoque_core::problem::{ALREADY_EXISTS, FIELD_INVALID, Finding, Findings, Place, quote};
use retoque_core::text;

use super::page::{Window, page};
use super::policy::{self, Subject};
use super::{Actor, Error, Service};
use crate::blobs::Place as BlobPlace;
use crate::store::suites::Suite;

/// The largest suite, in bytes: that of a dataset.
pub const MAX_BYTES: usize = 20_000_000;

/// What the operator says of a suite.
#[derive(Debug)]
pub struct NewSuite {
    name: String,
    allowance_points: u64,
}

impl NewSuite {
    /// Reads `?name=` and `?allowance_points=`.
    pub fn parse(name: String, allowance_points: Option<&str>) -> Result<Self, Findings> {
        let mut findings = Findings::new();
        text::line(&mut findings, "name", &name, text::LABEL);
        let points = allowance_points.map_or(Some(ALLOWANCE_POINTS), |text| text.parse().ok().filter(|n| *n <= 100));
        if points.is_none() {
            let (found, expected) = (quote(allowance_points.unwrap_or_default()), "percentage points, 0 to 100");
            let place = Place::field("allowance_points");
            findings.push(Finding::new(FIELD_INVALID, place, found, expected, "leave it out for 5 points"));
        }
        let allowance_points = points.unwrap_or(ALLOWANCE_POINTS);
        findings.into_result(Self { name, allowance_points }).map(|(new, _)| new)
    }
}

/// Sets a suite. The second part says whether it is new: setting the same again succeeds quietly, and brings one that was
/// retired back into force.
pub async fn create(service: &Service, actor: &Actor, new: NewSuite, bytes: Bytes) -> Result<(SuiteView, bool), Error> {
    policy::authorize(actor, Act::SetSuite, Subject::PLATFORM)?;
    let file = bytes.clone();
    let checked = tokio::task::spawn_blocking(move || check_suite(file.as_ref())).await.map_err(Error::internal)?;
    let suite = checked.map_err(Error::internal)??;
    let row = &Suite {
        sha256: suite.sha256,
        name: new.name,
        cases: suite.rows.len() as u64,
        allowance_points: new.allowance_points,
        created_at: service.chance.now(),
        created_by: actor.account_id()?,
        retired_at: None,
    };
    // The bytes first: a row never names what is not there, and bytes without a row are harmless.
    service.blobs.put(bytes).await?;
    service
        .store
        .write(|mut tx| async move {
            if let Some(there) = tx.suite(&row.sha256).await? {
                let same = (&there.name, there.allowance_points) == (&row.name, row.allowance_points);
                if !same {
                    return Err(conflict(&there));
                }
                if there.retired_at.is_some() {
                    tx.set_suite_retired(&there.sha256, None).await?;
                }
                return Ok(tx.done((view(Suite { retired_at: None, ..there }), false)));
            }
            tx.insert_suite(row).await?;
            Ok(tx.done((view(row.clone()), true)))
        })
        .await
}

/// Retires a suite: no new version may be judged on it. What was judged on it stays, and its cases stay readable.
pub async fn retire(service: &Service, actor: &Actor, sha256: &Digest) -> Result<SuiteView, Error> {
    policy::authorize(actor, Act::SetSuite, Subject::PLATFORM)?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            let there = tx.suite(sha256).await?.ok_or_else(|| Error::not_found("such suite"))?;
            // The first time stays.
            let retired_at = there.retired_at.or(Some(now));
            tx.set_suite_retired(sha256, retired_at).await?;
            Ok(tx.done(view(Suite { retired_at, ..there })))
        })
        .await
}

/// All suites, by name.
pub async fn list(service: &Service, actor: &Actor, window: &Window) -> Result<Page<SuiteView>, Error> {
    policy::authorize(actor, Act::ReadSuite, Subject::PLATFORM)?;
    page(service.store.read().await?.suites(&window.rows()).await?, |suite| Ok(view(suite)))
}

/// The cases of a suite, as they were handed in.
pub async fn cases(service: &Service, actor: &Actor, sha256: &Digest) -> Result<Bytes, Error> {
    policy::authorize(actor, Act::ReadSuite, Subject::PLATFORM)?;
    let suite = service.store.read().await?.suite(sha256).await?;
    let suite = suite.ok_or_else(|| Error::not_found("such suite"))?;
    Ok(service.blobs.read(&BlobPlace::Blob(suite.sha256), MAX_BYTES as u64).await?)
}

fn view(row: Suite) -> SuiteView {
    SuiteView {
        sha256: row.sha256,
        name: row.name,
        cases: row.cases,
        allowance_points: row.allowance_points,
        created: row.created_at,
        retired: row.retired_at,
    }
}

/// Evidence names a suite by its digest, so what was said of it stays.
fn conflict(there: &Suite) -> Error {
    Error::refuse(
        ALREADY_EXISTS,
        Place::field("name"),
        "the cases of a suite that is there, under another name or allowance",
        format!("{:?} with {} points", there.name, there.allowance_points),
        "use the suite that is there, or change its cases",
    )
}
