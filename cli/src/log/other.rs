//! A checkpoint that somebody else sees, held against the one that is seen here.
//!
//! Both are signed by the log. When no one tree explains both, the log shows different people different histories, and
//! the two notes prove it. A checkpoint that the log did not sign proves nothing and is refused.

use std::path::Path;

use retoque_core::json::{self, Limits};
use retoque_core::log::{Head as Tree, SignedCheckpoint, checkpoint};
use retoque_core::sign::Role;
use serde::Serialize;

use crate::client::{Client, Connection, Pace, Sources};
use crate::config::RegistryUrl;
use crate::error::Failure;
use crate::files;
use crate::head::{Authority, Head, LogState, tiles};

/// What came of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other {
    /// Where the checkpoint came from.
    pub from: String,
    /// Its size.
    pub size: u64,
    /// Its root.
    pub root: String,
}

impl Other {
    /// Compares the checkpoint at `place`: a file with a note or with a remembered head (`log.json`), or the address of
    /// a registry or mirror. A fork is refused; both notes are then in a file in `folder`.
    pub async fn compare(
        place: &str,
        connection: &Connection,
        authority: &Authority<'_>,
        head: &Head,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let url: Option<RegistryUrl> = if place.contains("://") { Some(place.parse()?) } else { None };
        let note = match &url {
            Some(url) => fetch(url).await?,
            None => read(Path::new(place))?,
        };
        let (tree, origin) = verify(&note, authority).map_err(|failure| failure.during(place))?;
        let sources = Sources::with_mirrors(connection.client.clone(), url.as_slice())?;
        let tiles = tiles(connection, sources);
        let (theirs, ours) = ((tree, note.as_str()), (head.tree(), head.note.as_str()));
        let (older, newer) = if tree.size <= ours.0.size { (theirs, ours) } else { (ours, theirs) };
        match tiles.check(older, newer).await.map_err(|failure| failure.during(place))? {
            Some(fork) => Err(fork.report(folder)),
            None => Ok(Self { from: format!("{place} ({origin})"), size: tree.size, root: tree.root.hex() }),
        }
    }

    /// As a line of text.
    pub fn line(&self) -> String {
        format!("{}: {} entries, of the same history", self.from, self.size)
    }
}

async fn fetch(url: &RegistryUrl) -> Result<String, Failure> {
    let client = Client::new(url.clone(), None, false, Pace::DEFAULT)?;
    let bytes = client.bytes(client.address().join(&["log", "checkpoint"]), checkpoint::MAX_BYTES).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = files::read(path, crate::head::MAX_LOG_STATE)?;
    match json::decode::<LogState>(&bytes, Limits::DOCUMENT) {
        Ok(state) => Ok(state.note),
        Err(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn verify(note: &str, authority: &Authority<'_>) -> Result<(Tree, String), Failure> {
    let signed = SignedCheckpoint::parse(note.as_bytes())?;
    let claimed = signed.claimed();
    let known = authority.origins().into_iter().find(|origin| origin == claimed.origin());
    let origin = known.unwrap_or_else(|| authority.origin());
    let checkpoint = signed.verify(&origin, &authority.keys(Role::PlatformLog, claimed.size()))?;
    Ok((checkpoint.head(), origin))
}
