//! A connection that ends when its other end takes what is written too slowly.
//!
//! Without it, a client that asks and reads nothing, or a little each minute, keeps its connection, and what was prepared
//! for it, for ever. Only the time counts in which a write waits for the client: whoever takes all that there is may be as
//! slow as the service itself.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// The waiting after which it is looked at how much was taken meanwhile.
const WINDOW: Duration = Duration::from_mins(1);

/// A stream whose writes fail when they were waited for in all for a [`WINDOW`] in which too little was taken.
pub(crate) struct Impatient<S> {
    stream: S,
    /// What has to be taken in a window.
    least: u64,
    /// What was taken in this window.
    taken: u64,
    /// How long writes have waited in this window, the present one left aside.
    waited: Duration,
    /// Since when the present write waits, and what ends the window.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Impatient<S> {
    /// Wraps `stream`; `rate` is how many bytes in a second have to be taken at least.
    pub(crate) const fn new(stream: S, rate: u64) -> Self {
        let least = rate.saturating_mul(WINDOW.as_secs());
        Self { stream, least, taken: 0, waited: Duration::ZERO, waiting: None }
    }

    /// Passes `result` on, unless it is at the end of a window with too little.
    fn hold(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = result {
            if let Some((since, _)) = self.waiting.take() {
                self.waited += since.elapsed();
            }
            self.taken += result.as_ref().map_or(0, |count| *count as u64);
            return Poll::Ready(result);
        }
        loop {
            let left = WINDOW.saturating_sub(self.waited);
            let (_, end) =
                self.waiting.get_or_insert_with(|| (crate::clock::tick(), Box::pin(tokio::time::sleep(left))));
            if end.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            if self.taken < self.least {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            (self.taken, self.waited, self.waiting) = (0, Duration::ZERO, None);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.hold(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.hold(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

    use super::*;

    /// Takes `part` bytes of `total` after each pause.
    async fn take(far: &mut DuplexStream, total: usize, part: usize, pause: Duration) {
        let mut bytes = vec![0; part];
        for _ in 0..total / part {
            tokio::time::sleep(pause).await;
            far.read_exact(&mut bytes).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_given_up() {
        let (near, _far) = tokio::io::duplex(10);
        let error = Impatient::new(near, 1).write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_a_little_now_and_then_is_given_up() {
        let (near, mut far) = tokio::io::duplex(10);
        let mut near = Impatient::new(near, 1);
        let begun = Instant::now();
        let error = tokio::select! {
            written = near.write_all(&[0; 1000]) => written.unwrap_err(),
            () = take(&mut far, 1000, 10, Duration::from_secs(20)) => panic!("all was taken"),
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() < Duration::from_secs(130), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_keeps_the_rate_gets_all() {
        let (near, mut far) = tokio::io::duplex(10);
        let mut near = Impatient::new(near, 1);
        let (written, ()) = tokio::join!(near.write_all(&[0; 1000]), take(&mut far, 1000, 10, Duration::from_secs(9)));
        written.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_service_takes_its_time_for_is_not_the_readers_fault() {
        let (near, mut far) = tokio::io::duplex(10);
        let mut near = Impatient::new(near, 1000);
        let writing = async {
            for _ in 0..20 {
                tokio::time::sleep(Duration::from_secs(30)).await;
                near.write_all(&[0; 10]).await.unwrap();
            }
        };
        tokio::join!(writing, take(&mut far, 200, 10, Duration::ZERO));
    }
}
