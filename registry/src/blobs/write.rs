//! Into the store: to staging while hashing and counting, then to the digest's place.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use object_store::{ObjectStoreExt as _, WriteMultipart};
use retoque_core::digest::{Digest, Hasher};

use super::Blobs;
use super::error::{Error, StageError};
use super::layout::Place;

/// One part of a write. The smallest that every S3-compatible service takes is 5 MiB.
const PART: usize = 8 << 20;
/// Parts that may be under way while the next one fills.
const PARTS_UNDER_WAY: usize = 2;
/// How long a body may stay silent. Whoever holds a connection open must send something.
const SILENCE: Duration = Duration::from_secs(30);

/// Bytes in staging, with the size and digest that were taken while they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// Where they are.
    pub place: Place,
    /// How many.
    pub size: u64,
    /// Their digest.
    pub sha256: Digest,
}

impl Blobs {
    /// Streams a body to `place`, at most `limit` bytes of it. A body that is too long, or breaks off, leaves nothing.
    pub async fn stage<E: fmt::Display>(
        &self,
        place: Place,
        limit: u64,
        body: impl Stream<Item = Result<Bytes, E>> + Unpin,
    ) -> Result<Staged, StageError> {
        self.stage_within(place, limit, SILENCE, body).await
    }

    async fn stage_within<E: fmt::Display>(
        &self,
        place: Place,
        limit: u64,
        silence: Duration,
        mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
    ) -> Result<Staged, StageError> {
        let upload = self.store.put_multipart(&place.path()).await.map_err(Error::from_store)?;
        let mut write = Unfinished(Some(WriteMultipart::new_with_chunk_size(upload, PART)));
        let mut hasher = Hasher::new();
        loop {
            let chunk = match tokio::time::timeout(silence, body.next()).await {
                Err(_) => return write.abort(StageError::Body("nothing came any more".to_owned())).await,
                Ok(None) => break,
                Ok(Some(chunk)) => chunk,
            };
            let chunk = match chunk {
                Ok(chunk) if hasher.len() + chunk.len() as u64 <= limit => chunk,
                Ok(_) => return write.abort(StageError::TooLarge(limit)).await,
                Err(error) => return write.abort(StageError::Body(error.to_string())).await,
            };
            hasher.update(&chunk);
            let Some(parts) = write.0.as_mut() else { break };
            if let Err(error) = parts.wait_for_capacity(PARTS_UNDER_WAY).await {
                return write.abort(Error::from_store(error).into()).await;
            }
            parts.put(chunk);
        }
        if let Some(parts) = write.0.take() {
            parts.finish().await.map_err(Error::from_store)?;
        }
        Ok(Staged { place, size: hasher.len(), sha256: hasher.finish() })
    }

    /// Copies staged bytes to their digest's place and leaves them in staging, so that a step that fails later can be
    /// tried again with the same upload.
    pub async fn keep(&self, staged: &Staged) -> Result<(), Error> {
        if self.size(&staged.sha256).await? == Some(staged.size) {
            return Ok(());
        }
        let (from, to) = (staged.place.path(), Place::Blob(staged.sha256).path());
        self.store.copy(&from, &to).await.map_err(Error::from_store)
    }

    /// Keeps small bytes under their digest.
    pub async fn put(&self, bytes: Bytes) -> Result<Digest, Error> {
        let digest = Digest::of(&bytes);
        if self.size(&digest).await? != Some(bytes.len() as u64) {
            self.store.put(&Place::Blob(digest).path(), bytes.into()).await.map_err(Error::from_store)?;
        }
        Ok(digest)
    }
}

/// A write that is aborted when it is dropped unfinished: a request that is given up leaves no parts behind.
struct Unfinished(Option<WriteMultipart>);

impl Unfinished {
    async fn abort<T>(mut self, reason: StageError) -> Result<T, StageError> {
        if let Some(write) = self.0.take()
            && let Err(error) = write.abort().await
        {
            tracing::warn!(%error, "an unfinished upload could not be removed");
        }
        Err(reason)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(write) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                if let Err(error) = write.abort().await {
                    tracing::warn!(%error, "an unfinished upload could not be removed");
                }
            });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::sync::Arc;

    use futures_util::stream;

    use super::*;
    use crate::clock::Chance;

    fn files(root: &std::path::Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(root).unwrap().display().to_string());
                }
            }
        }
        found
    }

    fn body(parts: usize, part: usize) -> impl Stream<Item = Result<Bytes, &'static str>> + Unpin {
        stream::iter((0..parts).map(move |n| Ok(Bytes::from(vec![u8::try_from(n % 251).unwrap(); part]))))
    }

    async fn read(blobs: &Blobs, digest: &Digest) -> Vec<u8> {
        blobs.read(&Place::Blob(*digest), 1 << 30).await.unwrap().to_vec()
    }

    #[tokio::test]
    async fn staged_bytes_move_to_their_digest() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let chance = Chance::system();
        // More than one part, and not a whole number of them.
        let staged = blobs.stage(Place::staging(&chance).unwrap(), 30 << 20, body(20, 1_000_003)).await.unwrap();
        assert_eq!(staged.size, 20_000_060);
        assert_eq!(files(folder.path()), [staged.place.to_string()]);
        blobs.keep(&staged).await.unwrap();
        blobs.delete(&staged.place).await.unwrap();
        assert_eq!(files(folder.path()), [Place::Blob(staged.sha256).to_string()]);
        assert_eq!(Digest::of(&read(&blobs, &staged.sha256).await), staged.sha256);
        // The same bytes again change nothing and leave nothing.
        let again = blobs.stage(Place::staging(&chance).unwrap(), 30 << 20, body(20, 1_000_003)).await.unwrap();
        blobs.keep(&again).await.unwrap();
        blobs.delete(&again.place).await.unwrap();
        assert_eq!(files(folder.path()).len(), 1);
        let small = blobs.put(Bytes::from_static(b"abc")).await.unwrap();
        assert_eq!(read(&blobs, &small).await, b"abc");
        blobs.delete(&Place::Blob(small)).await.unwrap();
        blobs.delete(&Place::Blob(small)).await.unwrap();
        assert_eq!(blobs.size(&small).await.unwrap(), None);
    }

    #[tokio::test]
    async fn refused_and_broken_bodies_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let chance = Chance::system();
        let place = || Place::staging(&chance).unwrap();
        let limit = 10 << 20;
        let too_large = blobs.stage(place(), limit, body(11, 1 << 20)).await;
        assert!(matches!(too_large, Err(StageError::TooLarge(l)) if l == limit));
        let broken = body(9, 1 << 20).chain(stream::iter([Err("reset")]));
        assert!(matches!(blobs.stage(place(), limit, broken).await, Err(StageError::Body(_))));
        assert_eq!(files(folder.path()), [""; 0]);
        let silent = body(1, 100).chain(stream::pending());
        let silence = Duration::from_millis(50);
        assert!(matches!(blobs.stage_within(place(), limit, silence, silent).await, Err(StageError::Body(_))));
        assert_eq!(files(folder.path()), [""; 0]);
        let exact = blobs.stage(place(), limit, body(10, 1 << 20)).await.unwrap();
        assert_eq!(exact.size, limit);
        let empty = blobs.stage(place(), 0, body(0, 1)).await.unwrap();
        assert_eq!((empty.size, empty.sha256), (0, Digest::of(b"")));
    }

    #[tokio::test]
    async fn a_body_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let (sender, mut started) = tokio::sync::mpsc::channel(1);
        let endless = Box::pin(stream::unfold(sender, |sender| async move {
            let _ = sender.try_send(());
            tokio::task::yield_now().await;
            Some((Ok::<_, &str>(Bytes::from(vec![7; 65_536])), sender))
        }));
        let place = Place::staging(&Chance::system()).unwrap();
        let writer = Arc::new(blobs);
        let task = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.stage(place, u64::MAX, endless).await.map(drop) }
        });
        started.recv().await.unwrap();
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        // The removal runs as a task of its own; wait for it by what it does.
        while !files(folder.path()).is_empty() {
            tokio::task::yield_now().await;
        }
    }
}
