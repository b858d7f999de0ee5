//! Progress of long work on standard error.

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts bytes. Cheap to clone; all clones move the same bar.
#[derive(Debug, Clone)]
pub struct Progress(Arc<ProgressBar>);

impl Progress {
    /// A bar of `total` bytes, drawn only when `visible`.
    #[must_use]
    pub fn new(label: &'static str, total: u64, visible: bool) -> Self {
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(label);
        Self(Arc::new(bar))
    }

    /// A bar that counts things, not bytes.
    #[must_use]
    pub fn count(label: &'static str, total: u64, visible: bool) -> Self {
        let bar = Self::new(label, total, visible);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}") {
            bar.0.set_style(style);
        }
        bar
    }

    /// An invisible bar, for callers that have nobody to show it to.
    #[must_use]
    pub fn hidden() -> Self {
        Self::new("", 0, false)
    }

    /// Moves on by `bytes`.
    pub fn add(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// How far it is.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.0.position()
    }

    /// Goes back to `position`: what was counted after it is done again.
    pub fn back_to(&self, position: u64) {
        self.0.set_position(position);
    }

    /// Removes the bar.
    pub fn done(&self) {
        self.0.finish_and_clear();
    }
}
