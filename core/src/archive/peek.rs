//! The manifest of a package without reading the rest: the seek table says which frame holds it.
//!
//! A look ahead and nothing more. Neither the structure nor any digest is checked; whoever acts on the package runs the
//! whole check after it. Gives nothing for what does not end as a package does. Clause: specification, section 2.

use std::io::{self, Read, Seek, SeekFrom};

use super::frame::{compress_bound, decompress};
use super::seek::{FOOTER, Frame, SeekTable};
use crate::manifest::{MAX_BYTES, Manifest};

/// Frames of the smallest package: five headers, five contents, the end.
const FRAMES_LEAST: usize = 11;
/// Bytes of the longest seek table that is looked at.
const TABLE_MOST: u64 = 64 << 20;

/// The manifest, if the end of `source` is that of a package. Fails only when reading fails.
pub fn manifest<R: Read + Seek>(source: &mut R) -> io::Result<Option<Manifest>> {
    let size = source.seek(SeekFrom::End(0))?;
    let Some(footer) = tail::<_, FOOTER>(source, size)? else { return Ok(None) };
    let table_size = SeekTable::len_from_footer(footer).ok().map(|length| length as u64);
    let Some(table_size) = table_size.filter(|length| *length <= size.min(TABLE_MOST)) else { return Ok(None) };
    let Ok(table) = SeekTable::parse(&part(source, size - table_size, table_size)?) else { return Ok(None) };
    if table.frames.len() < FRAMES_LEAST || table.compressed() != size - table_size {
        return Ok(None);
    }
    let [.., Frame { compressed, content }, last] = table.frames.as_slice() else { return Ok(None) };
    let (compressed, content) = (u64::from(*compressed), u64::from(*content));
    if content > MAX_BYTES as u64 || compressed > compress_bound(content) {
        return Ok(None);
    }
    let stored = part(source, size - table_size - u64::from(last.compressed) - compressed, compressed)?;
    Ok(decompress(&stored, content).ok().and_then(|bytes| Manifest::from_bytes(&bytes).ok()))
}

fn tail<R: Read + Seek, const N: usize>(source: &mut R, size: u64) -> io::Result<Option<[u8; N]>> {
    let Some(from) = size.checked_sub(N as u64) else { return Ok(None) };
    Ok(part(source, from, N as u64)?.try_into().ok())
}

fn part<R: Read + Seek>(source: &mut R, from: u64, length: u64) -> io::Result<Vec<u8>> {
    source.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    source.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
