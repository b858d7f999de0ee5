//! A registry process with one of everybody, each with a home of their own, who act through the built command line.
//!
//! `operator` runs it; `worker` builds; `ada` is admin and `paul` publisher of the org `acme`; `rita` and `rob` review;
//! `eve` is admin of another org; `consumer` has no account.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reqwest::{Client, Method, RequestBuilder};
use retoque_core::decision::Decision;
use retoque_core::digest::Digest;
use retoque_core::lifecycle::Action;
use retoque_core::sign::{Envelope, SecretKey, Time};
use serde_json::{Value, json};

use crate::database::{Database, Engine};
use crate::programs::{Run, Service, retoque, retoque_registry};
use crate::registry::{Answer, answer, sample};

/// The commit of the sample's base.
pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
/// The base of the sample.
pub const BASE: &str = "acme-models/tiny-desk@0123456789abcdef0123456789abcdef01234567";
/// The public patch that everybody works on.
pub const PATCH: &str = "acme/ticket-router";
/// A patch of the same org that nobody else may see.
pub const PRIVATE: &str = "acme/secret-router";

/// The five files of an evaluation record.
const RECORD: [&str; 5] = ["dataset.jsonl", "outputs.jsonl", "regression.jsonl", "run.json", "training.json"];

/// Everybody and the registry. All of it ends and goes with this value.
pub struct Town {
    /// The registry's address.
    pub url: String,
    /// Its database.
    pub database: Database,
    service: Mutex<Option<Service>>,
    client: Client,
    runtime: tokio::runtime::Runtime,
}

impl Town {
    /// Founds it on this engine: people, orgs, base, suite and the two patches.
    pub fn found(engine: Engine) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let database = Database::empty(engine);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port");
        let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        let town = Self {
            url: format!("http://{free}"),
            database,
            service: Mutex::new(None),
            client: client.expect("a client"),
            runtime: runtime.expect("a runtime"),
        };
        let mut init = retoque_registry();
        init.arg("init").arg("--dir").arg(town.dir()).args(["--url", &town.url, "--listen", &free.to_string()]);
        if engine == Engine::Postgres {
            init.args(["--database", &town.database.url]);
        }
        Run::of(&mut init).expect(0);
        town.start();
        town.people();
        town.catalogue();
        town
    }

    fn people(&self) {
        self.trust("operator");
        self.ok("operator", &["login", &self.url, "--token-file", self.dir().join("operator.token").to_str().unwrap()]);
        for (name, roles) in [
            ("worker", &["build"] as &[&str]),
            ("ada", &[]),
            ("paul", &[]),
            ("rita", &["review"]),
            ("rob", &["review"]),
            ("eve", &[]),
        ] {
            let mut args = vec!["account", "create", name, "--display", name];
            args.extend(roles.iter().flat_map(|role| ["--role", role]));
            self.ok("operator", &args);
            let token = self.new_token(name, &[]);
            fs::create_dir_all(self.home(name)).unwrap();
            let file = self.path(&format!("{name}.token"));
            fs::write(&file, token).unwrap();
            self.trust(name);
            self.ok(name, &["login", &self.url, "--token-file", file.to_str().unwrap()]);
        }
        for org in ["acme", "other"] {
            self.ok("operator", &["org", "create", org, "--display", org]);
        }
        for (org, who, role) in [("acme", "ada", "admin"), ("acme", "paul", "publisher"), ("other", "eve", "admin")] {
            self.ok("operator", &["org", "member", "set", org, who, "--role", role]);
        }
        for name in ["ada", "paul", "rita", "rob", "eve"] {
            self.ok(name, &["key", "generate"]);
            self.ok(name, &["key", "register"]);
        }
        let root_keys = [1, 2].map(|n| self.dir().join(format!("keys/root-{n}.pem")).display().to_string());
        for name in ["rita", "rob"] {
            let out = self.path(&format!("{name}.root.json")).display().to_string();
            let mut args = vec!["key", "authorize", name, "--role", "review", "--publish", "--out", &out];
            args.extend(root_keys.iter().flat_map(|key| ["--root-key", key]));
            self.ok("operator", &args);
        }
        self.trust("consumer");
    }

    fn catalogue(&self) {
        let sample = sample();
        let (base, record) = (sample.join("base").display().to_string(), self.base_record());
        let args = ["base", "record", &base, "--repo", "acme-models/tiny-desk", "--revision", COMMIT];
        self.ok("operator", &[&args[..], &["--licence", "CC0-1.0", "--out", &record]].concat());
        self.ok("operator", &["base", "add", &record]);
        let suite = sample.join("regression.jsonl").display().to_string();
        self.ok("operator", &["suite", "add", &suite, "--name", "general-skills", "--allowance", "5"]);
        self.patch(PATCH, BASE, "public");
        self.patch(PRIVATE, BASE, "private");
        fs::create_dir(self.record()).unwrap();
        for name in RECORD {
            fs::copy(sample.join(name), self.record().join(name)).unwrap();
        }
    }

    /// Has ada make a patch.
    pub fn patch(&self, name: &str, base: &str, visibility: &str) {
        let file = self.path("patch.toml");
        let text = format!(
            "name = {name:?}\ntitle = \"Routes support tickets as JSON\"\n\
             problem = \"The base answers support tickets in prose; the desk needs queue and priority as an object.\"\n\
             success_criterion = \"The answer is the JSON object with the right queue and priority.\"\n\
             category = \"structured-output\"\nbase = {base:?}\nvisibility = {visibility:?}\nlicensing = \"free\"\n"
        );
        fs::write(&file, text).unwrap();
        self.ok("ada", &["patch", "create", file.to_str().unwrap()]);
    }

    /// Makes a token for an account, with more arguments for `token create`.
    pub fn new_token(&self, name: &str, more: &[&str]) -> String {
        let scope: &[&str] = if more.contains(&"--scope") { &[] } else { &["--scope", "write"] };
        let args = ["--quiet", "token", "create", "--account", name, "--label", "test"];
        self.ok("operator", &[&args[..], scope, more].concat()).stdout.trim().to_owned()
    }

    /// Pins the root in a home.
    pub fn trust(&self, who: &str) {
        let root = self.dir().join("root.json").display().to_string();
        self.ok(who, &["trust", "add", &self.url, "--root", &root]);
    }

    /// The installation's folder.
    pub fn dir(&self) -> PathBuf {
        self.path("registry")
    }

    /// A place of this town.
    pub fn path(&self, name: &str) -> PathBuf {
        self.database.folder().join(name)
    }

    /// Somebody's home.
    pub fn home(&self, who: &str) -> PathBuf {
        self.path("people").join(who)
    }

    /// The folder with the private evaluation record of the sample.
    pub fn record(&self) -> PathBuf {
        self.path("record")
    }

    /// The record of the sample's base.
    pub fn base_record(&self) -> String {
        self.path("base.json").display().to_string()
    }

    /// Starts the registry.
    pub fn start(&self) {
        *self.service() = Some(Service::start(&self.dir(), &self.path("registry.log")));
    }

    /// Kills the registry.
    pub fn kill(&self) {
        self.service().take().expect("it runs").kill();
    }

    /// The running process, to be signalled or taken away.
    pub fn service(&self) -> MutexGuard<'_, Option<Service>> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the command line as somebody.
    pub fn run(&self, who: &str, args: &[&str]) -> Run {
        Run::of(retoque(&self.home(who)).current_dir(self.database.folder()).args(args))
    }

    /// The same, which has to succeed.
    #[track_caller]
    pub fn ok(&self, who: &str, args: &[&str]) -> Run {
        let run = self.run(who, args);
        assert_eq!(run.status, 0, "{who}: {args:?}: {}{}", run.stdout, run.stderr);
        run
    }

    /// The same with `--json`; gives the document.
    #[track_caller]
    pub fn json(&self, who: &str, args: &[&str]) -> Value {
        self.ok(who, &[&["--json"], args].concat()).json()
    }

    /// Packs the sample as this version of a patch, and gives the package's path.
    pub fn pack(&self, patch: &str, version: &str, more: &[&str]) -> PathBuf {
        let (adapter, record) = (sample().join("adapter").display().to_string(), self.record().display().to_string());
        let out = self.path(&format!("{}-{version}.tar.zst", patch.replace('/', "-")));
        let (base, file) = (self.base_record(), out.display().to_string());
        let args = ["pack", &adapter, "--patch", patch, "--version", version, "--base", BASE, "--base-record", &base];
        let rest = ["--record", &record, "--seed", "7", "--dataset-licence", "CC0-1.0", "--out", &file];
        let source: &[&str] = if more.is_empty() { &["--dataset-source", "own-generated"] } else { more };
        self.ok("worker", &[&args[..], &rest, source].concat());
        out
    }

    /// Has the worker push a package with the sample's record.
    pub fn push(&self, package: &Path) -> Run {
        let record = self.record().display().to_string();
        self.run("worker", &["push", package.to_str().unwrap(), "--record", &record])
    }

    /// Has ada submit a version.
    pub fn submit(&self, reference: &str) -> Run {
        let args = ["submit", reference, "--dataset-rights", "--base-licence-compliance", "--publish-cases", "--yes"];
        self.run("ada", &[&args[..], &["--attribution", "None", "--licence", "CC0-1.0"]].concat())
    }

    /// Brings a package all the way to being published.
    pub fn publish(&self, package: &Path, reference: &str) {
        self.push(package).expect(0);
        self.submit(reference).expect(0);
        self.ok("rita", &["review", "approve", reference, "--all"]);
        self.ok("ada", &["publish", reference, "--yes"]);
    }

    /// Has the operator do one of `deprecate`, `restore`, `withdraw`, `takedown`.
    pub fn operate(&self, what: &str, reference: &str, reason: &str) -> Run {
        let key = self.dir().join("keys/operator.pem").display().to_string();
        let args = [what, reference, "--reason", reason, "--text", "It was found to be as the code says.", "--key"];
        let yes: &[&str] = if matches!(what, "withdraw" | "takedown") { &["--yes"] } else { &[] };
        self.run("operator", &[&args[..], &[&key], yes].concat())
    }

    /// Somebody's token.
    pub fn token(&self, who: &str) -> String {
        let file = match who {
            "operator" => self.dir().join("operator.token"),
            "consumer" => return String::new(),
            _ => self.path(&format!("{who}.token")),
        };
        fs::read_to_string(file).expect("a token").trim().to_owned()
    }

    /// Somebody's key.
    pub fn key(&self, who: &str) -> SecretKey {
        let file = match who {
            "operator" => self.dir().join("keys/operator.pem"),
            _ => self.home(who).join(format!("keys/{who}.pem")),
        };
        SecretKey::from_pem(&fs::read_to_string(file).expect("a key file")).expect("a key")
    }

    /// A request as somebody (an account's name, or a token's text).
    pub fn request(&self, method: Method, path: &str, who: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        let token = if who.starts_with("rtq_") || who.is_empty() { who.to_owned() } else { self.token(who) };
        if token.is_empty() { request } else { request.bearer_auth(token) }
    }

    /// Sends a request and reads the answer.
    pub fn send(&self, request: RequestBuilder) -> Answer {
        self.runtime.block_on(answer(request))
    }

    /// `GET`.
    pub fn get(&self, path: &str, who: &str) -> Answer {
        self.send(self.request(Method::GET, path, who))
    }

    /// Runs something that waits.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The route of a version.
    pub fn at(reference: &str) -> String {
        let (patch, version) = reference.split_once('@').expect("org/slug@version");
        format!("/api/v1/patches/{patch}/versions/{version}")
    }

    /// A decision on a version as it stands now, for somebody to sign.
    pub fn decision(&self, reference: &str, who: &str, action: Action) -> (Decision, Digest) {
        let view = self.get(&Self::at(reference), "operator").expect(200).json();
        let read = |value: &Value| value.as_str().expect("text").parse::<Digest>().expect("a digest");
        let (patch, version) = reference.split_once('@').expect("org/slug@version");
        let name = (patch.parse().expect("a patch"), version.parse().expect("a version"));
        let now = Time::from_micros(jiff::Timestamp::now().as_microsecond()).expect("a time");
        let actor = who.parse().expect("a name");
        (Decision::new(&self.url, action, actor, name, read(&view["head"]), now), read(&view["digest"]))
    }

    /// Posts an envelope to a version's decisions.
    pub fn decide(&self, reference: &str, who: &str, envelope: &Envelope) -> Answer {
        self.send(self.decision_request(reference, who, envelope.to_bytes()))
    }

    /// The request that posts an envelope.
    pub fn decision_request(&self, reference: &str, who: &str, envelope: Vec<u8>) -> RequestBuilder {
        let request = self.request(Method::POST, &format!("{}/decisions", Self::at(reference)), who);
        request.header("content-type", "application/json").body(envelope)
    }

    /// The kinds of the decisions on a version.
    pub fn kinds(&self, reference: &str, who: &str) -> Vec<String> {
        let list = self.json(who, &["decisions", reference]);
        let list = list.as_array().unwrap_or_else(|| list["decisions"].as_array().expect("decisions"));
        list.iter().map(|d| d["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    /// Every stored object and everything in staging, by path below the storage folder, with its content.
    pub fn stored(&self) -> BTreeMap<String, Vec<u8>> {
        let root = self.dir().join("storage");
        let mut found = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(bytes) = fs::read(&path) {
                    found.insert(path.strip_prefix(&root).unwrap().display().to_string(), bytes);
                }
            }
        }
        found
    }

    /// The JSON that a push sends, for uploads made by [`Town::upload`].
    pub fn push_body(&self, package: &str, who: &str) -> Value {
        let record: BTreeMap<_, _> =
            RECORD.map(|n| (n, self.upload(fs::read(self.record().join(n)).unwrap(), who))).into_iter().collect();
        json!({ "package": package, "record": record })
    }

    /// Uploads bytes and gives the upload's id.
    pub fn upload(&self, bytes: Vec<u8>, who: &str) -> String {
        let answer = self.send(self.upload_request(bytes, who)).expect(201).json();
        answer["upload"].as_str().expect("an id").to_owned()
    }

    /// The request that uploads bytes.
    pub fn upload_request(&self, bytes: Vec<u8>, who: &str) -> RequestBuilder {
        use base64::Engine as _;
        let digest = base64::engine::general_purpose::STANDARD.encode(Digest::of(&bytes).as_bytes());
        let request = self.request(Method::POST, "/api/v1/uploads", who);
        request.header("content-digest", format!("sha-256=:{digest}:")).body(bytes)
    }
}
