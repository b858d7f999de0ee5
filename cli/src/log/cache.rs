//! Full tiles and full bundles of entries on the disk: they never change, so nobody needs them twice.
//!
//! Only what the tree of a verified checkpoint proved is kept, and what is read back is proven again. A file that
//! cannot be read or written is as good as absent: the cache saves requests and decides nothing.

use std::fs;
use std::path::PathBuf;

use retoque_core::log::{Bundle, Resource, Tile, bundle, tile};

use crate::config::Home;
use crate::files;

/// A folder of tiles.
#[derive(Debug, Clone)]
pub struct Cache {
    home: Home,
    folder: PathBuf,
}

impl Cache {
    /// The cache below this folder of the home.
    pub fn new(home: &Home, folder: PathBuf) -> Self {
        Self { home: home.clone(), folder }
    }

    /// A full tile, if it is here.
    pub fn tile(&self, tile: Tile) -> Option<Vec<u8>> {
        self.get(Resource::Tile(tile), tile.is_full(), tile::MAX_BYTES)
    }

    /// A full bundle, if it is here.
    pub fn bundle(&self, bundle: Bundle) -> Option<Vec<u8>> {
        self.get(Resource::Entries(bundle), bundle.is_full(), bundle::MAX_BYTES)
    }

    /// Keeps a tile that is full and was proven.
    pub fn keep_tile(&self, tile: Tile, bytes: &[u8]) {
        self.keep(Resource::Tile(tile), tile.is_full(), bytes);
    }

    /// Keeps a bundle that is full and was proven.
    pub fn keep_bundle(&self, bundle: Bundle, bytes: &[u8]) {
        self.keep(Resource::Entries(bundle), bundle.is_full(), bytes);
    }

    /// Forgets a tile that turned out to be wrong.
    pub fn forget_tile(&self, tile: Tile) {
        let _ = fs::remove_file(self.path(Resource::Tile(tile)));
    }

    /// Forgets a bundle that turned out to be wrong.
    pub fn forget_bundle(&self, bundle: Bundle) {
        let _ = fs::remove_file(self.path(Resource::Entries(bundle)));
    }

    fn get(&self, resource: Resource, full: bool, most: usize) -> Option<Vec<u8>> {
        let path = self.path(resource);
        (full && path.is_file()).then(|| files::read(&path, most as u64).ok()).flatten()
    }

    fn keep(&self, resource: Resource, full: bool, bytes: &[u8]) {
        let path = self.path(resource);
        if full
            && !path.exists()
            && let Some(parent) = self.folder.join(resource.to_string()).parent()
            && self.home.make(parent).is_ok()
        {
            let _ = files::write(&path, bytes, 0o600);
        }
    }

    fn path(&self, resource: Resource) -> PathBuf {
        self.home.path(self.folder.join(resource.to_string()))
    }
}
