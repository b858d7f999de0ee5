//! The command line within this process, at a time that the test chooses: the only way to be a day later.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use retoque_cli::config::Environment;
use retoque_cli::{Invocation, Streams};
use retoque_core::sign::Time;

use crate::programs::Run;

/// Runs `retoque` with this home, as if it were this time.
pub fn retoque_at(home: &Path, now: Time, args: &[&str]) -> Run {
    let (stdout, stderr) = (Sink::default(), Sink::default());
    let status = retoque_cli::run(Invocation {
        args: std::iter::once("retoque").chain(args.iter().copied()).map(Into::into).collect(),
        environment: Environment { home: Some(home.into()), ..Environment::default() },
        streams: Streams {
            stdin: Box::new(io::empty()),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            stdin_terminal: false,
            stdout_terminal: false,
            stderr_terminal: false,
        },
        start: Some(now),
    });
    Run { status: status.into(), stdout: stdout.text(), stderr: stderr.text() }
}

/// The time of this machine, which is that of the registry.
pub fn now() -> Time {
    Time::from_micros(jiff::Timestamp::now().as_microsecond()).map(Time::whole_second).expect("a time")
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
