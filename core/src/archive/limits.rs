//! How large an archive and each of its files may be. Checked before anything is decoded.

use super::{CONFIG, EVALUATION, MANIFEST, README, WEIGHTS};

/// The largest Zstandard window that is decoded: what every decoder must be able to support (RFC 8878).
pub const WINDOW: u64 = 8 << 20;

/// Limits of one archive. The small files have fixed ones; the weights and the whole are configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of the archive as stored.
    pub archive: u64,
    /// Most bytes of the tar stream inside.
    pub tar: u64,
    /// Most bytes of `adapter_model.safetensors`.
    pub weights: u64,
    /// Most entries, for archives that are not known to be packages.
    pub entries: usize,
}

impl Limits {
    /// Room for the small files, the headers and frames that do not compress, beside the weights.
    const BESIDE: u64 = 64 << 20;

    /// Limits that follow from the largest weights file.
    pub const fn for_weights(weights: u64) -> Self {
        let rest = Self::BESIDE.saturating_add(weights / 64);
        Self { archive: weights.saturating_add(rest), tar: weights.saturating_add(rest), weights, entries: 256 }
    }

    /// The most bytes of the file called `name` in a package.
    pub fn file(&self, name: &str) -> u64 {
        match name {
            README => 256 << 10,
            CONFIG => 64 << 10,
            WEIGHTS => self.weights,
            EVALUATION => 16 << 20,
            MANIFEST => 4 << 20,
            _ => 0,
        }
    }
}

impl Default for Limits {
    /// Weights of up to 4 GiB, which no rank-limited adapter reaches.
    fn default() -> Self {
        Self::for_weights(4 << 30)
    }
}
