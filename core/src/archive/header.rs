//! The tar header: the one form that is written, and what is wrong with any other.
//!
//! POSIX ustar, mode 0644, owner and time zero, no owner names, type `0`. Refuses every other type, extension
//! headers, base-256 numbers, and anything that is not byte for byte what [`encode`] makes of the name and size.
//! Clause: specification, section 2; rule 36.

use super::fault::{REPACK, shown};
use super::path;
use crate::problem::{
    CHECKSUM, EXTENDED_HEADER, FORMAT, Finding, HEADER_NOT_CANONICAL, LINK_ENTRY, MODE, Place, SIZE_INVALID,
    SPARSE_ENTRY, SPECIAL_ENTRY,
};

/// The unit of a tar stream.
pub const BLOCK: usize = 512;

/// The largest size that eleven octal digits can say.
pub const MAX_SIZE: u64 = 0o777_7777_7777;

/// The bytes of one header.
pub type Block = [u8; BLOCK];

/// The header of a regular file, or `None` when the name or the size does not fit a plain header.
pub fn encode(name: &str, size: u64) -> Option<Block> {
    if name.is_empty() || name.len() > path::MAX_BYTES || size > MAX_SIZE {
        return None;
    }
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[108..116].copy_from_slice(b"0000000\0");
    block[116..124].copy_from_slice(b"0000000\0");
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[136..147].copy_from_slice(b"00000000000");
    block[156] = b'0';
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum = format!("{:06o}\0 ", sum(&block));
    block[148..156].copy_from_slice(sum.as_bytes());
    Some(block)
}

/// The same, with a folder in the ustar prefix, where there is room for names that are longer than [`path::MAX_BYTES`].
pub fn encode_in(folder: &str, name: &str, size: u64) -> Option<Block> {
    let mut block = encode(name, size)?;
    if folder.len() > 155 {
        return None;
    }
    block[345..345 + folder.len()].copy_from_slice(folder.as_bytes());
    let sum = format!("{:06o}\0 ", sum(&block));
    block[148..156].copy_from_slice(sum.as_bytes());
    Some(block)
}

/// The sum of all bytes, the checksum field counted as blanks.
fn sum(block: &Block) -> u64 {
    let field = 148..156;
    block.iter().enumerate().map(|(at, b)| if field.contains(&at) { u64::from(b' ') } else { u64::from(*b) }).sum()
}

/// What a header says, whether or not it may say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The name, with the ustar prefix in front.
    pub name: Vec<u8>,
    /// The size, when it is plain octal.
    pub size: Option<u64>,
    /// The type byte.
    pub kind: u8,
}

impl Header {
    /// Reads the fields without judging them.
    pub fn parse(block: &Block) -> Self {
        let mut name = text(&block[345..500]).to_vec();
        if !name.is_empty() {
            name.push(b'/');
        }
        name.extend_from_slice(text(&block[..100]));
        Self { name, size: octal(&block[124..136]), kind: block[156] }
    }

    /// The place of this entry in messages.
    pub fn place(&self) -> Place {
        Place::file(shown(&self.name))
    }

    /// Whether it is an extension header, whose content says something about the next entry.
    pub const fn is_extension(&self) -> bool {
        matches!(self.kind, b'x' | b'g' | b'L' | b'K' | b'X' | b'N' | b'V' | b'M')
    }
}

/// Everything that makes `block` another header than the one the packer writes. The name is judged by
/// [`path::fault`], apart from bytes hidden behind its end.
pub fn faults(block: &Block) -> Vec<Finding> {
    let header = Header::parse(block);
    let mut list = Vec::new();
    let mut add = |code, found: String, expected: &str| {
        list.push(Finding::new(code, header.place(), found, expected, REPACK));
    };
    if octal(&block[148..156]) != Some(sum(block)) {
        add(CHECKSUM, shown(text(&block[148..156])), &format!("the header's sum {:06o}", sum(block)));
    }
    if &block[257..265] != b"ustar\x0000" && !header.is_extension() && header.kind != b'S' {
        add(FORMAT, format!("magic {}", shown(&block[257..265])), "POSIX ustar");
    }
    match header.kind {
        b'0' => {}
        b'1' | b'2' => add(LINK_ENTRY, format!("a link to {}", shown(text(&block[157..257]))), "a regular file"),
        b'S' => add(SPARSE_ENTRY, "a GNU sparse file".to_owned(), "a regular file"),
        b'3' | b'4' | b'6' => add(SPECIAL_ENTRY, "a device or pipe".to_owned(), "a regular file"),
        b'5' | b'D' => add(SPECIAL_ENTRY, "a folder".to_owned(), "files only; folders follow from names"),
        _ if header.is_extension() => {
            add(EXTENDED_HEADER, format!("an extension header of type {}", shown(&[header.kind])), "plain ustar");
        }
        0 => add(FORMAT, "the type byte of old archives".to_owned(), "type 0"),
        kind => add(SPECIAL_ENTRY, format!("an entry of type {}", shown(&[kind])), "a regular file"),
    }
    if header.size.is_none() {
        add(SIZE_INVALID, shown(&block[124..136]), "eleven octal digits");
    }
    if &block[100..108] != b"0000644\0" {
        add(MODE, shown(text(&block[100..108])), "0000644");
    }
    if list.is_empty() && !canonical(block, &header) {
        let found = difference(block, &header);
        list.push(Finding::new(HEADER_NOT_CANONICAL, header.place(), found, "the packer's own form", REPACK));
    }
    list
}

/// Whether the header is what [`encode`] makes, or the same with the name divided by the ustar prefix or with
/// written-out device numbers, which change nothing about a regular file.
fn canonical(block: &Block, header: &Header) -> bool {
    let Ok(name) = std::str::from_utf8(&header.name) else { return true };
    let Some(size) = header.size else { return false };
    let mut plain = *block;
    if name.len() <= path::MAX_BYTES {
        plain[..100].fill(0);
        plain[345..500].fill(0);
        plain[..name.len()].copy_from_slice(name.as_bytes());
        let whole = |field: &[u8]| field.iter().skip_while(|b| **b != 0).all(|b| *b == 0);
        if !whole(&block[..100]) || !whole(&block[345..500]) {
            return false;
        }
    }
    for field in [329..337, 337..345] {
        if &plain[field.clone()] == b"0000000\0" {
            plain[field].fill(0);
        }
    }
    let sum = format!("{:06o}\0 ", sum(&plain));
    plain[148..156].copy_from_slice(sum.as_bytes());
    encode(name, size).is_some_and(|expected| expected == plain)
        // Names that are too long or not text are refused for what they are, not for the header around them.
        || name.is_empty()
        || name.len() > path::MAX_BYTES
}

/// The fields of a header, without the checksum.
const FIELDS: [(&str, usize, usize); 13] = [
    ("name", 0, 100),
    ("mode", 100, 108),
    ("owner", 108, 116),
    ("group", 116, 124),
    ("size", 124, 136),
    ("time", 136, 148),
    ("type", 156, 157),
    ("link", 157, 257),
    ("magic", 257, 265),
    ("owner name", 265, 297),
    ("group name", 297, 329),
    ("device", 329, 345),
    ("rest", 345, 512),
];

fn difference(block: &Block, header: &Header) -> String {
    let expected = std::str::from_utf8(&header.name).ok().and_then(|name| encode(name, header.size.unwrap_or(0)));
    let Some(expected) = expected else { return "a name that is not text".to_owned() };
    for (name, from, to) in FIELDS {
        if block[from..to] != expected[from..to] {
            return format!("{name} {}", shown(text(&block[from..to])));
        }
    }
    format!("checksum {}", shown(&block[148..156]))
}

/// The bytes of a field before its first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|b| *b == 0).next().unwrap_or(field)
}

/// A number in octal digits, ended by NUL or blank; nothing else may stand in the field.
fn octal(field: &[u8]) -> Option<u64> {
    let end = field.iter().position(|b| matches!(b, 0 | b' ')).unwrap_or(field.len());
    let (digits, rest) = field.split_at(end);
    if digits.is_empty() || !rest.iter().all(|b| matches!(b, 0 | b' ')) {
        return None;
    }
    digits.iter().try_fold(0u64, |value, b| match b {
        b'0'..=b'7' => value.checked_mul(8)?.checked_add(u64::from(b - b'0')),
        _ => None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_taken() {
        for (name, size) in [("README.md", 0), ("a/b", 1), ("adapter_model.safetensors", MAX_SIZE)] {
            let block = encode(name, size).unwrap();
            assert_eq!(faults(&block), Vec::new());
            assert_eq!(Header::parse(&block), Header { name: name.into(), size: Some(size), kind: b'0' });
        }
        assert!(
            encode("", 0).is_none() && encode("a", MAX_SIZE + 1).is_none() && encode(&"x".repeat(101), 0).is_none()
        );
    }

    #[test]
    fn every_other_byte_is_refused() {
        let good = encode("manifest.json", 4095).unwrap();
        for at in 0..BLOCK {
            let mut block = good;
            block[at] ^= 0x15;
            assert!(!faults(&block).is_empty(), "byte {at}");
            // Also when whoever changed it has repaired the checksum.
            let sum = format!("{:06o}\0 ", sum(&block));
            block[148..156].copy_from_slice(sum.as_bytes());
            assert!(
                !faults(&block).is_empty()
                    || Header::parse(&block).name != b"manifest.json"
                    || block == good
                    || Header::parse(&block).size != Some(4095),
                "byte {at} with its checksum"
            );
        }
    }
}
