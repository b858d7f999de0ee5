//! Package bytes: the whole archive, one file of it, and any byte range of either, all out of one stored object.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::stream::{self, BoxStream};
use retoque_core::archive::frame::decompress;
use retoque_core::archive::seek::{Frame, Index, SeekTable};
use retoque_core::archive::{EVALUATION, FILES, MANIFEST};
use retoque_core::digest::Digest;
use retoque_core::id::PatchName;
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::{State, check_served};
use retoque_core::permission::Act;
use retoque_core::problem::{FIELD_INVALID, NOT_ENTITLED, Place as FindingPlace};

use super::policy::allows;
use super::target::{Target, VersionRef};
use super::{Actor, Error, Service, target, versions};
use crate::blobs::{Blobs, Place};
use crate::store::Tx;

/// Immutable bytes that can be read from any place.
pub struct Content {
    /// Digest of all of them.
    pub sha256: Digest,
    /// How many.
    pub size: u64,
    /// Whether only the caller may keep them.
    pub private: bool,
    source: Source,
}

enum Source {
    /// The stored object.
    Object(Digest),
    /// A file within the stored object.
    File { object: Digest, index: Arc<Index>, path: &'static str },
    /// A small document.
    Bytes(Bytes),
}

/// Bytes on their way out.
pub type Body = BoxStream<'static, Result<Bytes, io::Error>>;

/// The archive of a version.
pub async fn package(service: &Service, actor: &Actor, name: &PatchName, at: &VersionRef) -> Result<Content, Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadPackage, name, at).await?;
    served(actor, &target)?;
    let (sha256, size) = (target.version.package_sha256, target.version.package_size);
    Ok(Content { sha256, size, private: target.is_private(), source: Source::Object(sha256) })
}

/// One file of the archive.
pub async fn file(
    service: &Service,
    actor: &Actor,
    name: &PatchName,
    at: &VersionRef,
    file: &str,
) -> Result<Content, Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadPackage, name, at).await?;
    let path = FILES.into_iter().find(|path| *path == file).ok_or_else(unknown_file)?;
    served(actor, &target)?;
    content(&service.layouts, &mut tx, &target, path).await
}

/// The public evidence, which stays readable when the version is withdrawn; a take-down erases it with all other bytes.
pub async fn evidence(service: &Service, actor: &Actor, name: &PatchName, at: &VersionRef) -> Result<Content, Error> {
    let mut tx = service.store.read().await?;
    let target = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    if target.version.state == State::TakenDown {
        check_served(target.version.state)?;
    }
    content(&service.layouts, &mut tx, &target, EVALUATION).await
}

/// Refuses bytes that are served to nobody any more, and those of a paid version to whoever is not of its org, a reviewer
/// or an operator: entitlements are not recorded yet, and without one nobody else has bought it.
fn served(actor: &Actor, target: &Target) -> Result<(), Error> {
    check_served(target.version.state)?;
    let paid = target.version.licence_state == LicenceState::GrantedPaid;
    if !paid || allows(actor, Act::ReadRecord, target.subject()) {
        return Ok(());
    }
    Err(Error::refuse(
        NOT_ENTITLED,
        FindingPlace::default(),
        "a paid version without an entitlement of yours",
        "an entitlement of your org",
        "buy an entitlement; until the registry records them, ask its operator",
    ))
}

/// Where the bytes of a file lie.
async fn content(layouts: &Layouts, tx: &mut Tx, target: &Target, path: &'static str) -> Result<Content, Error> {
    let (version, private) = (&target.version, target.is_private());
    let bytes = tx.manifest(version.id).await?;
    if path == MANIFEST {
        let size = bytes.len() as u64;
        return Ok(Content { sha256: version.manifest_digest, size, private, source: Source::Bytes(bytes.into()) });
    }
    if let Some(layout) = layouts.get(&version.package_sha256) {
        return layout.content(path, private);
    }
    let manifest = versions::manifest(tx, version).await?;
    let table = SeekTable::parse(&tx.seek_table(version.id).await?).map_err(|_| Error::internal("a seek table"))?;
    let index = Index::new(table, manifest.archive_files(bytes.len() as u64));
    let index = index.map_err(|_| Error::internal("a seek table that is not that of the manifest"))?;
    let files = manifest.files.iter().map(|entry| (entry.path.clone(), entry.sha256, entry.size)).collect();
    let layout = Arc::new(Layout { object: version.package_sha256, index: Arc::new(index), files });
    layouts.keep(layout.clone());
    layout.content(path, private)
}

/// Where the files of one stored object lie.
struct Layout {
    object: Digest,
    index: Arc<Index>,
    /// Path, digest and size.
    files: Vec<(String, Digest, u64)>,
}

impl Layout {
    fn content(&self, path: &'static str, private: bool) -> Result<Content, Error> {
        let entry = self.files.iter().find(|(name, ..)| name == path);
        let (_, sha256, size) = entry.ok_or_else(|| Error::internal("a manifest without one of its files"))?;
        let source = Source::File { object: self.object, index: self.index.clone(), path };
        Ok(Content { sha256: *sha256, size: *size, private, source })
    }
}

/// The layouts that were asked for last, by digest of the object, which never changes. A pull asks for each piece by
/// itself. Whether the object may be read is decided before, each time.
#[derive(Default)]
pub(super) struct Layouts(Mutex<VecDeque<Arc<Layout>>>);

impl Layouts {
    const MOST: usize = 64;

    fn get(&self, object: &Digest) -> Option<Arc<Layout>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|layout| layout.object == *object).cloned()
    }

    fn keep(&self, layout: Arc<Layout>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.iter().all(|other| other.object != layout.object) {
            kept.push_back(layout);
            if kept.len() > Self::MOST {
                kept.pop_front();
            }
        }
    }
}

/// The bytes of `range`, as a stream that holds a few pieces at most.
pub async fn read(service: &Service, content: &Content, range: Range<u64>) -> Result<Body, Error> {
    match &content.source {
        Source::Object(digest) => {
            let stream = service.blobs.stream(&Place::Blob(*digest), Some(range)).await?;
            Ok(Box::pin(stream.bytes.map_err(io::Error::other)))
        }
        Source::Bytes(bytes) => {
            let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
            let part = bytes.slice(at(range.start)..at(range.end));
            Ok(Box::pin(stream::once(async move { Ok(part) })))
        }
        Source::File { object, index, path } => Ok(cut(service, object, index, path, range)),
    }
}

/// A range of a file on its way out: one frame is fetched and decoded when the reader asks for it. No thread waits for a
/// reader, and one frame is all that is held for it.
struct Pieces {
    blobs: Blobs,
    object: Digest,
    frames: std::vec::IntoIter<Frame>,
    /// Where the next frame begins in the stored object.
    at: u64,
    /// Bytes to leave out at the beginning of what is still to come.
    skip: u64,
    /// Bytes to hand on after that.
    take: u64,
}

impl Pieces {
    /// The wanted part of the next frame; `None` after the last.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        if self.take == 0 {
            return Ok(None);
        }
        let Some(frame) = self.frames.next() else {
            return Err(io::Error::other("a stored object that ends before the range does"));
        };
        let end = self.at + u64::from(frame.compressed);
        let stored = self.blobs.read_range(&Place::Blob(self.object), self.at..end).await.map_err(io::Error::other)?;
        self.at = end;
        let decoded = tokio::task::spawn_blocking(move || decompress(&stored, u64::from(frame.content)));
        let content = Bytes::from(decoded.await.map_err(io::Error::other)??);
        let from = self.skip.min(content.len() as u64);
        let until = (from + self.take).min(content.len() as u64);
        self.skip -= from;
        self.take -= until - from;
        let at = |n: u64| usize::try_from(n).map_err(io::Error::other);
        Ok(Some((content.slice(at(from)?..at(until)?), self)))
    }
}

/// Reads only the frames that the range touches.
fn cut(service: &Service, object: &Digest, index: &Index, path: &str, range: Range<u64>) -> Body {
    let Some(cut) = index.cut(path, range) else { return Box::pin(stream::empty()) };
    let pieces = Pieces {
        blobs: service.blobs.clone(),
        object: *object,
        frames: cut.frames.into_iter(),
        at: cut.stored.start,
        skip: cut.skip,
        take: cut.take,
    };
    Box::pin(stream::try_unfold(pieces, Pieces::next))
}

fn unknown_file() -> Error {
    Error::refuse(
        FIELD_INVALID,
        FindingPlace::field("file"),
        "another name",
        FILES.join(", "),
        "ask for a file of the package; other documents of a version have routes of their own",
    )
}
