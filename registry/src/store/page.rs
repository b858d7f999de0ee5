//! Lists in pages. A cursor is the sort key of the last row seen, so a page costs the same wherever it lies and rows
//! that are added meanwhile are neither skipped nor shown twice.

use super::value::Arg;

/// Which part of a list is wanted.
#[derive(Debug, Clone)]
pub struct Page {
    /// The cursor of the page before; the first page has none.
    pub after: Option<String>,
    /// Most rows, 1 to [`Page::MOST`].
    pub limit: u32,
}

impl Page {
    /// The largest page.
    pub const MOST: u32 = 200;

    /// The first `limit` rows.
    pub const fn first(limit: u32) -> Self {
        Self { after: None, limit }
    }

    /// The cursor as a parameter: every sort key is greater than the empty text.
    pub(super) fn after_arg(&self) -> Arg {
        Arg::Text(Some(self.after.clone().unwrap_or_default()))
    }

    /// One row more than wanted tells whether there is another page.
    pub(super) fn limit_arg(&self) -> Arg {
        Arg::from(self.rows() + 1)
    }

    fn rows(&self) -> u32 {
        self.limit.clamp(1, Self::MOST)
    }

    /// Cuts the extra row off and names the cursor of the next page.
    pub(super) fn listing<T>(&self, mut items: Vec<T>, key: impl Fn(&T) -> String) -> Listing<T> {
        let rows = self.rows() as usize;
        let more = items.len() > rows;
        items.truncate(rows);
        let next = if more { items.last().map(key) } else { None };
        Listing { items, next }
    }
}

/// One page of a list.
#[derive(Debug, Clone)]
pub struct Listing<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The cursor of the next page, when there is one.
    pub next: Option<String>,
}
