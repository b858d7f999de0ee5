//! A bundle: a pulled folder in one file, with what proves its state at a time.
//!
//! A plain ustar file in one form. Beside the folder `<slug>-<version>` with the names of a pulled folder stand the roots
//! up to the newest, the newest checkpoint with its cosignatures, the proof that this continues the log in which the
//! release is proven, and the signed status of that log. What decides comes first, so that every byte is judged as it
//! passes: memory does not grow with the file, nothing is unpacked, and nothing is asked over a network. Unpacked with
//! `tar -xf`, the folder is a pulled folder that verifies by itself.
//!
//! Refused are other names, another order, links, headers in any other form, sizes beyond the limits, a file that ends
//! early, and bytes after its end. Clause: specification, section 8.

mod consistency;
mod layout;
mod read;
#[cfg(test)]
mod tests;
mod verify;
#[cfg(test)]
mod verify_tests;
mod write;

pub use consistency::{MAX_BYTES as MAX_CONSISTENCY, parse_consistency, write_consistency};
pub use layout::{CHECKPOINT, CONSISTENCY, MAX_ROOTS, Member, ROOTS, STATUS, file_name, folder_name};
pub use read::{Content, Reader};
pub use verify::{Keeper, Nothing, VerifiedBundle, verify};
pub use write::Writer;
