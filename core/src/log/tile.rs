//! Tiles of C2SP tlog-tiles: which there are in a tree, their paths, and the hashes in them.
//!
//! A tile holds up to 256 hashes of one height; the root of a full tile is one hash of the level above. Refuses second
//! spellings of a path, empty tiles, and bytes that are not exactly the hashes of the width.

use std::fmt;
use std::str::FromStr;

use super::decimal;
use crate::digest::Digest;
use crate::problem::{Finding, Place, TILE_INVALID, quote};

/// How many heights one tile spans.
pub const TILE_HEIGHT: u8 = 8;
/// How many hashes (or entries) a full tile (or bundle) has.
pub const FULL: u16 = 256;
/// The most bytes of a tile.
pub const MAX_BYTES: usize = 8192;
/// The highest level that any path may name.
const MAX_LEVEL: u8 = 63;
/// The highest level that a tree of at most 63 bits of leaves fills.
const TOP_LEVEL: u8 = 7;

/// A complete subtree: the leaves from `index << height` on, `1 << height` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Its height; leaves have 0.
    pub height: u8,
    /// Its place among the nodes of that height.
    pub index: u64,
}

/// A tile of hashes: level, place in the level, and how many hashes it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    level: u8,
    index: u64,
    width: u16,
}

/// A bundle of entries: those of the level 0 tile of the same index and width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bundle {
    index: u64,
    width: u16,
}

impl Tile {
    /// The tile with this level and index in a tree of `size` leaves; `None` when the tree has no such tile.
    pub fn in_tree(size: u64, level: u8, index: u64) -> Option<Self> {
        if level > TOP_LEVEL {
            return None;
        }
        let width = width_in(size >> (TILE_HEIGHT * level), index)?;
        Some(Self { level, index, width })
    }

    /// The level; leaf hashes are level 0.
    pub const fn level(&self) -> u8 {
        self.level
    }

    /// The place in the level.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// How many hashes it has: 1 to 256.
    pub const fn width(&self) -> u16 {
        self.width
    }

    /// Whether it has all its hashes and so never changes.
    pub const fn is_full(&self) -> bool {
        self.width == FULL
    }

    /// Whether a tree of `size` leaves has at least the hashes of this tile.
    pub fn is_within(&self, size: u64) -> bool {
        Self::in_tree(size, self.level, self.index).is_some_and(|tile| tile.width >= self.width)
    }

    /// The nodes whose hashes the tile has, in order.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        let (height, first) = (self.level.saturating_mul(TILE_HEIGHT), self.index * u64::from(FULL));
        (0..u64::from(self.width)).map(move |i| Node { height, index: first + i })
    }

    /// All tiles of a tree of `size` leaves, level by level.
    pub fn all(size: u64) -> impl Iterator<Item = Self> {
        (0..=TOP_LEVEL).flat_map(move |level| (0..).map_while(move |index| Self::in_tree(size, level, index)))
    }

    /// Reads the hashes: exactly as many bytes as the width demands.
    pub fn hashes(&self, bytes: &[u8]) -> Result<Vec<Digest>, Finding> {
        let (hashes, rest) = bytes.as_chunks::<32>();
        if !rest.is_empty() || hashes.len() != usize::from(self.width) {
            let expected = format!("{} hashes of 32 bytes", self.width);
            return Err(refuse(format!("{} bytes for tile {self}", bytes.len()), expected));
        }
        Ok(hashes.iter().copied().map(Digest::from_bytes).collect())
    }
}

impl Bundle {
    /// The bundle with this index in a tree of `size` leaves; `None` when the tree has no such bundle.
    pub fn in_tree(size: u64, index: u64) -> Option<Self> {
        width_in(size, index).map(|width| Self { index, width })
    }

    /// All bundles of a tree of `size` leaves.
    pub fn all(size: u64) -> impl Iterator<Item = Self> {
        (0..).map_while(move |index| Self::in_tree(size, index))
    }

    /// Its place.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// How many entries it has: 1 to 256.
    pub const fn width(&self) -> u16 {
        self.width
    }

    /// Whether it has all its entries and so never changes.
    pub const fn is_full(&self) -> bool {
        self.width == FULL
    }

    /// The log index of its first entry.
    pub const fn first(&self) -> u64 {
        self.index * FULL as u64
    }

    /// Whether a tree of `size` leaves has at least the entries of this bundle.
    pub fn is_within(&self, size: u64) -> bool {
        Self::in_tree(size, self.index).is_some_and(|bundle| bundle.width >= self.width)
    }
}

/// The width of tile `index` among `count` hashes in its level.
fn width_in(count: u64, index: u64) -> Option<u16> {
    let before = index.checked_mul(u64::from(FULL))?;
    let width = count.checked_sub(before)?.min(u64::from(FULL));
    u16::try_from(width).ok().filter(|w| *w > 0)
}

/// What a path behind `tile/` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// `<L>/<N>[.p/<W>]`
    Tile(Tile),
    /// `entries/<N>[.p/<W>]`
    Entries(Bundle),
}

impl FromStr for Resource {
    type Err = Finding;

    fn from_str(path: &str) -> Result<Self, Finding> {
        let fail = || refuse(format!("the path {}", quote(path)), "a path such as `0/x001/234.p/12` or `entries/000`");
        let (kind, place) = path.split_once('/').ok_or_else(fail)?;
        let (index, width) = match place.split_once(".p/") {
            Some((index, width)) => {
                let width = decimal::parse(width).and_then(|w| u16::try_from(w).ok()).ok_or_else(fail)?;
                (index, Some(width).filter(|w| (1..FULL).contains(w)).ok_or_else(fail)?)
            }
            None => (place, FULL),
        };
        let index = parse_index(index).ok_or_else(fail)?;
        if kind == "entries" {
            return Ok(Self::Entries(Bundle { index, width }));
        }
        let level = decimal::parse(kind).and_then(|l| u8::try_from(l).ok()).filter(|l| *l <= MAX_LEVEL);
        Ok(Self::Tile(Tile { level: level.ok_or_else(fail)?, index, width }))
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile(tile) => fmt::Display::fmt(tile, f),
            Self::Entries(bundle) => fmt::Display::fmt(bundle, f),
        }
    }
}

/// The path behind `tile/`.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.level, Place3(self.index, self.width))
    }
}

/// The path behind `tile/`.
impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entries/{}", Place3(self.index, self.width))
    }
}

/// Index in elements of three digits, all but the last behind an `x`, and the width of a partial one.
struct Place3(u64, u16);

impl fmt::Display for Place3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups = vec![self.0 % 1000];
        let mut rest = self.0 / 1000;
        while rest > 0 {
            groups.push(rest % 1000);
            rest /= 1000;
        }
        for (i, group) in groups.iter().enumerate().rev() {
            if i > 0 { write!(f, "x{group:03}/")? } else { write!(f, "{group:03}")? }
        }
        if self.1 < FULL { write!(f, ".p/{}", self.1) } else { Ok(()) }
    }
}

fn parse_index(text: &str) -> Option<u64> {
    let digits = text.split('/').map(|e| e.strip_prefix('x').unwrap_or(e));
    if digits.clone().any(|e| e.len() != 3 || !e.bytes().all(|b| b.is_ascii_digit())) || text.len() > 32 {
        return None;
    }
    let index = digits.collect::<String>().parse::<u64>().ok()?;
    // Superfluous leading elements and a misplaced `x` show when it is printed again.
    (Place3(index, FULL).to_string() == text && index <= super::MAX_SIZE / u64::from(FULL)).then_some(index)
}

pub(super) fn refuse(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    let next = "fetch it again, from another mirror if there is one";
    Finding::new(TILE_INVALID, Place::default(), found, expected, next)
}

#[cfg(test)]
#[path = "tile_tests.rs"]
mod tests;
