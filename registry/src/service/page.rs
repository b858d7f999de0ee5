//! Lists in pages: a window comes in, a cursor goes out. Cursors are opaque to callers and checked when they return.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use retoque_core::api::{PAGE_DEFAULT, PAGE_MAX, Page};
use retoque_core::problem::{Finding, Findings, Place, QUERY_INVALID};

use super::Error;
use crate::store;

/// Which part of a list is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    after: Option<String>,
    limit: u32,
}

/// The first character of a cursor, so that another form can follow one day.
const FORM: char = 'a';

impl Window {
    /// Reads `?cursor=` and `?limit=`.
    pub fn parse(cursor: Option<&str>, limit: Option<&str>) -> Result<Self, Findings> {
        let mut findings = Findings::new();
        let after = cursor.and_then(|text| {
            let key = text.strip_prefix(FORM).and_then(|rest| URL_SAFE_NO_PAD.decode(rest).ok());
            let key = key.and_then(|bytes| String::from_utf8(bytes).ok());
            // No key holds a control character, and a database may not take one.
            let key = key.filter(|key| key.len() <= 400 && !key.chars().any(char::is_control));
            if key.is_none() {
                findings.push(invalid("cursor", "not a cursor", "the `next` of the page before"));
            }
            key
        });
        let limit = limit.map_or(Some(PAGE_DEFAULT), |text| text.parse().ok().filter(|n| (1..=PAGE_MAX).contains(n)));
        if limit.is_none() {
            findings.push(invalid("limit", "another value", &format!("a number from 1 to {PAGE_MAX}")));
        }
        let limit = limit.unwrap_or(PAGE_DEFAULT);
        findings.into_result(Self { after, limit }).map(|(window, _)| window)
    }

    pub(super) fn rows(&self) -> store::Page {
        store::Page { after: self.after.clone(), limit: self.limit }
    }
}

impl Default for Window {
    fn default() -> Self {
        Self { after: None, limit: PAGE_DEFAULT }
    }
}

/// A page of what `view` makes of the rows.
pub(super) fn page<R, T>(
    listing: store::Listing<R>,
    view: impl FnMut(R) -> Result<T, Error>,
) -> Result<Page<T>, Error> {
    let next = listing.next.map(|key| format!("{FORM}{}", URL_SAFE_NO_PAD.encode(key)));
    Ok(Page { items: listing.items.into_iter().map(view).collect::<Result<_, _>>()?, next })
}

fn invalid(field: &str, found: &str, expected: &str) -> Finding {
    Finding::new(QUERY_INVALID, Place::field(field), found, expected, "leave it out to start from the first page")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_as_they_went_out() {
        let listing = store::Listing { items: vec![1, 2], next: Some("acme/tiny".to_owned()) };
        let page = page(listing, Ok).unwrap();
        let window = Window::parse(page.next.as_deref(), Some("2")).unwrap();
        assert_eq!((window.after.as_deref(), window.limit), (Some("acme/tiny"), 2));
        assert_eq!(Window::parse(None, None).unwrap(), Window::default());
    }

    #[test]
    fn anything_else_is_refused_at_once() {
        let findings = Window::parse(Some("acme/tiny"), Some("0")).unwrap_err();
        assert_eq!(findings.errors(), 2);
        let nul = format!("{FORM}{}", URL_SAFE_NO_PAD.encode("acme/\0"));
        assert!(Window::parse(Some(&nul), None).is_err());
        for limit in ["201", "-1", "", "ten", "1e2"] {
            assert!(Window::parse(None, Some(limit)).is_err(), "{limit}");
        }
    }
}
