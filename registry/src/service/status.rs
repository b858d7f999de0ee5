//! The signed status of all versions, the head of the log beside it, and the signed listing of one patch.
//!
//! A status is of exactly the newest head: both are read in one transaction. It is signed when the head has moved or an
//! hour has passed, and stored before it is served, so that replicas answer the same. Its time never goes back, whatever
//! the clocks of the replicas say.

use jiff::{Timestamp, ToSpan as _};
use retoque_core::api::LogHead;
use retoque_core::decision::{Commitment, Decision};
use retoque_core::digest::Digest;
use retoque_core::id::PatchName;
use retoque_core::permission::Act;
use retoque_core::sign::Envelope;
use retoque_core::sign::statement::Statement;
use retoque_core::status::{AsOf, Listed, Listing, Lists, PrivateState, Status, VersionState};

use super::policy::{Subject, authorize};
use super::{Actor, Error, Service, target, transparency};
use crate::clock::time;
use crate::log::publish::Published;
use crate::store::Tx;
use crate::store::patches::Patch;
use crate::store::statuses::{Opening, PublicState, PublishedVersion};

/// How long the same status is served.
const RENEW_SECONDS: i64 = 60 * 60;
/// How often a head that moves on is followed before the caller has to ask again.
const TRIES: u32 = 20;

/// A status with the head that it is about.
struct Current {
    head: Published,
    status: Status,
    envelope: Envelope,
}

/// The newest checkpoint and the status of the same size.
pub async fn head(service: &Service, actor: &Actor) -> Result<LogHead, Error> {
    authorize(actor, Act::ReadRegistry, Subject::PLATFORM)?;
    let (current, _) = current(service, None).await?;
    Ok(LogHead { checkpoint: current.head.note.to_string(), status: current.envelope })
}

/// The listing of a patch, of the same moment as the newest status; and whether only the caller may keep it.
pub async fn listing(service: &Service, actor: &Actor, name: &PatchName) -> Result<(Vec<u8>, bool), Error> {
    let (current, read) = current(service, Some((actor, name))).await?;
    let (patch, versions) = read.ok_or_else(|| Error::internal("a listing without its patch"))?;
    let versions = versions.into_iter().map(listed).collect::<Result<_, _>>()?;
    let listing = Listing::new(current.status.as_of(), patch.name.clone(), versions)?;
    let private = patch.visibility == retoque_core::api::Visibility::Private || !patch.released;
    Ok((listing.sign(service.signers.status.as_ref())?.to_bytes(), private))
}

/// Signs the status of the newest head when there is none, and forgets those that have expired.
pub async fn refresh(service: &Service) -> Result<(), Error> {
    current(service, None).await?;
    let now = service.chance.now();
    service
        .store
        .write(|mut tx| async move {
            tx.forget_statuses(now).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
}

/// A patch and what of it was ever published.
type OfPatch = (Patch, Vec<PublishedVersion>);

/// The newest head with its status, and of the patch, when one is asked for, what was ever published: all of one moment.
async fn current(service: &Service, patch: Option<(&Actor, &PatchName)>) -> Result<(Current, Option<OfPatch>), Error> {
    for _ in 0..TRIES {
        let head = transparency::newest(service).await?;
        let (origin, size) = (head.checkpoint.origin(), head.checkpoint.size());
        let now = service.chance.now();
        let mut tx = service.store.read().await?;
        let value = match patch {
            None => None,
            Some((actor, name)) => {
                let patch = target::patch(&mut tx, actor, Act::ReadPatch, name).await?;
                let versions = tx.published_versions(patch.id).await?;
                Some((patch, versions))
            }
        };
        if tx.newest_head().await?.is_none_or(|newest| newest.size != size) {
            continue;
        }
        let stored = tx.status(origin, size, now - RENEW_SECONDS.seconds()).await?;
        let lists = if stored.is_some() { None } else { Some(lists(&mut tx).await?) };
        drop(tx);
        let bytes = match (stored, lists) {
            (Some(bytes), _) => bytes,
            (None, lists) => sign(service, &head, lists.unwrap_or_default(), now).await?,
        };
        let unreadable = |_| Error::internal("an unreadable stored status");
        let envelope = Envelope::parse(&bytes).map_err(unreadable)?;
        let status = Statement::<Status>::parse_unverified(envelope.payload_unverified()).map_err(unreadable)?;
        return Ok((Current { head, status: status.into_predicate(), envelope }, value));
    }
    Err(Error::Unavailable("the head of the log moves faster than its status is signed".to_owned()))
}

/// Signs a status and stores it; answers the one that is stored then.
async fn sign(service: &Service, head: &Published, lists: Lists, now: Timestamp) -> Result<Vec<u8>, Error> {
    let (origin, size) = (head.checkpoint.origin(), head.checkpoint.size());
    let last = service.store.read().await?.last_status_at(origin).await?;
    let issued = last.map_or(now, |last| last.max(now));
    let expires = issued + i64::from(service.settings.status_hours).hours();
    let as_of = AsOf {
        registry: service.settings.origin.clone(),
        origin: origin.to_owned(),
        size,
        root: head.checkpoint.root(),
        issued: time(issued)?,
        expires: time(expires)?,
    };
    let envelope = &Status::new(as_of, lists)?.sign(service.signers.status.as_ref())?.to_bytes();
    service
        .store
        .write(|mut tx| async move {
            tx.insert_status(origin, size, (issued, expires), envelope).await?;
            let kept = tx.status(origin, size, issued).await?;
            Ok::<_, Error>(tx.done(kept.ok_or_else(|| Error::internal("a status that was just stored"))?))
        })
        .await
}

/// What a status of this moment says.
async fn lists(tx: &mut Tx) -> Result<Lists, Error> {
    let versions = tx.public_states().await?.into_iter().map(|row| decided(&row)).collect::<Result<_, _>>()?;
    let private = tx.private_states().await?.into_iter().map(|(state, opening)| {
        let commitment = commitment(&opening)?.ok_or_else(|| Error::internal("a private version without its salt"))?;
        Ok::<_, Error>(PrivateState { commitment, state })
    });
    Ok(Lists { versions, private: private.collect::<Result<_, _>>()? }.fit())
}

/// Reason and replacement as they were signed. The signature was verified when the decision came.
fn decided(row: &PublicState) -> Result<VersionState, Error> {
    let unreadable = |_| Error::internal("an unreadable stored decision");
    let envelope = Envelope::parse(&row.envelope).map_err(unreadable)?;
    let statement = Statement::<Decision>::parse_unverified(envelope.payload_unverified()).map_err(unreadable)?;
    let decision = statement.into_predicate();
    let reason = decision.reason.ok_or_else(|| Error::internal("a decision without its reason"))?;
    Ok(VersionState {
        manifest: row.manifest,
        state: row.state,
        code: reason.code,
        text: reason.text,
        replacement: decision.replacement,
        since: time(row.since)?,
    })
}

fn listed(row: PublishedVersion) -> Result<Listed, Error> {
    Ok(Listed {
        version: row.version,
        manifest: row.manifest,
        state: row.state,
        evidence: row.evidence.name().to_owned(),
        licence: row.licence,
        commitment: commitment(&row.publication)?,
    })
}

/// The commitment in the leaf of a private version.
fn commitment(opening: &Opening) -> Result<Option<Digest>, Error> {
    let Some(salt) = &opening.salt else { return Ok(None) };
    let salt = salt.as_slice().try_into().map_err(|_| Error::internal("a stored salt of another length"))?;
    Ok(Some(Commitment::to(salt, &opening.record).digest()))
}
