//! Compressing on all cores. Each piece gives the same frame wherever it is compressed.

use std::io;
use std::num::NonZero;
use std::thread;

use retoque_core::archive::frame;
use retoque_core::archive::write::Compressor;

/// One thread per piece, as many at a time as there are cores.
pub(super) struct Threads(usize);

impl Threads {
    /// As many threads as this machine runs at a time, and no more than memory should hold pieces of.
    pub(super) fn of_machine() -> Self {
        Self(thread::available_parallelism().map_or(1, NonZero::get).min(8))
    }
}

impl Compressor for Threads {
    fn width(&self) -> usize {
        self.0
    }

    fn compress(&self, pieces: &[Vec<u8>], meanwhile: &mut dyn FnMut()) -> Vec<io::Result<Vec<u8>>> {
        thread::scope(|scope| {
            let running: Vec<_> = pieces.iter().map(|piece| scope.spawn(|| frame::compress(piece))).collect();
            meanwhile();
            let failed = |_| Err(io::Error::other("a thread ended without a result"));
            running.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
        })
    }
}
