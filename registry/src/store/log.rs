//! The log's rows: leaves, the tree over them, and one head for each append.
//!
//! The counter row gives out indexes and holds the right edge of the tree; it is locked last in a transaction and held
//! shortly. Never `MAX(idx) + 1`: two writers would read the same maximum. Leaves, nodes and heads are append-only by
//! trigger on both engines. Refuses to append to a tree whose edge does not belong to its size.

use jiff::Timestamp;
use retoque_core::digest::Digest;
use retoque_core::log::tile::{Node, TILE_HEIGHT};
use retoque_core::log::{Bundle, Frontier, Head, Tile, leaf_hash};

use super::db::{Row, Tx};
use super::error::Error;
use super::value::{Columns, args, statements};

statements! {
    NEXT_INDEX = "UPDATE log_counter SET size = size + 1 WHERE id = 1 RETURNING size - 1, frontier";
    SET_FRONTIER = "UPDATE log_counter SET frontier = $1 WHERE id = 1";
    LOCK = "UPDATE log_counter SET size = size WHERE id = 1";
    COUNTER = "SELECT size, frontier FROM log_counter WHERE id = 1";
    INSERT_LEAF = "INSERT INTO log_leaves (idx, leaf, leaf_hash) VALUES ($1, $2, $3)";
    INSERT_NODE = "INSERT INTO log_nodes (level, idx, hash) VALUES ($1, $2, $3)";
    INSERT_HEAD = "INSERT INTO log_heads (size, root, created_at) VALUES ($1, $2, $3)";
    LEAF = "SELECT leaf FROM log_leaves WHERE idx = $1";
    LEAVES = "SELECT leaf FROM log_leaves WHERE idx >= $1 AND idx < $2 ORDER BY idx";
    LEAF_HASHES = "SELECT leaf_hash FROM log_leaves WHERE idx >= $1 AND idx < $2 ORDER BY idx";
    LAST_LEAF = "SELECT MAX(idx) FROM log_leaves";
    NODES = "SELECT hash FROM log_nodes WHERE level = $1 AND idx >= $2 AND idx < $3 ORDER BY idx";
    HEAD = "SELECT size, root FROM log_heads WHERE size = $1";
    NEWEST_HEAD = "SELECT size, root FROM log_heads ORDER BY size DESC LIMIT 1";
}

impl Tx {
    /// Appends a leaf with all that the tree needs, and answers its index. Call it as late as the transaction allows:
    /// from here to the commit no other leaf can be appended.
    pub async fn append_leaf(&mut self, leaf: &[u8], at: Timestamp) -> Result<u64, Error> {
        let row = self.row(NEXT_INDEX, &[]).await?.ok_or(Error::NotFound)?;
        let mut c = Columns::of(&row);
        let index: u64 = c.take()?;
        let mut frontier = edge(&c.take::<Vec<u8>>()?, index)?;
        let hash = leaf_hash(leaf);
        self.execute(INSERT_LEAF, args![index, leaf, &hash.as_bytes()[..]]).await?;
        self.grow(&mut frontier, hash, at).await?;
        self.set_frontier(&frontier).await?;
        Ok(index)
    }

    /// Puts a leaf that is stored already into the tree: the nodes that it completes, and the head after it.
    pub async fn grow(&mut self, frontier: &mut Frontier, leaf: Digest, at: Timestamp) -> Result<(), Error> {
        for (node, hash) in frontier.append(leaf) {
            self.execute(INSERT_NODE, args![level(node), node.index, &hash.as_bytes()[..]]).await?;
        }
        let Head { size, root } = frontier.head();
        self.execute(INSERT_HEAD, args![size, &root.as_bytes()[..], at]).await.map(drop)
    }

    /// Stores the right edge after the newest leaf.
    pub async fn set_frontier(&mut self, frontier: &Frontier) -> Result<(), Error> {
        self.execute(SET_FRONTIER, args![&frontier.to_bytes()]).await.map(drop)
    }

    /// Makes writers of the log wait until this transaction ends: what they have written is seen from here on, and what
    /// they write next sees what this one did.
    pub async fn lock_log(&mut self) -> Result<(), Error> {
        if self.execute(LOCK, &[]).await? == 1 { Ok(()) } else { Err(Error::NotFound) }
    }

    /// How many leaves there are.
    pub async fn log_size(&mut self) -> Result<u64, Error> {
        self.log_counter().await.map(|(size, _)| size)
    }

    /// How many leaves there are, and the stored right edge; empty when it was never computed.
    pub async fn log_counter(&mut self) -> Result<(u64, Vec<u8>), Error> {
        let row = self.row(COUNTER, &[]).await?.ok_or(Error::NotFound)?;
        let mut c = Columns::of(&row);
        Ok((c.take()?, c.take()?))
    }

    /// The index of the last leaf.
    pub async fn last_leaf(&mut self) -> Result<Option<u64>, Error> {
        let row = self.row(LAST_LEAF, &[]).await?.ok_or(Error::NotFound)?;
        Columns::of(&row).take()
    }

    /// The leaf at `index`.
    pub async fn leaf(&mut self, index: u64) -> Result<Option<Vec<u8>>, Error> {
        self.row(LEAF, args![index]).await?.map(|row| Columns::of(&row).take()).transpose()
    }

    /// At most `most` leaves from index `from` on.
    pub async fn leaves(&mut self, from: u64, most: u64) -> Result<Vec<Vec<u8>>, Error> {
        let rows = self.rows(LEAVES, args![from, from.saturating_add(most)]).await?;
        rows.iter().map(|row| Columns::of(row).take()).collect()
    }

    /// The leaves of a bundle.
    pub async fn entries(&mut self, bundle: Bundle) -> Result<Vec<Vec<u8>>, Error> {
        self.leaves(bundle.first(), u64::from(bundle.width())).await
    }

    /// The stored hashes of a tile, in order.
    pub async fn tile(&mut self, tile: Tile) -> Result<Vec<Digest>, Error> {
        let first = tile.nodes().next().map_or(0, |node| node.index);
        let end = first + u64::from(tile.width());
        let rows = match tile.level() {
            0 => self.rows(LEAF_HASHES, args![first, end]).await?,
            level => self.rows(NODES, args![u32::from(level), first, end]).await?,
        };
        rows.iter().map(|row| hash(&mut Columns::of(row))).collect()
    }

    /// The head of that size.
    pub async fn head(&mut self, size: u64) -> Result<Option<Head>, Error> {
        self.row(HEAD, args![size]).await?.map(|row| head(&row)).transpose()
    }

    /// The newest head.
    pub async fn newest_head(&mut self) -> Result<Option<Head>, Error> {
        self.row(NEWEST_HEAD, &[]).await?.map(|row| head(&row)).transpose()
    }
}

/// The stored edge, which has to be the one of a tree of `size` leaves.
fn edge(bytes: &[u8], size: u64) -> Result<Frontier, Error> {
    if size == 0 && bytes.is_empty() {
        return Ok(Frontier::new());
    }
    let frontier = Frontier::from_bytes(bytes).ok().filter(|frontier| frontier.size() == size);
    frontier.ok_or_else(|| Error::corrupt(format!("the edge of the log is not that of {size} leaves; run `migrate`")))
}

fn level(node: Node) -> u32 {
    u32::from(node.height / TILE_HEIGHT)
}

fn head(row: &Row) -> Result<Head, Error> {
    let mut c = Columns::of(row);
    Ok(Head { size: c.take()?, root: hash(&mut c)? })
}

fn hash(c: &mut Columns<'_>) -> Result<Digest, Error> {
    let bytes: Vec<u8> = c.take()?;
    bytes.try_into().map(Digest::from_bytes).map_err(|_| Error::corrupt("a hash of another length"))
}
