//! Reads a served log as a stranger does: the checkpoint, then all tiles and entries that it promises.

use std::collections::BTreeMap;

use reqwest::Client;
use retoque_core::digest::Digest;
use retoque_core::log::generate::Plan;
use retoque_core::log::{Bundle, Frontier, Head, SignedCheckpoint, Tile, VerifiedCheckpoint, leaf_hash};
use retoque_core::sign::KeySet;

/// A log as it was served under one checkpoint.
pub(crate) struct Served {
    pub(crate) checkpoint: VerifiedCheckpoint,
    pub(crate) leaves: Vec<Vec<u8>>,
    tiles: BTreeMap<Tile, Vec<u8>>,
    /// The root of every size, recomputed from the leaves.
    roots: Vec<Digest>,
}

/// The log's name and its keys.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) origin: String,
    pub(crate) keys: KeySet,
}

impl Log {
    /// A checkpoint, signed by the log.
    pub(crate) fn verify(&self, note: &[u8]) -> VerifiedCheckpoint {
        SignedCheckpoint::parse(note).unwrap().verify(&self.origin, &self.keys).unwrap()
    }
}

/// One answer that has to be there.
pub(crate) async fn get(client: &Client, url: &str, path: &str) -> Vec<u8> {
    let response = client.get(format!("{url}{path}")).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.bytes().await.unwrap().to_vec()
}

impl Served {
    /// Fetches the whole log from one address.
    pub(crate) async fn fetch(client: &Client, url: &str, log: &Log) -> Self {
        let checkpoint = log.verify(&get(client, url, "/log/checkpoint").await);
        let size = checkpoint.size();
        let (mut tiles, mut leaves) = (BTreeMap::new(), Vec::new());
        for tile in Tile::all(size) {
            tiles.insert(tile, get(client, url, &format!("/log/tile/{tile}")).await);
        }
        for bundle in Bundle::all(size) {
            let bytes = get(client, url, &format!("/log/tile/{bundle}")).await;
            leaves.extend(bundle.entries(&bytes).unwrap().into_iter().map(<[u8]>::to_vec));
        }
        let mut frontier = Frontier::new();
        let mut roots = vec![frontier.root()];
        for leaf in &leaves {
            frontier.append(leaf_hash(leaf));
            roots.push(frontier.root());
        }
        assert_eq!(leaves.len() as u64, size);
        assert_eq!(frontier.root(), checkpoint.root(), "the leaves are not those of the checkpoint");
        let mut served = Self { checkpoint, leaves, tiles, roots };
        let root = Plan::root(size).unwrap().resolve(&mut served.tiles).unwrap();
        assert_eq!(root, [served.checkpoint.root()], "the tiles are not those of the checkpoint");
        served
    }

    /// The head that this log had when it was that large.
    pub(crate) fn head(&self, size: u64) -> Head {
        Head { size, root: self.roots[usize::try_from(size).unwrap()] }
    }

    /// The log continues what was seen before: by proof over the served tiles, and by its leaves.
    pub(crate) fn continues(&mut self, seen: Head) {
        let plan = Plan::consistency(seen.size, self.checkpoint.size()).expect("a log that only grows");
        let proof = plan.resolve(&mut self.tiles).unwrap();
        self.checkpoint.head().verify_consistency(&seen, &proof).unwrap();
        assert_eq!(self.head(seen.size), seen);
    }
}
