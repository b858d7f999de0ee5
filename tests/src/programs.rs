//! The two programs as users run them: built once, started with a clean environment, ended by their process id.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Where the programs lie. They are built when they are not up to date.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // A test binary lies in `<target>/<profile>/deps`.
        let this = std::env::current_exe().expect("the path of this program");
        let folder = this.ancestors().nth(2).expect("a folder above deps").to_path_buf();
        let release = folder.file_name().is_some_and(|name| name == "release");
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
        // What cargo tells a test of its package would make build scripts believe that something has changed.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            let ours =
                ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_", "CARGO_RUSTC_"];
            if ours.iter().any(|prefix| name.starts_with(prefix)) || name == "LD_LIBRARY_PATH" || name == "CARGO" {
                build.env_remove(&*name);
            }
        }
        build.args(["build", "--quiet", "--workspace", "--bins", "--offline"]);
        build.args(release.then_some("--release")).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        build.arg("--target-dir").arg(folder.parent().expect("a folder above the profile"));
        assert!(build.status().expect("cargo runs").success(), "the programs do not build");
        folder
    })
}

/// The command line with nothing in its environment but its home.
pub fn retoque(home: &Path) -> Command {
    let mut command = clean("retoque");
    command.env("RETOQUE_HOME", home);
    command
}

/// The registry with nothing in its environment.
pub fn retoque_registry() -> Command {
    clean("retoque-registry")
}

fn clean(name: &str) -> Command {
    let mut command = Command::new(folder().join(name));
    command.env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

/// What a program left behind.
#[derive(Debug)]
pub struct Run {
    /// Exit status; -1 when a signal ended it.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// Runs it to its end.
    pub fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the program starts");
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// The run, which has to have ended with this status.
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        self
    }

    /// The one JSON document on standard output.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }

    /// Whether this is said anywhere.
    pub fn says(&self, text: &str) -> bool {
        self.stdout.contains(text) || self.stderr.contains(text)
    }
}

/// A running registry. It is killed when this value goes.
pub struct Service {
    child: Child,
    log: PathBuf,
}

impl Service {
    /// Serves the installation in `dir` and returns once it says that it listens. What it logs goes to `log`.
    pub fn start(dir: &Path, log: &Path) -> Self {
        Self::of(retoque_registry().arg("serve").arg("--dir").arg(dir), log).0
    }

    /// Starts any service of the registry program and returns once it says where it listens. What it logs goes to `log`.
    pub fn of(command: &mut Command, log: &Path) -> (Self, String) {
        let errors = File::options().create(true).append(true).open(log).expect("a log file");
        let mut child = command.stdout(Stdio::piped()).stderr(errors).spawn().expect("the registry starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("text");
        let service = Self { child, log: log.to_owned() };
        let address = line.trim_end().strip_prefix("listening on ").map(str::to_owned);
        let address = address.unwrap_or_else(|| panic!("{line}{}", service.log()));
        (service, address)
    }

    /// Everything that was logged so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it at once, as a fault of the machine would.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ended");
    }

    /// Asks it to end.
    pub fn terminate(&self) {
        let status = Command::new("kill").args(["-s", "TERM", &self.id().to_string()]).status().expect("kill runs");
        assert!(status.success());
    }

    /// Waits for its end and gives the exit status.
    pub fn end(mut self) -> Option<i32> {
        self.child.wait().expect("it ended").code()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
