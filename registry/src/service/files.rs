//! Package bytes: the whole archive, one file of it, and any byte range of either, all out of one stored object.

use std::ops::Range;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::stream::BoxStream;
use retoque_core::archive::seek::{Index, SeekTable};
use retoque_core::archive::{EVALUATION, FILES, MANIFEST};
use retoque_core::digest::Digest;
use retoque_core::id::PatchName;
use retoque_core::lifecycle::{State, check_served};
use retoque_core::permission::Act;
use retoque_core::problem::{FIELD_INVALID, Place as FindingPlace, excerpt};

use super::target::{Target, VersionRef};
use super::{Actor, Error, Service, target, versions};
use crate::blobs::Place;
use crate::store::Tx;
use crate::store::versions::VersionRow;

/// Immutable bytes that can be read from any place.
pub struct Content {
    /// Digest of all of them.
    pub sha256: Digest,
    /// How many.
    pub size: u64,
    source: Source,
}

enum Source {
    /// The stored object.
    Object(Digest),
    /// A file within the stored object.
    File { object: Digest, index: Index, path: &'static str },
    /// A small document.
    Bytes(Bytes),
}

/// Bytes on their way out.
pub type Body = BoxStream<'static, Result<Bytes, std::io::Error>>;

/// The archive of a version.
pub async fn package(service: &Service, actor: &Actor, name: &PatchName, at: &VersionRef) -> Result<Content, Error> {
    let mut tx = service.store.read().await?;
    let Target { version, .. } = target::version(&mut tx, actor, Act::ReadPackage, name, at).await?;
    check_served(version.state)?;
    let (sha256, size) = (version.package_sha256, version.package_size);
    Ok(Content { sha256, size, source: Source::Object(sha256) })
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
    let Target { version, .. } = target::version(&mut tx, actor, Act::ReadPackage, name, at).await?;
    let path = FILES.into_iter().find(|path| *path == file).ok_or_else(|| unknown_file(file))?;
    check_served(version.state)?;
    content(&mut tx, &version, path).await
}

/// The public evidence, which stays readable when the version is withdrawn; a take-down erases it with all other bytes.
pub async fn evidence(service: &Service, actor: &Actor, name: &PatchName, at: &VersionRef) -> Result<Content, Error> {
    let mut tx = service.store.read().await?;
    let Target { version, .. } = target::version(&mut tx, actor, Act::ReadVersion, name, at).await?;
    if version.state == State::TakenDown {
        check_served(version.state)?;
    }
    content(&mut tx, &version, EVALUATION).await
}

/// Where the bytes of a file lie.
async fn content(tx: &mut Tx, version: &VersionRow, path: &'static str) -> Result<Content, Error> {
    let bytes = tx.manifest(version.id).await?;
    if path == MANIFEST {
        let size = bytes.len() as u64;
        return Ok(Content { sha256: version.manifest_digest, size, source: Source::Bytes(bytes.into()) });
    }
    let manifest = versions::manifest(tx, version).await?;
    let table = SeekTable::parse(&tx.seek_table(version.id).await?).map_err(|_| Error::internal("a seek table"))?;
    let index = Index::new(table, manifest.archive_files(bytes.len() as u64));
    let index = index.map_err(|_| Error::internal("a seek table that is not that of the manifest"))?;
    let entry = manifest.files.iter().find(|entry| entry.path == path);
    let entry = entry.ok_or_else(|| Error::internal("a manifest without one of its files"))?;
    let source = Source::File { object: version.package_sha256, index, path };
    Ok(Content { sha256: entry.sha256, size: entry.size, source })
}

/// The bytes of `range`, as a stream that holds a few pieces at most.
pub async fn read(service: &Service, content: &Content, range: Range<u64>) -> Result<Body, Error> {
    match &content.source {
        Source::Object(digest) => {
            let stream = service.blobs.stream(&Place::Blob(*digest), Some(range)).await?;
            Ok(Box::pin(stream.bytes.map_err(std::io::Error::other)))
        }
        Source::Bytes(bytes) => {
            let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
            let part = bytes.slice(at(range.start)..at(range.end));
            Ok(Box::pin(futures_util::stream::once(async move { Ok(part) })))
        }
        Source::File { object, index, path } => cut(service, object, index, path, range),
    }
}

/// Decodes only the frames that the range touches, on a thread that may block, and hands them on as they come.
fn cut(service: &Service, object: &Digest, index: &Index, path: &str, range: Range<u64>) -> Result<Body, Error> {
    let Some(cut) = index.cut(path, range) else {
        return Ok(Box::pin(futures_util::stream::empty()));
    };
    let mut stored = service.blobs.reader(Place::Blob(*object), cut.stored.clone());
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        let mut out = Sender { sender };
        if let Err(error) = cut.extract(&mut stored, &mut out) {
            // The reader of the stream may be gone; then nobody needs to know.
            drop(out.sender.blocking_send(Err(error)));
        }
    });
    let body =
        futures_util::stream::unfold(receiver, async |mut receiver| receiver.recv().await.map(|item| (item, receiver)));
    Ok(Box::pin(body))
}

/// Hands what is written to the stream of the answer; a reader that went away ends the work.
struct Sender {
    sender: tokio::sync::mpsc::Sender<Result<Bytes, std::io::Error>>,
}

impl std::io::Write for Sender {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        let chunk = Bytes::copy_from_slice(&buf[..buf.len().min(256 << 10)]);
        let length = chunk.len();
        self.sender.blocking_send(Ok(chunk)).map_err(|_| std::io::ErrorKind::BrokenPipe)?;
        Ok(length)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn unknown_file(file: &str) -> Error {
    Error::refuse(
        FIELD_INVALID,
        FindingPlace::field("file"),
        excerpt(file),
        FILES.join(", "),
        "ask for a file of the package; other documents of a version have routes of their own",
    )
}
