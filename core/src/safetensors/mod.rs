//! The safetensors container, read by our own strict parser.
//!
//! The reference reader opens files that must be refused: duplicate names with another shape, duplicate
//! metadata keys, unknown fields, entries written as arrays, a leading space, an empty tensor name, a gap
//! between tensors. Here all of them are findings, made from the header alone with checked arithmetic, and
//! the tensors come out in the order of their bytes, so that a reader passes over the file once.
//! Clause: specification, section 3.

mod dtype;
mod entry;
mod header;
mod layout;
mod prefix;
mod sniff;

pub use dtype::dtype_bits;
pub use header::{Header, Tensor, parse};
pub use prefix::{Prefix, Watched, read_prefix};

/// The longest header of an adapter: 1 MiB holds more than 6,000 tensors.
pub const ADAPTER_HEADER: u64 = 1 << 20;

/// The longest header of a base's weight file, which is also the limit of the reference reader.
pub const BASE_HEADER: u64 = 100_000_000;

/// The longest `__metadata__`, keys and values together.
pub const METADATA: usize = 4096;

#[cfg(test)]
mod tests;
