//! What a command gets besides its arguments: where to print, what to ask, which settings hold.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal as _, Write};

use retoque_core::problem::{CONFIRMATION_NEEDED, Findings, INPUT_UNREADABLE};
use retoque_core::sign::Time;
use serde::Serialize;

use crate::args::Global;
use crate::config::Environment;
use crate::error::Failure;
use crate::output::{Output, Page, Progress};

/// Everything that a run takes from the outside; tests make their own.
pub struct Invocation {
    /// The command line, program name first.
    pub args: Vec<OsString>,
    /// The environment variables that count.
    pub environment: Environment,
    /// Standard input, output and error.
    pub streams: Streams,
    /// When the command begins; the clock says so when it is absent.
    pub start: Option<Time>,
}

/// The three standard streams and which of them are terminals.
pub struct Streams {
    /// Standard input.
    pub stdin: Box<dyn BufRead + Send>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// Whether standard input is a terminal, so that questions can be asked.
    pub stdin_terminal: bool,
    /// Whether standard output is a terminal, so that colours make sense.
    pub stdout_terminal: bool,
    /// Whether standard error is a terminal, so that progress bars make sense.
    pub stderr_terminal: bool,
}

impl Invocation {
    /// The invocation of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self {
            args: std::env::args_os().collect(),
            environment: Environment::of_process(),
            streams: Streams {
                stdin: Box::new(io::BufReader::new(io::stdin())),
                stdout: Box::new(io::stdout()),
                stderr: Box::new(io::stderr()),
                stdin_terminal: io::stdin().is_terminal(),
                stdout_terminal: io::stdout().is_terminal(),
                stderr_terminal: io::stderr().is_terminal(),
            },
            start: None,
        }
    }
}

/// What a command works with.
pub struct Context {
    /// The global flags.
    pub global: Global,
    /// The environment variables that count.
    pub environment: Environment,
    /// When this command began: the one time that all its checks use.
    pub start: Time,
    output: Output,
}

impl Context {
    /// A context for one command that begins at `start`.
    pub fn new(global: Global, environment: Environment, start: Time, output: Output) -> Self {
        Self { global, environment, start, output }
    }

    /// The result of the command: `value` as JSON under `--json`, else the page that `text` fills.
    ///
    /// Called exactly once by a command that succeeds.
    pub fn report<T: Serialize>(&mut self, value: &T, text: impl FnOnce(&mut Page)) -> Result<(), Failure> {
        self.output.report(value, text)
    }

    /// Raw bytes on standard output, for commands whose result is a file (`completions`, converted lines).
    pub fn stdout(&mut self) -> &mut dyn Write {
        self.output.stdout()
    }

    /// A warning on standard error, also under `--json` and `--quiet`.
    pub fn warn(&mut self, text: impl Display) {
        self.output.warn(&text.to_string());
    }

    /// The warnings among `findings`, on standard error.
    pub fn warn_findings(&mut self, findings: &Findings) {
        for finding in findings.list() {
            self.output.warn(&finding.to_string());
        }
    }

    /// A remark on standard error, unless `--quiet` or `--json`.
    pub fn note(&mut self, text: impl Display) {
        self.output.note(&text.to_string());
    }

    /// A progress bar of `total` bytes; invisible when standard error is no terminal or with `--quiet`.
    pub fn progress(&self, label: &'static str, total: u64) -> Progress {
        Progress::new(label, total, self.output.shows_progress())
    }

    /// A progress bar of `total` things; invisible like [`Context::progress`].
    pub fn count(&self, label: &'static str, total: u64) -> Progress {
        Progress::count(label, total, self.output.shows_progress())
    }

    /// Whether somebody is there to answer.
    pub fn interactive(&self) -> bool {
        self.output.interactive()
    }

    /// Asks a yes-or-no question. Without a terminal it refuses and names the flag that answers instead.
    pub fn confirm(&mut self, question: &str, flag: &str) -> Result<(), Failure> {
        if !self.interactive() {
            return Err(Failure::new(
                CONFIRMATION_NEEDED,
                format!("this needs a yes: {question}"),
                format!("add {flag}"),
            ));
        }
        self.output.ask(&format!("{question} [y/N] "));
        let answer = self.read_line()?;
        if matches!(answer.trim(), "y" | "Y" | "yes") {
            return Ok(());
        }
        Err(Failure::new(CONFIRMATION_NEEDED, "not confirmed; nothing was done", ""))
    }

    /// Asks for a line of text; `None` without a terminal.
    pub fn ask(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        if !self.interactive() {
            return Ok(None);
        }
        self.output.ask(prompt);
        self.read_line().map(|line| Some(line.trim().to_owned()))
    }

    /// Asks for a secret without showing it. Only where [`Context::interactive`].
    pub fn ask_secret(&mut self, prompt: &str) -> Result<String, Failure> {
        self.output.ask(prompt);
        console::Term::stderr()
            .read_secure_line()
            .map_err(|e| Failure::new(INPUT_UNREADABLE, format!("the terminal: {e}"), "use --token-file"))
    }

    /// One line of standard input, at most 64 KiB.
    pub fn read_line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        io::Read::take(self.output.stdin(), 64 << 10).read_line(&mut line).map_err(|e| {
            Failure::new(INPUT_UNREADABLE, format!("standard input: {e}"), "give it as one line of text")
        })?;
        Ok(line)
    }

    /// Prints the failure, if there is one, and returns the exit status.
    pub fn finish(mut self, result: Result<(), Failure>) -> u8 {
        match result {
            Ok(()) => self.output.flush(),
            Err(failure) => self.output.failure(&failure),
        }
    }
}
