//! A registry of its own for each test: made by `init` in a temporary folder, served in this process on a free port.
//!
//! Time stands still until a test moves it; random bytes are the same in each run, so tokens and keys are too.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use retoque_core::sign::{SecretKey, Signer as _};
use retoque_registry::app::App;
use retoque_registry::args::Init;
use retoque_registry::clock::{Chance, CountingEntropy, FixedClock};
use retoque_registry::config::{Config, Sources};
use retoque_registry::{install, router, serve};
use serde_json::{Value, json};

/// A running registry. It stops and its folder goes when this value goes.
pub struct Registry {
    /// Where it listens, and what signed documents call it: `http://127.0.0.1:<port>`.
    pub url: String,
    /// The installation's folder.
    pub dir: PathBuf,
    /// Its clock.
    pub clock: Arc<FixedClock>,
    /// The first operator.
    pub operator: Person,
    client: Client,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    served: Option<tokio::task::JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

/// An account with a token that may write, and a registered key.
pub struct Person {
    /// The account's name.
    pub name: String,
    /// Its token.
    pub token: String,
    /// Its key.
    pub key: SecretKey,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: reqwest::header::HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Registry {
    /// An empty registry with its operator.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// The same, with some settings of its own, such as `("limits.concurrency", "1")`.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        Self::start_on(None, settings).await
    }

    /// The same, on a database that is not the embedded one.
    pub async fn start_on(database: Option<&str>, settings: &[(&str, &str)]) -> Self {
        provider();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dir = folder.path().join("registry");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let url = format!("http://{address}");
        let clock = Arc::new(FixedClock::at("2026-12-01T12:00:00Z".parse().expect("a time")));
        let chance = Chance::new(clock.clone(), Arc::new(CountingEntropy::default()));
        let args = Init {
            dir: dir.clone(),
            url: url.clone(),
            listen: Some(address),
            database: database.map(str::to_owned),
            operator: "operator".to_owned(),
            reviewer_key: vec![key_of("rita").public().hex()],
            print_token: false,
            ceremony: retoque_registry::args::Ceremony::default(),
        };
        let made = install::init(&args, &chance).await.expect("an installation");
        let sources = Sources {
            file: Some(dir.join(retoque_registry::config::FILE)),
            flags: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..Sources::default()
        };
        let config = Config::load(&sources).expect("the settings");
        let waits =
            serve::Waits { head: config.limits.request_timeout, drain: Duration::from_millis(200), min_rate: 8 << 10 };
        let app = App::open(config, chance).await.expect("the parts");
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let served = tokio::spawn(async move {
            let shutdown = async move { drop(stopped.await) };
            serve::serve(listener, router(&app), waits, shutdown).await.expect("served");
            app.close().await;
        });
        let pem = std::fs::read_to_string(dir.join("keys/operator.pem")).expect("the operator's key");
        let operator = Person {
            name: "operator".to_owned(),
            token: made.token.reveal().to_owned(),
            key: SecretKey::from_pem(&pem).expect("a key"),
        };
        let client = Client::builder().no_proxy().timeout(Duration::from_secs(60)).build().expect("a client");
        Self { url, dir, clock, operator, client, stop: Some(stop), served: Some(served), _folder: folder }
    }

    /// A request under the address of the registry. `token` may be empty.
    pub fn request(&self, method: Method, path: &str, token: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        if token.is_empty() { request } else { request.bearer_auth(token) }
    }

    /// `GET`.
    pub async fn get(&self, path: &str, token: &str) -> Answer {
        answer(self.request(Method::GET, path, token)).await
    }

    /// `DELETE`.
    pub async fn delete(&self, path: &str, token: &str) -> Answer {
        answer(self.request(Method::DELETE, path, token)).await
    }

    /// A JSON request.
    pub async fn send(&self, method: Method, path: &str, token: &str, body: &Value) -> Answer {
        answer(self.request(method, path, token).json(body)).await
    }

    /// `POST` with JSON.
    pub async fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, token, body).await
    }

    /// `POST` with bytes.
    pub async fn post_bytes(&self, path: &str, token: &str, media_type: &str, body: impl Into<Vec<u8>>) -> Answer {
        answer(self.request(Method::POST, path, token).header("content-type", media_type).body(body.into())).await
    }

    /// Makes an account with these platform roles, a token and a registered key.
    pub async fn person(&self, name: &str, roles: &[&str]) -> Person {
        let account = json!({ "name": name, "display": name, "roles": roles });
        self.post("/api/v1/accounts", &self.operator.token, &account).await.expect(201);
        let token = self.token(&json!({ "account": name, "label": "test", "scope": "write" })).await;
        let person = Person { name: name.to_owned(), token, key: key_of(name) };
        self.post("/api/v1/keys", &person.token, &self.new_key(&person)).await.expect(201);
        person
    }

    /// Has the operator make a token.
    pub async fn token(&self, request: &Value) -> String {
        let made = self.post("/api/v1/tokens", &self.operator.token, request).await.expect(201).json();
        made["secret"].as_str().expect("a secret").to_owned()
    }

    /// What registers the key of `person`.
    pub fn new_key(&self, person: &Person) -> Value {
        let public = person.key.public().hex();
        let message = format!("retoque-key-registration/1\n{}\n{}\n{public}\n", self.url, person.name);
        let proof = person.key.sign(message.as_bytes()).expect("a signature");
        json!({ "public": public, "proof": hex::encode(proof) })
    }

    /// Makes an org and its members, each with a role.
    pub async fn org(&self, name: &str, members: &[(&Person, &str)]) {
        let org = json!({ "name": name, "display": name });
        self.post("/api/v1/orgs", &self.operator.token, &org).await.expect(201);
        for (person, role) in members {
            let path = format!("/api/v1/orgs/{name}/members/{}", person.name);
            self.send(Method::PUT, &path, &self.operator.token, &json!({ "role": role })).await.expect(200);
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(served) = self.served.take() {
            served.abort();
        }
    }
}

impl Answer {
    /// The answer, which has to have this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", String::from_utf8_lossy(&self.body));
        self
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    /// A header, or nothing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The refusal's code. The answer has to be a problem document that repeats its status and names the request.
    #[track_caller]
    pub fn refused(&self, status: u16) -> String {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status.as_u16(), status, "{text}");
        assert_eq!(self.header("content-type"), "application/problem+json", "{text}");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["request_id"].as_str(), Some(self.header("x-request-id")));
        for field in ["title", "detail", "next"] {
            assert!(problem[field].as_str().is_some_and(|t| !t.is_empty()), "{field} of {text}");
        }
        problem["code"].as_str().expect("a code").to_owned()
    }
}

/// Sends a request and reads the answer.
pub async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status(), response.headers().clone());
    Answer { status, headers, body: response.bytes().await.expect("a whole body").to_vec() }
}

/// The key of a person: the same in each run.
pub fn key_of(name: &str) -> SecretKey {
    SecretKey::from_seed(retoque_core::digest::Digest::of(name.as_bytes()).as_bytes()).expect("a key")
}

/// The real sample that stands in the tree.
pub fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample")
}

/// One provider of TLS for the process: clients need it to be chosen.
fn provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}
