//! Starts the program, and speaks plain HTTP to it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The program with a clean environment.
pub(crate) fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retoque-registry"));
    command.args(args).env_clear().env("PATH", "/usr/bin:/bin");
    command
}

/// Exit status, standard output, standard error.
pub(crate) fn run(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = program(args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// A folder that `init` made, which goes away with this value.
pub(crate) struct Installation {
    parent: tempfile::TempDir,
}

impl Installation {
    pub(crate) fn made() -> Self {
        let installation = Self { parent: tempfile::tempdir().unwrap() };
        let (status, _, errors) = run(&["init", "--dir", &installation.dir()]);
        assert_eq!(status, 0, "{errors}");
        installation
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.parent.path().join("registry").join(name)
    }

    pub(crate) fn dir(&self) -> String {
        self.path("").to_str().unwrap().trim_end_matches('/').to_owned()
    }

    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.path("operator.token")).unwrap().trim().to_owned()
    }

    /// What lies in staging.
    pub(crate) fn staged(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path("storage/staging"));
        entries.map_or_else(|_| Vec::new(), |entries| entries.map(|e| e.unwrap().path()).collect())
    }
}

/// A running service. It is killed when this value goes away.
pub(crate) struct Service {
    pub(crate) child: Child,
    pub(crate) address: String,
}

impl Service {
    pub(crate) fn start(dir: &str) -> Self {
        Self::of(program(&["serve", "--dir", dir, "--listen", "127.0.0.1:0"]))
    }

    /// Starts `command` and waits until it says where it listens.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let Some(address) = line.trim().strip_prefix("listening on http://").map(str::to_owned) else {
            let mut errors = String::new();
            child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
            panic!("it did not start: {errors}");
        };
        Self { child, address }
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }

    /// The exit status, and everything that was logged.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (status.code(), log)
    }

    /// One request on a connection of its own. Answers the status and the body.
    pub(crate) fn request(&self, request: &Request<'_>) -> (u16, String) {
        answer(self.send(request))
    }

    /// Sends the head of a request, and returns once the service waits for its body.
    pub(crate) fn begin(&self, request: &Request<'_>) -> TcpStream {
        let expect = [request.headers, &[("expect", "100-continue")]].concat();
        let mut stream = self.send(&Request { headers: &expect, body: b"", ..*request });
        let mut asked = [0; 25];
        stream.read_exact(&mut asked).unwrap();
        assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream
    }

    /// Returns once no new connection is taken.
    pub(crate) fn closed(&self) {
        while TcpStream::connect(&self.address).is_ok() {
            std::thread::yield_now();
        }
    }

    /// Sends a request and does not wait for the answer.
    pub(crate) fn send(&self, request: &Request<'_>) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {}\r\n", request.method, request.path, self.address);
        for (name, value) in request.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if !request.headers.iter().any(|(name, _)| *name == "content-length") {
            let _ = write!(head, "content-length: {}\r\n", request.body.len());
        }
        head.push_str("connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // The service may answer and close before it has read everything.
        let _ = stream.write_all(request.body);
        stream
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a [u8],
}

impl<'a> Request<'a> {
    pub(crate) const fn get(path: &'a str) -> Self {
        Self { method: "GET", path, headers: &[], body: b"" }
    }
}

/// Reads the whole answer.
pub(crate) fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut text = Vec::new();
    // A connection that is cut after the answer gives an error behind it.
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("no answer: {text:?}"));
    (status, text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

/// Every file below `folder`.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
