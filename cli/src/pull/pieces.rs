//! A large file, piece by piece: several requests at a time, each piece hashed before it is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::Url;
use retoque_core::archive::PIECE;
use retoque_core::digest::{Digest, Hasher};
use retoque_core::manifest::FileEntry;
use retoque_core::problem::{Finding, INTERNAL, PIECE_MISMATCH, Place};

use crate::client::{Client, Sources};
use crate::error::Failure;
use crate::files;
use crate::output::Progress;
use crate::snapshot::each;

/// How many pieces are on their way at once; each takes 4 MiB of memory.
const AT_ONCE: usize = 4;
/// How often a source is asked for a piece when the bytes that come are not the signed ones.
const TRIES: u32 = 2;

/// The file that grows.
pub(super) struct Target<'a> {
    pub(super) path: PathBuf,
    pub(super) entry: &'a FileEntry,
    pub(super) digests: &'a [Digest],
    /// The address of the file at one source.
    pub(super) url: &'a (dyn Fn(&Client) -> Url + Sync),
}

impl Target<'_> {
    /// Fetches the pieces that are not there yet. Returns how many bytes were fetched.
    pub(super) async fn fetch(&self, sources: &Sources, bar: &Progress) -> Result<u64, Failure> {
        let unwritable = |e: &io::Error| files::unwritable(&self.path, e);
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path);
        let file = file.map_err(|e| unwritable(&e))?;
        let had = file.metadata().map_err(|e| unwritable(&e))?.len();
        // Reserved at once, so that a full disk is noticed at the beginning where the file system can tell.
        file.set_len(self.entry.size).map_err(|e| unwritable(&e))?;
        let missing = tokio::task::block_in_place(|| self.missing(had));
        let wanted: u64 = missing.iter().map(|n| self.length(*n)).sum();
        bar.add(self.entry.size - wanted);
        let file = Arc::new(Mutex::new(file));
        stream::iter(missing)
            .map(|number| {
                let file = Arc::clone(&file);
                async move {
                    let what = format!("piece {number} of {}", self.entry.path);
                    let bytes = sources.first(&what, |client| async move { self.piece(&client, number).await }).await?;
                    bar.add(bytes.len() as u64);
                    let written = apart(move || write_at(&file, number as u64 * PIECE, &bytes)).await?;
                    written.map_err(|e| unwritable(&e))
                }
            })
            .buffer_unordered(AT_ONCE)
            .try_collect::<Vec<()>>()
            .await?;
        Ok(wanted)
    }

    /// The pieces that the file on the disk does not hold, by hashing what it holds.
    fn missing(&self, had: u64) -> Vec<usize> {
        let numbers: Vec<usize> = (0..self.digests.len()).collect();
        let there = each(&numbers, |number| {
            let (offset, length) = (*number as u64 * PIECE, self.length(*number));
            offset + length <= had && self.hash(offset, length).is_ok_and(|found| found == self.digests[*number])
        });
        numbers.into_iter().zip(there).filter_map(|(number, there)| (!there).then_some(number)).collect()
    }

    fn hash(&self, offset: u64, length: u64) -> io::Result<Digest> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut hasher = Hasher::new();
        io::copy(&mut file.take(length), &mut hasher)?;
        Ok(hasher.finish())
    }

    fn length(&self, number: usize) -> u64 {
        PIECE.min(self.entry.size.saturating_sub(number as u64 * PIECE))
    }

    async fn piece(&self, client: &Client, number: usize) -> Result<Bytes, Failure> {
        let (offset, length, expected) = (number as u64 * PIECE, self.length(number), self.digests[number]);
        let mut found = expected;
        for _ in 0..TRIES {
            let bytes =
                client.range((self.url)(client), offset, length).await.map_err(|f| f.during(&self.entry.path))?;
            let held = bytes.clone();
            found = apart(move || Digest::of(&held)).await?;
            if found == expected {
                return Ok(bytes);
            }
        }
        let place = Place::file(&self.entry.path).at_piece(number as u64).at_byte(offset);
        let next = format!("pull again; if it stays, tell the operator of {}", client.address());
        Err(Finding::new(PIECE_MISMATCH, place, found.to_string(), expected.to_string(), next).into())
    }
}

/// Runs work that keeps a core busy on a thread of its own, so that the other pieces keep coming.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|e| Failure::new(INTERNAL, format!("a working thread ended: {e}"), "pull again"))
}

fn write_at(file: &Mutex<File>, offset: u64, bytes: &[u8]) -> io::Result<()> {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}
