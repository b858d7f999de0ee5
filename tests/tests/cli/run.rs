//! Runs a command in this process, with its own streams and an empty environment.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use retoque_cli::config::Environment;
use retoque_cli::{Invocation, Streams};

/// What a command left behind.
pub struct Run {
    pub status: u8,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `retoque` with these arguments and nothing in its environment.
pub fn retoque(args: &[&str]) -> Run {
    retoque_in(Environment::default(), "", args)
}

/// Runs `retoque` in this environment, with this text on standard input.
pub fn retoque_in(environment: Environment, stdin: &str, args: &[&str]) -> Run {
    let (stdout, stderr) = (Sink::default(), Sink::default());
    let status = retoque_cli::run(Invocation {
        args: std::iter::once("retoque").chain(args.iter().copied()).map(Into::into).collect(),
        environment,
        streams: Streams {
            stdin: Box::new(io::Cursor::new(stdin.as_bytes().to_vec())),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            stdin_terminal: false,
            stdout_terminal: false,
            stderr_terminal: false,
        },
        start: None,
    });
    Run { status, stdout: stdout.text(), stderr: stderr.text() }
}

/// The one JSON document of a text.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("not one JSON document ({e}): {text}"))
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
