//! Tiles: paths have one spelling, and a tree has exactly the tiles of its size.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;

fn tile(path: &str) -> Option<Tile> {
    match path.parse() {
        Ok(Resource::Tile(tile)) => Some(tile),
        _ => None,
    }
}

#[test]
fn paths_are_read_and_printed() {
    for good in [
        "0/000",
        "0/x001/x234/067",
        "0/x001/x234/067.p/12",
        "1/999",
        "7/000.p/1",
        "63/x001/000.p/255",
        "entries/000",
        "entries/x001/x234/067.p/7",
    ] {
        assert_eq!(good.parse::<Resource>().unwrap().to_string(), good);
    }
    assert_eq!(tile("0/x001/x234/067.p/12"), Some(Tile { level: 0, index: 1_234_067, width: 12 }));
    for bad in [
        "",
        "0",
        "0/",
        "0/0",
        "0/0000",
        "00/000",
        "64/000",
        "-1/000",
        "0/x000/001",
        "0/001/001",
        "0/x001",
        "0/x001/x001",
        "0/x001/1",
        "0/000.p/0",
        "0/000.p/256",
        "0/000.p/01",
        "0/000.p/",
        "0/000.p",
        "0/000.p/1/",
        "0/000.p/1.p/1",
        "0/000/",
        "/0/000",
        "data/000",
        "entries/x/000",
        "entries",
        "entries/+01",
        "0/x999/x999/x999/x999/x999/x999/999",
    ] {
        assert_eq!(bad.parse::<Resource>().unwrap_err().code, TILE_INVALID, "{bad}");
    }
}

#[test]
fn a_tree_has_the_tiles_of_the_published_example() {
    let tiles: Vec<Tile> = Tile::all(70_000).collect();
    let count = |level, full| tiles.iter().filter(|t| t.level == level && t.is_full() == full).count();
    assert_eq!((count(0, true), count(0, false)), (273, 1));
    assert_eq!((count(1, true), count(1, false)), (1, 1));
    assert_eq!((count(2, true), count(2, false)), (0, 1));
    assert_eq!(tiles.len(), 277);
    let partial: Vec<u16> = tiles.iter().filter(|t| !t.is_full()).map(Tile::width).collect();
    assert_eq!(partial, [112, 17, 1]);
    assert_eq!(Tile::all(256).map(|t| t.to_string()).collect::<Vec<_>>(), ["0/000", "1/000.p/1"]);
    assert_eq!(Tile::all(0).count() + Bundle::all(0).count(), 0);
    assert_eq!(Bundle::all(257).map(|b| b.to_string()).collect::<Vec<_>>(), ["entries/000", "entries/001.p/1"]);
}

#[test]
fn what_a_tree_does_not_have_is_not_within() {
    let partial = tile("0/000.p/12").unwrap();
    assert!(partial.is_within(12) && partial.is_within(300) && !partial.is_within(11));
    let full = tile("0/000").unwrap();
    assert!(full.is_within(256) && !full.is_within(255));
    assert!(!tile("8/000.p/1").unwrap().is_within(u64::MAX));
    assert!(Tile::in_tree(u64::MAX, 7, u64::MAX).is_none());
    assert!(Tile::in_tree(super::super::MAX_SIZE, 7, 0).is_some());
}

#[test]
fn hashes_must_fill_the_width() {
    let tile = tile("0/000.p/2").unwrap();
    assert_eq!(tile.hashes(&[7; 64]).unwrap().len(), 2);
    for bad in [0, 32, 63, 65, 96, 8192] {
        assert_eq!(tile.hashes(&vec![0; bad]).unwrap_err().code, TILE_INVALID);
    }
    let nodes: Vec<Node> = Tile::in_tree(1000, 1, 0).unwrap().nodes().collect();
    assert_eq!(nodes, [0, 1, 2].map(|index| Node { height: 8, index }));
}
