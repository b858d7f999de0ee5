//! The entries in a bundle: each behind its length in two bytes, big-endian.
//!
//! Refuses entries over 65,535 bytes, another number of entries than the width, and bytes behind the last.

use super::MAX_ENTRY;
use super::tile::{Bundle, FULL, refuse};
use crate::problem::Finding;

/// The most bytes of a bundle.
pub const MAX_BYTES: usize = FULL as usize * (2 + MAX_ENTRY);

/// The bundle of these entries.
pub fn write<'a>(entries: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, Finding> {
    let mut bytes = Vec::new();
    for entry in entries {
        let length = u16::try_from(entry.len())
            .map_err(|_| refuse(format!("an entry of {} bytes", entry.len()), format!("at most {MAX_ENTRY} bytes")))?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(entry);
    }
    Ok(bytes)
}

impl Bundle {
    /// Reads the entries: exactly as many as the width, and nothing behind them.
    pub fn entries<'a>(&self, bytes: &'a [u8]) -> Result<Vec<&'a [u8]>, Finding> {
        let width = usize::from(self.width());
        let mut entries = Vec::with_capacity(width);
        let mut rest = bytes;
        while !rest.is_empty() && entries.len() < width {
            let cut = rest
                .split_first_chunk::<2>()
                .and_then(|(length, behind)| behind.split_at_checked(usize::from(u16::from_be_bytes(*length))));
            let Some((entry, behind)) = cut else {
                return Err(refuse(format!("entry {} of {self} cut off", entries.len()), "whole entries"));
            };
            entries.push(entry);
            rest = behind;
        }
        if entries.len() == width && rest.is_empty() {
            return Ok(entries);
        }
        let found = format!("{} entries in {self} and {} bytes behind them", entries.len(), rest.len());
        Err(refuse(found, format!("exactly {width} entries")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn written_and_read_again() {
        let long = vec![9; MAX_ENTRY];
        let entries: [&[u8]; 3] = [b"", b"one", &long];
        let bytes = write(entries).unwrap();
        let bundle = Bundle::in_tree(3, 0).unwrap();
        assert_eq!(bundle.entries(&bytes).unwrap(), entries);
        let mut more = bytes.clone();
        more.push(0);
        for bad in [&bytes[..bytes.len() - 1], &bytes[..6], &bytes[..1], &more, &[]] {
            assert!(bundle.entries(bad).is_err());
        }
        assert!(Bundle::in_tree(2, 0).unwrap().entries(&bytes).is_err());
        assert!(Bundle::in_tree(4, 0).unwrap().entries(&bytes).is_err());
        assert!(write([&vec![0; MAX_ENTRY + 1][..]]).is_err());
    }
}
