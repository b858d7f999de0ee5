//! A PostgreSQL server for one test process, and a database of its own for each test.
//!
//! `RETOQUE_TEST_POSTGRES_URL` names a server that is already there (`test.sh` starts one for all test binaries);
//! otherwise a private cluster is made, which listens on a socket in its own folder and nowhere else. It is stopped when
//! this process ends in whatever way, because the script that started it waits for the end of its input.
//! A server that cannot be had fails the test; no test is left out.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Names the server that all test binaries share.
pub const SERVER: &str = "RETOQUE_TEST_POSTGRES_URL";

/// Makes the cluster in a new folder, says where, and stops it by its process id when the input ends.
const SCRIPT: &str = r#"
set -eu
trap '' INT HUP
PATH="$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1):$PATH"
dir=$(mktemp -d /tmp/retoque-pg.XXXXXX)
cd "$dir"
initdb -D data -A trust -U postgres --no-sync -E UTF8 --locale=C.UTF-8 >initdb.log 2>&1 || { cat initdb.log >&2; exit 1; }
pg_ctl -D data -w -l server.log start >start.log 2>&1 </dev/null \
    -o "-c listen_addresses='' -k '$dir' -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300" \
    || { cat start.log server.log >&2; exit 1; }
echo "$dir"
cat >/dev/null || true
pg_ctl -D data -m immediate stop >/dev/null 2>&1 || true
cd /
rm -rf "$dir"
"#;

struct Cluster {
    admin: String,
    // Its input stays open as long as this process lives.
    _keeper: Option<Child>,
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    static START: Mutex<()> = Mutex::new(());
    let _one = START.lock().unwrap_or_else(PoisonError::into_inner);
    CLUSTER.get_or_init(|| match std::env::var(SERVER) {
        Ok(admin) => Cluster { admin, _keeper: None },
        Err(_) => start(),
    })
}

fn start() -> Cluster {
    let root = Command::new("id").arg("-u").output().expect("id runs").stdout == b"0\n";
    // The server refuses to run as root.
    let mut command = if root { Command::new("runuser") } else { Command::new("sh") };
    if root {
        command.args(["-u", "postgres", "--", "sh"]);
    }
    command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir("/tmp");
    let mut keeper = command.spawn().expect("a shell runs as the user postgres");
    let mut dir = String::new();
    BufReader::new(keeper.stdout.take().expect("piped")).read_line(&mut dir).expect("the script's output is text");
    let dir = dir.trim();
    assert!(!dir.is_empty(), "PostgreSQL could not be started: install the Debian package `postgresql`");
    Cluster { admin: format!("postgres:///postgres?host={dir}&user=postgres"), _keeper: Some(keeper) }
}

/// The URL of a new, empty database.
pub fn new_database() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("t{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
    run(&format!("CREATE DATABASE {name} TEMPLATE template0"));
    let (server, query) = split(&cluster().admin);
    let server = server.rsplit_once('/').map_or(server, |(server, _)| server);
    format!("{server}/{name}{query}")
}

/// Drops a database of [`new_database`], connections and all.
pub fn drop_database(url: &str) {
    let name = split(url).0.rsplit('/').next().unwrap_or_default();
    run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
}

/// Cuts every connection to a database of [`new_database`], as a network fault would.
pub fn cut_connections(url: &str) {
    let name = split(url).0.rsplit('/').next().unwrap_or_default();
    run(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"));
}

/// The URL up to its parameters, and the parameters.
fn split(url: &str) -> (&str, &str) {
    url.split_at(url.find('?').unwrap_or(url.len()))
}

fn run(sql: &str) {
    let output = Command::new("psql")
        .args(["-X", "-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-d", &cluster().admin, "-c", sql])
        .output()
        .expect("psql runs: install the Debian package `postgresql-client`");
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
}
