//! Tiles that lie, histories that fork, and what the cache saves.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use retoque_core::digest::Digest;
use retoque_core::log::Head;
use retoque_core::problem::{LOG_FORK, LOG_ROLLBACK, TILE_INVALID};

use super::{Cache, Tiles, scripted};
use crate::client::Sources;
use crate::client::scripted::{Reply, Scripted};
use crate::config::{Environment, Home};
use crate::error::Failure;
use crate::runtime::block_on;

/// The tiles of a log of numbers at this size, by path.
fn tiles_of(size: u64, leaf: &dyn Fn(u64) -> u64) -> (Head, BTreeMap<String, Vec<u8>>) {
    scripted::tiles((0..size).map(|n| leaf(n).to_be_bytes().to_vec()))
}

/// A server of these tiles that damages those whose path the closure picks.
fn serve(tiles: BTreeMap<String, Vec<u8>>, damage: impl Fn(&str) -> bool + Send + Sync + 'static) -> Scripted {
    Scripted::start(move |_, head| {
        let path = head.split(' ').nth(1).unwrap().strip_prefix("/log/tile/").unwrap().to_owned();
        let Some(mut bytes) = tiles.get(&path).cloned() else {
            return Reply::Whole("404 Not Found", String::new(), Vec::new());
        };
        if damage(&path) {
            bytes[5] ^= 1;
        }
        Reply::ok(bytes)
    })
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn tiles(&self, sources: Sources) -> Tiles {
        let environment = Environment { home: Some(self.0.path().into()), ..Default::default() };
        Tiles::new(sources, Cache::new(&Home::of(&environment).unwrap(), PathBuf::from("tiles")))
    }

    fn kept(&self) -> usize {
        let count = |level: &str| std::fs::read_dir(self.0.path().join("tiles").join(level)).map_or(0, Iterator::count);
        count("0") + count("1")
    }
}

fn same(n: u64) -> u64 {
    n
}

/// What `check` says, in short: nothing, a fork, or a code.
fn checked(tiles: &Tiles, old: Head, new: Head) -> String {
    match block_on(tiles.check((old, "old"), (new, "new"))) {
        Ok(None) => "continues".to_owned(),
        Ok(Some(_)) => "fork".to_owned(),
        Err(failure) => failure.code().to_owned(),
    }
}

#[test]
fn a_log_that_grew_is_followed_and_its_full_tiles_are_kept() {
    let place = Place::new();
    let (new, all) = tiles_of(70_000, &same);
    let server = serve(all, |_| false);
    let tiles = place.tiles(Sources::only(server.client()));
    for size in [0, 1, 255, 256, 257, 65_536, 69_999, 70_000] {
        let (old, _) = tiles_of(size, &same);
        assert_eq!(checked(&tiles, old, new), "continues", "from {size}");
    }
    let again = tiles_of(65_537, &same).0;
    assert_eq!(checked(&tiles, again, new), "continues");
    let asked = server.seen().len();
    assert!(place.kept() > 0);
    assert_eq!(checked(&tiles, again, new), "continues");
    assert_eq!(server.seen().len() - asked, 3, "only the right edge, one tile a level, is asked for again");
    assert_eq!(checked(&tiles, new, new), "continues");
    assert_eq!(server.seen().len() - asked, 3, "nothing is asked about the same head");
    assert_eq!(checked(&tiles, new, again), LOG_ROLLBACK.name());
}

#[test]
fn another_history_is_a_fork_and_a_wrong_tile_is_not() {
    let place = Place::new();
    let (new, all) = tiles_of(1000, &same);
    let honest = serve(all.clone(), |_| false);
    let tiles = place.tiles(Sources::only(honest.client()));
    for changed in [0_u64, 255, 256, 499] {
        let (old, _) = tiles_of(500, &|n| if n == changed { 9999 } else { n });
        assert_eq!(checked(&tiles, old, new), "fork", "entry {changed}");
    }
    let other = Head { root: Digest::of(b"x"), ..new };
    assert_eq!(checked(&tiles, other, new), "fork", "of the same size");
    assert_eq!(checked(&tiles, tiles_of(500, &same).0, other), TILE_INVALID.name(), "nobody has the tiles of that");
    let (old, _) = tiles_of(500, &same);
    for path in ["0/001", "0/003.p/232", "1/000.p/3"] {
        let place = Place::new();
        let liar = serve(all.clone(), move |asked| asked == path);
        let tiles = place.tiles(Sources::only(liar.client()));
        assert_eq!(checked(&tiles, old, new), TILE_INVALID.name(), "{path}");
        assert_eq!(place.kept(), 0, "nothing unproven is kept");
        let sources = Sources::with_mirrors(honest.client(), std::slice::from_ref(&liar.url)).unwrap();
        let tiles = place.tiles(sources.clone());
        assert_eq!(checked(&tiles, old, new), "continues");
        assert!(sources.faults()[0].lied, "{path}");
    }
}

#[test]
fn damage_on_the_disk_is_mended() {
    let place = Place::new();
    let (new, all) = tiles_of(1000, &same);
    let server = serve(all, |_| false);
    let tiles = place.tiles(Sources::only(server.client()));
    let (old, _) = tiles_of(500, &same);
    assert_eq!(checked(&tiles, old, new), "continues");
    let kept = place.0.path().join("tiles/0/001");
    let good = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, vec![7; 8192]).unwrap();
    assert_eq!(checked(&tiles, old, new), "continues");
    assert!(std::fs::read(&kept).unwrap() == good);
}

#[test]
fn a_fork_is_written_down() {
    let place = Place::new();
    let (new, all) = tiles_of(40, &same);
    let tiles = place.tiles(Sources::only(serve(all, |_| false).client()));
    let (old, _) = tiles_of(30, &|n| n + 1);
    let fork = block_on(tiles.check((old, "the old note\n"), (new, "the new note\n"))).unwrap().unwrap();
    let failure: Failure = fork.report(place.0.path());
    assert!(failure.is(LOG_FORK) && failure.exit_status() == 3);
    let proof = std::fs::read_dir(place.0.path()).unwrap().flatten().find(|e| e.path().is_file()).unwrap();
    let text = std::fs::read_to_string(proof.path()).unwrap();
    assert!(text.contains("the old note\n") && text.contains("the new note\n"), "{text}");
    assert!(failure.next().contains(proof.file_name().to_str().unwrap()), "{failure:?}");
}

#[test]
fn a_mirror_without_the_partial_tiles_of_old_sizes_will_do() {
    let (old, mut all) = tiles_of(300, &same);
    let new = tiles_of(600, &same);
    // What a static copy of the grown log holds.
    all.extend(new.1);
    all.retain(|path, _| !path.contains(".p/") || path.ends_with("0/002.p/88") || path.ends_with("1/000.p/2"));
    let place = Place::new();
    let tiles = place.tiles(Sources::only(serve(all, |_| false).client()));
    assert_eq!(checked(&tiles, tiles_of(256, &same).0, old), TILE_INVALID.name(), "level 1 is not full yet");
    assert_eq!(checked(&tiles, old, new.0), "continues");
}
