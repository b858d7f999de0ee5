//! What a file is that is not safetensors, told from its first bytes.

use crate::problem::{
    Finding, Place, WEIGHTS_EMPTY, WEIGHTS_LFS_POINTER, WEIGHTS_NOT_SAFETENSORS, WEIGHTS_PICKLE, WEIGHTS_TRUNCATED,
};

const EXPECTED: &str = "a safetensors file";

/// The finding about a file whose first eight bytes are not a possible header length, when its kind is known.
///
/// Only asked after the length has failed: 0x80 and `<` can also begin a possible length.
pub(super) fn sniff(start: &[u8], size: u64, place: &Place) -> Option<Finding> {
    let not =
        |found: &str, next: &str| Some(Finding::new(WEIGHTS_NOT_SAFETENSORS, place.clone(), found, EXPECTED, next));
    let pickle = |found: &str| {
        Some(Finding::new(
            WEIGHTS_PICKLE,
            place.clone(),
            found,
            EXPECTED,
            "save the adapter again with save_pretrained(..., safe_serialization=True)",
        ))
    };
    if size == 0 {
        return Some(Finding::new(
            WEIGHTS_EMPTY,
            place.clone(),
            "no bytes",
            EXPECTED,
            "copy the file again from where it was trained",
        ));
    }
    if start.starts_with(b"version https://git-lfs") {
        return Some(Finding::new(
            WEIGHTS_LFS_POINTER,
            place.clone(),
            "a Git LFS pointer",
            EXPECTED,
            "run `git lfs pull` in the folder's repository",
        ));
    }
    match start {
        [b'P', b'K', 3 | 5 | 7, ..] => pickle("a zip archive, as torch.save writes it"),
        [0x80, 2..=5, ..] => pickle("a Python pickle"),
        [b'<', ..] => not("an HTML or XML page", "download the file itself; the page may be a login or an error page"),
        [b'G', b'G', b'U', b'F', ..] => not("a GGUF file", "give the PEFT folder that it was converted from"),
        [b'{' | b'[', ..] => not("JSON text", "give the weights file itself, not its index or an error message"),
        [0x1f, 0x8b, ..] => not("a gzip file", "unpack it first"),
        [0x89, b'H', b'D', b'F', ..] => not("an HDF5 file", "save the adapter with PEFT as safetensors"),
        _ if size < 8 => Some(Finding::new(
            WEIGHTS_TRUNCATED,
            place.clone(),
            format!("{size} bytes"),
            "at least the 8 bytes of the header length",
            "copy the file again from where it was trained",
        )),
        _ => None,
    }
}
