//! The file `consistency`: the hashes of a consistency proof, one line of base64 each.
//!
//! It names no size and no root; those come from the two checkpoints. For equal sizes it is empty.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::digest::Digest;
use crate::log::tree::MAX_PROOF;
use crate::problem::{Finding, PROOF_INVALID, Place};

/// The most bytes.
pub const MAX_BYTES: usize = MAX_PROOF * 45;

/// The text of a proof.
pub fn write_consistency(proof: &[Digest]) -> String {
    proof.iter().fold(String::new(), |text, hash| text + &STANDARD.encode(hash.as_bytes()) + "\n")
}

/// Reads a proof. Anything but the one text of these hashes is refused.
pub fn parse_consistency(bytes: &[u8]) -> Result<Vec<Digest>, Finding> {
    let refuse = || {
        let found = "lines that are not hashes in base64";
        let next = "make the bundle anew with `retoque bundle create`";
        Finding::new(PROOF_INVALID, Place::file(super::CONSISTENCY), found, "at most 63 hashes, one a line", next)
    };
    let text = std::str::from_utf8(bytes).map_err(|_| refuse())?;
    let hash = |line: &str| {
        let bytes = STANDARD.decode(line).ok()?;
        <[u8; 32]>::try_from(bytes).ok().map(Digest::from_bytes)
    };
    let proof: Vec<Digest> = text.lines().map(hash).collect::<Option<_>>().ok_or_else(refuse)?;
    if proof.len() <= MAX_PROOF && write_consistency(&proof) == text { Ok(proof) } else { Err(refuse()) }
}
