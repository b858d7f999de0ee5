//! Twenty writers who decide on twenty versions, each on its own, whatever happens to the registry meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder};
use retoque_core::decision::{Decision, Declarations, Offer};
use retoque_core::digest::Digest;
use retoque_core::lifecycle::{Action, Reason};
use retoque_core::review::Checklist;
use retoque_core::sign::{Envelope, Role, Root, SecretKey, Time};
use retoque_tests::packages::as_version;
use retoque_tests::registry::{Answer, answer};
use retoque_tests::town::{PATCH, Town};
use tokio::sync::Notify;

use super::reader::Log;

/// How many write at the same time.
pub(crate) const WRITERS: usize = 20;
/// How many decisions they make in all.
pub(crate) const DECISIONS: usize = 2000;
/// After how many decisions a writer looks at the checkpoint.
const LOOK: usize = 10;
/// How long a writer looks for a registry that answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// A published version, and what the next decision on it follows.
pub(crate) struct Target {
    version: String,
    manifest: Digest,
    head: Digest,
}

/// What all writers share.
pub(crate) struct Field {
    pub(crate) client: Client,
    pub(crate) log: Log,
    /// Addresses of the registry; a writer goes on to the next one when its own does not answer.
    urls: Vec<String>,
    origin: String,
    token: String,
    key: SecretKey,
    done: AtomicUsize,
    halfway: Notify,
}

/// What a writer has to tell.
#[derive(Default)]
pub(crate) struct Told {
    /// Digests of the envelopes that were accepted.
    pub(crate) accepted: Vec<Digest>,
    /// Every checkpoint that was seen.
    pub(crate) seen: Vec<Vec<u8>>,
    /// How often an answer did not come.
    pub(crate) lost: usize,
    /// How often a decision whose answer was lost had been accepted.
    pub(crate) found: usize,
    /// Time between sending a decision and its acceptance.
    pub(crate) waits: Vec<Duration>,
}

impl Field {
    /// The field over a town, whose registry answers at these addresses.
    pub(crate) fn new(town: &Town, urls: Vec<String>) -> Arc<Self> {
        let root = Root::trust(&std::fs::read(town.dir().join("root.json")).unwrap(), None).unwrap();
        let log = Log { origin: root.log_origin(&town.url), keys: root.keys(Role::PlatformLog) };
        Arc::new(Self {
            client: Client::builder().no_proxy().timeout(Duration::from_secs(30)).build().unwrap(),
            log,
            urls,
            origin: town.url.clone(),
            token: town.token("operator"),
            key: town.key("operator"),
            done: AtomicUsize::new(0),
            halfway: Notify::new(),
        })
    }

    /// Ready when half of all decisions are made.
    pub(crate) async fn halfway(&self) {
        self.halfway.notified().await;
    }

    fn count(&self) {
        if self.done.fetch_add(1, Ordering::SeqCst) + 1 == DECISIONS / 2 {
            self.halfway.notify_one();
        }
    }

    fn request(&self, at: usize, method: Method, path: &str) -> RequestBuilder {
        let url = &self.urls[at % self.urls.len()];
        self.client.request(method, format!("{url}{path}")).bearer_auth(&self.token)
    }

    fn signed(&self, target: &Target, action: Action) -> Envelope {
        let code = if action == Action::Deprecate { "regression-found" } else { "issue-resolved" };
        let about = (PATCH.parse().unwrap(), target.version.parse().unwrap());
        let mut decision = Decision::new(&self.origin, action, "operator".parse().unwrap(), about, target.head, now());
        decision.reason = Some(Reason { code: code.to_owned(), text: "It was found to be so.".to_owned() });
        decision.sign(target.manifest, &self.key).unwrap()
    }
}

/// Deprecates and restores one version in turn, and is sure of each decision before the next.
pub(crate) async fn write(field: Arc<Field>, writer: usize, mut target: Target) -> Told {
    let mut told = Told::default();
    let mut at = writer;
    let path = Town::at(&format!("{PATCH}@{}", target.version));
    for n in 0..DECISIONS / WRITERS {
        let envelope = field.signed(&target, if n % 2 == 0 { Action::Deprecate } else { Action::Restore });
        let payload = envelope.payload_digest();
        let began = Instant::now();
        let mut lost = false;
        loop {
            assert!(began.elapsed() < PATIENCE, "writer {writer}: nobody answers");
            let post = field.request(at, Method::POST, &format!("{path}/decisions"));
            let post = post.header("content-type", "application/json").body(envelope.to_bytes());
            match post.send().await {
                Ok(response) if response.status() == 201 => break,
                // Sent again after a lost answer: the decision stands already, or it never came.
                Ok(response) if lost && response.status() == 409 => {
                    let view = field.request(at, Method::GET, &path).send().await.unwrap();
                    let view: serde_json::Value = serde_json::from_slice(&view.bytes().await.unwrap()).unwrap();
                    assert_eq!(view["head"], payload.to_string(), "writer {writer}, decision {n}: {view}");
                    told.found += 1;
                    break;
                }
                Ok(response) if response.status().is_server_error() => {
                    lost = true;
                    told.lost += 1;
                }
                Ok(response) => {
                    let status = response.status();
                    panic!("writer {writer}, decision {n}: {status} {}", response.text().await.unwrap_or_default());
                }
                Err(_) => {
                    lost = true;
                    told.lost += 1;
                    at += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
        told.waits.push(began.elapsed());
        told.accepted.push(envelope.digest());
        target.head = payload;
        field.count();
        if n % LOOK == writer % LOOK {
            let answered = field.request(at, Method::GET, "/log/checkpoint").send().await;
            if let Ok(response) = answered
                && response.status() == 200
                && let Ok(note) = response.bytes().await
            {
                told.seen.push(note.to_vec());
            }
        }
    }
    told
}

/// Brings one published version for each writer into being.
pub(crate) fn targets(town: &Town) -> Vec<Target> {
    let package = std::fs::read(town.pack(PATCH, "1.0.0", &[])).unwrap();
    (0..WRITERS).map(|n| published(town, &package, &format!("1.{n}.0"))).collect()
}

fn published(town: &Town, package: &[u8], version: &str) -> Target {
    let reference = format!("{PATCH}@{version}");
    let upload = town.upload(as_version(package, version), "worker");
    let body = town.push_body(&upload, "worker");
    town.send(town.request(Method::PUT, &Town::at(&reference), "worker").json(&body)).expect(201);
    decide(town, &reference, "ada", Action::Submit, |decision| {
        decision.declarations = Some(Declarations {
            dataset_rights: true,
            base_licence_compliance: true,
            publish_validation_cases: false,
            third_party_attribution: "None".to_owned(),
            offer: Offer::Free { licence: "CC0-1.0".to_owned() },
        });
    });
    decide(town, &reference, "rita", Action::Approve, |decision| {
        decision.checklist = Some(Checklist {
            rights_verified: true,
            metrics_reproduce: true,
            compatibility_pinned: true,
            regressions_disclosed: true,
            signature_matches: true,
        });
    });
    let view = decide(town, &reference, "ada", Action::Publish, |_| {}).json();
    let read = |name: &str| view[name].as_str().unwrap().parse::<Digest>().unwrap();
    Target { version: version.to_owned(), manifest: read("digest"), head: read("head") }
}

fn decide(town: &Town, reference: &str, who: &str, action: Action, fill: impl FnOnce(&mut Decision)) -> Answer {
    let (mut decision, manifest) = town.decision(reference, who, action);
    fill(&mut decision);
    let envelope = decision.sign(manifest, &town.key(who)).unwrap();
    town.wait(answer(town.decision_request(reference, who, envelope.to_bytes()))).expect(201)
}

fn now() -> Time {
    Time::from_micros(jiff::Timestamp::now().as_microsecond()).unwrap()
}
