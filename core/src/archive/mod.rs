//! The package format: a deterministic ustar stream in seekable Zstandard frames.
//!
//! [`write`](mod@write) makes it, [`read`] takes it in one forward pass with bounded memory, [`seek`] finds any
//! file and any range of it without the rest, and [`header`] and [`frame`] hold the two layers below. A package
//! is never unpacked blindly: each tar header must be the bytes that the writer would have made, in the order in
//! which it would have made them, and each frame must hold exactly what the layout gives it. Refused are links,
//! folders, extension headers, other names, other cuts, dictionaries, windows over 8 MiB and bytes after the end.
//!
//! Clause: specification, sections 2 and 3; rules 36 to 38.

mod fault;
pub mod frame;
pub mod header;
pub mod ingest;
pub mod layer;
pub mod limits;
pub mod path;
pub mod peek;
pub mod read;
pub mod seek;
mod stream;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "tests")]
mod tests;
pub mod write;

pub use fault::finding_of;
pub use limits::Limits;

/// The content of one frame, and of one separately digested piece of a large file.
pub const PIECE: u64 = 4 << 20;

/// The files of a package, in the order in which they stand (by bytes of the name). No other is taken.
pub const FILES: [&str; 5] = [README, CONFIG, WEIGHTS, EVALUATION, MANIFEST];

/// Generated description for readers and model hubs.
pub const README: &str = "README.md";
/// Configuration of the adapter, rewritten to the pinned base.
pub const CONFIG: &str = "adapter_config.json";
/// The weights, as trained.
pub const WEIGHTS: &str = "adapter_model.safetensors";
/// Counts and opaque case ids of the evaluation.
pub const EVALUATION: &str = "evaluation.json";
/// The canonical statement of everything else.
pub const MANIFEST: &str = "manifest.json";

/// Bytes of padding that bring `size` to a full tar block.
pub const fn padding(size: u64) -> u64 {
    (header::BLOCK as u64 - size % header::BLOCK as u64) % header::BLOCK as u64
}
