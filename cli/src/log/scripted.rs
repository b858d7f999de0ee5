//! A log for tests: any leaves, signed by keys that the test holds, served as a registry serves its own.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use retoque_core::digest::Digest;
use retoque_core::log::{Checkpoint, Frontier, Head, Tile, cosignature, leaf_hash};
use retoque_core::sign::root::RootBuilder;
use retoque_core::sign::{Envelope, Role, Root, SecretKey, Signer as _, Time};
use retoque_core::status::{AsOf, Lists, Status};

/// The key of a role, by a number.
pub(crate) fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32]).unwrap()
}

/// The tiles of a log of these leaves, by path, of every width that they ever had.
pub(crate) fn tiles(leaves: impl IntoIterator<Item = Vec<u8>>) -> (Head, BTreeMap<String, Vec<u8>>) {
    let mut rows: Vec<Vec<Digest>> = vec![Vec::new(); 3];
    let mut frontier = Frontier::new();
    for leaf in leaves {
        let hash = leaf_hash(&leaf);
        rows[0].push(hash);
        for (node, hash) in frontier.append(hash) {
            rows[usize::from(node.height / 8)].push(hash);
        }
    }
    let mut tiles = BTreeMap::new();
    for (level, row) in rows.iter().enumerate() {
        for (index, hashes) in row.chunks(256).enumerate() {
            let bytes: Vec<u8> = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
            for width in 1..=hashes.len() {
                let within = (index as u64 * 256 + width as u64) << (8 * level);
                let tile = Tile::in_tree(within, level.try_into().unwrap(), index as u64).unwrap();
                tiles.insert(tile.to_string(), bytes[..width * 32].to_vec());
            }
        }
    }
    (frontier.head(), tiles)
}

/// The first root: keys 1 to 4 for root, build, log and status.
pub(crate) fn root() -> Root {
    let mut builder = RootBuilder::first("2030-01-01T00:00:00Z".parse().unwrap());
    for (n, role) in [(1, Role::Root), (2, Role::PlatformBuild), (3, Role::PlatformLog), (4, Role::PlatformStatus)] {
        builder = builder.role(role, [key(n).public().clone()], 1);
    }
    Root::trust(&builder.sign(&[&key(1)]).unwrap().to_bytes(), None).unwrap()
}

/// What a head says; a test changes what it lies about.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) registry: String,
    pub(crate) origin: String,
    pub(crate) tree: Head,
    /// What the status says of the tree.
    pub(crate) status_tree: Head,
    pub(crate) issued: Time,
    pub(crate) lifetime: i64,
    pub(crate) cosigned: Option<Time>,
    pub(crate) log_key: u8,
    pub(crate) status_key: u8,
}

impl Said {
    /// An honest head of this tree at this time.
    pub(crate) fn honest(registry: &str, tree: Head, now: Time) -> Self {
        let origin = registry.split_once("://").unwrap().1.to_owned();
        let (issued, cosigned) = (now, Some(now));
        let registry = registry.to_owned();
        Self {
            registry,
            origin,
            tree,
            status_tree: tree,
            issued,
            lifetime: 86_400,
            cosigned,
            log_key: 3,
            status_key: 4,
        }
    }

    /// The signed checkpoint.
    pub(crate) fn note(&self) -> String {
        let checkpoint = Checkpoint::new(&self.origin, self.tree).unwrap();
        let mut note = checkpoint.sign(&key(self.log_key)).unwrap();
        if let Some(time) = self.cosigned {
            note.put(cosignature::sign(&checkpoint, &self.origin, &key(self.log_key), time).unwrap());
        }
        note.to_string()
    }

    /// The signed status.
    pub(crate) fn status(&self) -> Envelope {
        let as_of = AsOf {
            registry: self.registry.clone(),
            origin: self.origin.clone(),
            size: self.status_tree.size,
            root: self.status_tree.root,
            issued: self.issued,
            expires: self.issued.plus_seconds(self.lifetime),
        };
        Status::new(as_of, Lists::default()).unwrap().sign(&key(self.status_key)).unwrap()
    }

    /// The body of `GET /api/v1/head`.
    pub(crate) fn body(&self) -> Vec<u8> {
        serde_json::json!({ "checkpoint": self.note(), "status": self.status() }).to_string().into_bytes()
    }
}
