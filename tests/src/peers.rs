//! Programs that are not ours, as judges of what is. A missing one fails the test; `./test.sh tools peers` installs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// Runs a program to its end.
pub fn run(program: &Path, arguments: &[&Path]) -> Output {
    Command::new(program).args(arguments).output().unwrap_or_else(|error| {
        panic!("{} does not start ({error}); ./test.sh tools peers installs it", program.display())
    })
}

/// Runs `openssl`.
pub fn openssl(arguments: &[&Path]) -> Output {
    run(Path::new("openssl"), arguments)
}

/// Whether `openssl pkeyutl -verify -rawin` accepts a signature over a message.
pub fn openssl_verifies(message: &Path, signature: &Path, public: &Path) -> bool {
    let [verb, verify, raw, public_in, key, input, sig] =
        ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "-in", "-sigfile"].map(Path::new);
    openssl(&[verb, verify, raw, public_in, key, public, input, message, sig, signature]).status.success()
}

/// Runs one of the scripts of `tests/peers` and gives what it says, and whether it accepts.
pub fn script(name: &str, arguments: &[&Path]) -> (bool, Value) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("RETOQUE_PEERS_PYTHON")
        .map_or_else(|| here.join("../target/peers-venv/bin/python"), PathBuf::from);
    let script = here.join("peers").join(name);
    let arguments: Vec<&Path> = std::iter::once(script.as_path()).chain(arguments.iter().copied()).collect();
    let output = run(&python, &arguments);
    let said = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{} gave no answer: {}", script.display(), String::from_utf8_lossy(&output.stderr)));
    (output.status.success(), said)
}

/// Go's own reader of transparency logs: follows the log at `url`, whose verifier key is in a file, and checks that it
/// continues every remembered note. Gives what it says, and whether it accepts.
pub fn go_tlog(url: &str, key: &Path, notes: &[PathBuf]) -> (bool, String) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        // A test binary lies in `<target>/<profile>/deps`.
        let this = std::env::current_exe().expect("the path of this program");
        let folder = this.ancestors().nth(2).expect("a folder above deps").join("peers");
        let program = folder.join("tlog");
        let mut build = Command::new("go");
        build.args(["build", "-o"]).arg(&program).arg(".").env("GO111MODULE", "off");
        // Where Debian puts the sources of its Go packages.
        build.env("GOPATH", "/usr/share/gocode").env("GOCACHE", folder.join("go-cache")).env("GOFLAGS", "");
        build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/tlog"));
        let output = build.output().unwrap_or_else(|e| panic!("go does not start ({e}); ./test.sh tools installs it"));
        assert!(output.status.success(), "go build: {}", String::from_utf8_lossy(&output.stderr));
        program
    });
    let arguments: Vec<&Path> = [Path::new(url), key].into_iter().chain(notes.iter().map(PathBuf::as_path)).collect();
    let output = run(program, &arguments);
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}
