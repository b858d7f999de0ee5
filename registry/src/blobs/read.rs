//! Out of the store: as a stream, whole when small, or as a blocking reader for the package reader of `retoque-core`.

use std::io;
use std::ops::Range;

use bytes::{Buf as _, Bytes};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use object_store::{GetOptions, GetRange, ObjectStoreExt as _};

use super::Blobs;
use super::error::Error;
use super::layout::Place;

/// How much a blocking reader fetches at once.
const AHEAD: u64 = 4 << 20;

/// Bytes that are on their way out.
pub struct BlobStream {
    /// How many there will be.
    pub len: u64,
    /// The bytes.
    pub bytes: BoxStream<'static, Result<Bytes, Error>>,
}

/// One object of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Where it lies.
    pub place: Place,
    /// Its bytes.
    pub size: u64,
    /// When it was written.
    pub modified: Timestamp,
}

impl Blobs {
    /// Every object of ours, in no order. What has another name is left alone.
    pub fn list(&self) -> BoxStream<'static, Result<Stored, Error>> {
        let stored = |meta: object_store::ObjectMeta| {
            let modified = Timestamp::from_second(meta.last_modified.timestamp()).ok()?;
            Some(Stored { place: Place::of(&meta.location)?, size: meta.size, modified })
        };
        let listed = self.store.list(None).map_err(Error::from_store);
        listed.try_filter_map(move |meta| std::future::ready(Ok(stored(meta)))).boxed()
    }

    /// The bytes `range` of what is there, or all of it. A range outside of it is an error of the caller.
    pub async fn stream(&self, place: &Place, range: Option<Range<u64>>) -> Result<BlobStream, Error> {
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let result = self.store.get_opts(&place.path(), options).await.map_err(Error::from_store)?;
        let len = result.range.end - result.range.start;
        Ok(BlobStream { len, bytes: result.into_stream().map_err(Error::from_store).boxed() })
    }

    /// All of what is there, when it is at most `limit` bytes.
    pub async fn read(&self, place: &Place, limit: u64) -> Result<Bytes, Error> {
        let result = self.store.get(&place.path()).await.map_err(Error::from_store)?;
        if result.meta.size > limit {
            return Err(Error::Backend(format!("{} bytes where at most {limit} were expected", result.meta.size)));
        }
        result.bytes().await.map_err(Error::from_store)
    }

    /// The bytes `range` of what is there, when they are few.
    pub async fn read_range(&self, place: &Place, range: Range<u64>) -> Result<Bytes, Error> {
        self.store.get_range(&place.path(), range).await.map_err(Error::from_store)
    }

    /// A reader over the bytes `range` of what is there, for code that blocks. Call it on the runtime; read in
    /// `spawn_blocking` only.
    pub fn reader(&self, place: Place, range: Range<u64>) -> BlobReader {
        BlobReader {
            blobs: self.clone(),
            runtime: tokio::runtime::Handle::current(),
            place,
            rest: range,
            buffer: Bytes::new(),
        }
    }
}

/// Reads a blob in pieces of 4 MiB, so that memory stays the same whatever the size.
pub struct BlobReader {
    blobs: Blobs,
    runtime: tokio::runtime::Handle,
    place: Place,
    rest: Range<u64>,
    buffer: Bytes,
}

impl io::Read for BlobReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.buffer.is_empty() && !self.rest.is_empty() {
            let end = self.rest.end.min(self.rest.start + AHEAD);
            let fetch = self.blobs.read_range(&self.place, self.rest.start..end);
            self.buffer = self.runtime.block_on(fetch).map_err(io::Error::other)?;
            if self.buffer.len() as u64 != end - self.rest.start {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.rest.start = end;
        }
        let n = out.len().min(self.buffer.len());
        self.buffer.copy_to_slice(&mut out[..n]);
        Ok(n)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn ranges_and_readers_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let content: Vec<u8> = (0..9_000_001_u32).map(|n| (n % 253).to_le_bytes()[0]).collect();
        let place = Place::Blob(blobs.put(content.clone().into()).await.unwrap());
        for range in [0..content.len(), 4_194_303..8_388_609, 9_000_000..9_000_001, 5..5] {
            let wanted = &content[range.clone()];
            let range = range.start as u64..range.end as u64;
            let mut reader = blobs.reader(place, range.clone());
            let read = tokio::task::spawn_blocking(move || {
                let mut read = Vec::new();
                reader.read_to_end(&mut read).map(|_| read)
            });
            assert_eq!(read.await.unwrap().unwrap(), wanted);
            if !range.is_empty() {
                let stream = blobs.stream(&place, Some(range)).await.unwrap();
                assert_eq!(stream.len, wanted.len() as u64);
                let parts: Vec<Bytes> = stream.bytes.try_collect().await.unwrap();
                assert_eq!(parts.concat(), wanted);
            }
        }
        assert!(matches!(blobs.read(&place, 10).await, Err(Error::Backend(_))));
        let mut short = blobs.reader(place, 9_000_000..9_000_002);
        assert!(tokio::task::spawn_blocking(move || short.read(&mut [0; 4])).await.unwrap().is_err());
        let missing = Place::Blob(retoque_core::digest::Digest::of(b"missing"));
        assert!(matches!(blobs.stream(&missing, None).await, Err(Error::NotFound)));
    }
}
