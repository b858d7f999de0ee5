//! A witness as a process of its own: what it cosigns, what it refuses, and what it still knows after it was killed.

mod asked;
mod endurance;
mod folder;
mod log;
mod protocol;

use std::path::{Path, PathBuf};

use reqwest::{Client, StatusCode};
use retoque_core::log::VerifierKey;
use retoque_tests::programs::{Run, Service, retoque_registry};

const NAME: &str = "witness.example/w1";

/// The folder of a witness, which goes with this value.
struct Folder {
    temporary: tempfile::TempDir,
    vkey: VerifierKey,
}

impl Folder {
    /// The folder of a new witness that watches these logs.
    fn of(logs: &[String]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let mut command = retoque_registry();
        command.args(["witness", "init", "--name", NAME, "--dir"]).arg(temporary.path().join("w"));
        for log in logs {
            command.args(["--log", log]);
        }
        let vkey = Run::of(&mut command).expect(0).stdout.lines().next().unwrap().parse().unwrap();
        Self { temporary, vkey }
    }

    fn path(&self) -> PathBuf {
        self.temporary.path().join("w")
    }

    fn serve(&self) -> Witness {
        let mut command = retoque_registry();
        command.args(["witness", "serve", "--listen", "127.0.0.1:0", "--dir"]).arg(self.path());
        let (service, url) = Service::of(&mut command, &self.temporary.path().join("errors"));
        Witness { service, url, client: client() }
    }

    fn run(&self, verb: &str) -> Run {
        run(verb, &self.path())
    }
}

fn run(verb: &str, dir: &Path) -> Run {
    let mut command = retoque_registry();
    command.args(["witness", verb]).arg("--dir").arg(dir);
    if verb == "serve" {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    Run::of(&mut command)
}

fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().timeout(std::time::Duration::from_secs(30)).build().unwrap()
}

/// A witness that runs.
struct Witness {
    service: Service,
    url: String,
    client: Client,
}

/// What it answered.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    kind: String,
    body: String,
}

impl Witness {
    async fn add(&self, body: impl ToString) -> Answer {
        ask(&self.client, &self.url, body.to_string()).await.unwrap()
    }
}

async fn ask(client: &Client, url: &str, body: String) -> reqwest::Result<Answer> {
    let answer = client.post(format!("{url}/add-checkpoint")).body(body).send().await?;
    let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
    Ok(Answer { status: answer.status(), kind, body: answer.text().await? })
}
