//! The two ways in which a command speaks: text for people, or one JSON document.
//!
//! - Standard output carries the result and nothing else. Under `--json` it is exactly one JSON document,
//!   also when the command fails: then it is the failure (`code`, `detail`, `findings`, `next`, `exit_status`).
//! - Standard error carries warnings, remarks, progress and, without `--json`, failures.
//! - Text that comes from files or from a registry is neutralised before a terminal sees it ([`clean`]).
//! - A reader that goes away (`retoque … | head`) ends the output quietly, not the exit status.

mod clean;
mod page;
mod progress;
mod refusal;

pub use clean::{clean, clean_block};
pub use page::Page;
pub use progress::Progress;

use std::io::{self, BufRead, Write};

use clap::builder::StyledStr;
use retoque_core::problem::OUTPUT_UNWRITABLE;
use serde::Serialize;

use crate::context::Streams;
use crate::error::Failure;

/// The streams of one command and how to use them.
pub struct Output {
    streams: Streams,
    json: bool,
    quiet: bool,
    colour: bool,
}

impl Output {
    /// Output on `streams`.
    pub fn new(streams: Streams, json: bool, quiet: bool, no_color: bool) -> Self {
        Self { streams, json, quiet, colour: !no_color }
    }

    /// Standard input.
    pub fn stdin(&mut self) -> &mut dyn BufRead {
        &mut *self.streams.stdin
    }

    /// Standard output.
    pub fn stdout(&mut self) -> &mut dyn Write {
        &mut *self.streams.stdout
    }

    /// Whether questions can be asked and answered.
    pub fn interactive(&self) -> bool {
        self.streams.stdin_terminal && self.streams.stderr_terminal && !self.json
    }

    /// Whether progress bars are drawn.
    pub fn shows_progress(&self) -> bool {
        self.streams.stderr_terminal && !self.quiet && !self.json
    }

    /// The result of a command.
    pub fn report<T: Serialize>(&mut self, value: &T, text: impl FnOnce(&mut Page)) -> Result<(), Failure> {
        let bytes = if self.json {
            json(value)
        } else {
            let mut page = Page::new(self.colour && self.streams.stdout_terminal);
            text(&mut page);
            page.finish().into_bytes()
        };
        written(self.streams.stdout.write_all(&bytes))
    }

    /// A warning.
    pub fn warn(&mut self, text: &str) {
        let label = self.paint("33", "warning");
        self.tell(&format!("{label}: {}\n", clean(text)));
    }

    /// A remark.
    pub fn note(&mut self, text: &str) {
        if !self.quiet && !self.json {
            self.tell(&format!("{}\n", clean(text)));
        }
    }

    /// A question, without line end.
    pub fn ask(&mut self, text: &str) {
        self.tell(&clean(text));
    }

    /// Prints a failure and returns its exit status.
    pub fn failure(&mut self, failure: &Failure) -> u8 {
        if self.json {
            let _ = self.streams.stdout.write_all(&json(failure));
            let _ = self.streams.stdout.flush();
        } else {
            let (error, hint) = (self.paint("1;31", "error"), self.paint("36", "hint"));
            self.tell(&refusal::text(failure, &error, &hint));
        }
        failure.exit_status()
    }

    /// What clap answers to `--help` and `--version`; under `--json` the text is the one member `name` of a document.
    pub fn help(&mut self, name: &str, text: &StyledStr) -> u8 {
        if self.json {
            let document = serde_json::json!({ name: text.to_string().trim_end() });
            let _ = self.streams.stdout.write_all(&json(&document));
            return self.flush();
        }
        let text = if self.colour && self.streams.stdout_terminal { text.ansi().to_string() } else { text.to_string() };
        let _ = self.streams.stdout.write_all(text.as_bytes());
        self.flush()
    }

    /// What clap says to wrong usage.
    pub fn usage(&mut self, text: &StyledStr) -> u8 {
        let text = if self.colour && self.streams.stderr_terminal { text.ansi().to_string() } else { text.to_string() };
        self.tell(&text);
        2
    }

    /// Ends the output of a command that succeeded.
    pub fn flush(&mut self) -> u8 {
        match written(self.streams.stdout.flush()) {
            Ok(()) => 0,
            Err(failure) => self.failure(&failure),
        }
    }

    fn paint(&self, style: &str, text: &str) -> String {
        if self.colour && self.streams.stderr_terminal {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    // Nothing can be told about a standard error that does not take the message.
    fn tell(&mut self, text: &str) {
        let _ = self.streams.stderr.write_all(text.as_bytes());
        let _ = self.streams.stderr.flush();
    }
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_else(|e| {
        format!("{{\"code\":\"internal\",\"detail\":\"{}\"}}", e.to_string().escape_debug()).into_bytes()
    });
    bytes.push(b'\n');
    clean::escape_json(bytes)
}

/// A reader that went away is no failure.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(Failure::new(OUTPUT_UNWRITABLE, format!("standard output: {e}"), "check where it goes")),
    }
}
