//! A registry asks its witnesses: those that answer, those that do not, and those that know something else.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use retoque_core::digest::Digest;
use retoque_core::log::witness::AddCheckpoint;
use retoque_core::log::{Checkpoint, Head, Policy, SignedCheckpoint, VerifiedCheckpoint, VerifierKey, cosignature};
use retoque_core::sign::root::{Role, Root, RootBuilder};
use retoque_core::sign::{KeySet, SecretKey, Signer as _, Time};
use retoque_registry::clock::{Chance, CountingEntropy};
use retoque_registry::serve;
use retoque_registry::witness::{Keep, Place, router};
use retoque_tests::registry::Registry;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Folder, NAME, ask, client};

/// A place for a witness, before it runs.
struct Seat {
    folder: Folder,
    listener: TcpListener,
    url: String,
}

impl Seat {
    async fn new() -> Self {
        let folder = tokio::task::spawn_blocking(|| Folder::of(&[])).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        Self { folder, listener, url }
    }

    fn setting(&self) -> String {
        format!("{} {}", self.folder.vkey, self.url)
    }

    /// Lets the witness run for the log of this registry, on the registry's clock. It ends with what is returned.
    fn run(self, registry: &Registry) -> Running {
        fs::write(self.folder.path().join("logs"), format!("{}\n", log_vkey(registry))).unwrap();
        let keep = Keep::open(Place::open(&self.folder.path()).unwrap()).unwrap();
        let chance = Chance::new(registry.clock.clone(), Arc::new(CountingEntropy::default()));
        let waits = serve::Waits { head: Duration::from_secs(9), drain: Duration::from_millis(100), min_rate: 8 << 10 };
        let task = tokio::spawn(serve::serve(self.listener, router(keep, chance), waits, std::future::pending()));
        Running { task, url: self.url, _folder: self.folder }
    }
}

struct Running {
    task: tokio::task::JoinHandle<std::io::Result<()>>,
    url: String,
    _folder: Folder,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn pem(registry: &Registry, name: &str) -> SecretKey {
    SecretKey::from_pem(&fs::read_to_string(registry.dir.join(format!("keys/{name}.pem"))).unwrap()).unwrap()
}

fn log_key(registry: &Registry) -> SecretKey {
    pem(registry, "platform-log")
}

fn origin(registry: &Registry) -> &str {
    registry.url.strip_prefix("http://").unwrap()
}

fn log_vkey(registry: &Registry) -> VerifierKey {
    VerifierKey::log(origin(registry), log_key(registry).public().clone()).unwrap()
}

/// The checkpoint that the registry serves, under its key.
async fn checkpoint(registry: &Registry) -> VerifiedCheckpoint {
    let answer = registry.get("/log/checkpoint", "").await.expect(200);
    let keys = KeySet::new("log", [log_key(registry).public().clone()], 1);
    SignedCheckpoint::parse(&answer.body).unwrap().verify(origin(registry), &keys).unwrap()
}

fn now() -> Time {
    "2026-12-01T12:00:00Z".parse().unwrap()
}

#[tokio::test]
async fn every_checkpoint_has_the_lines_of_the_witnesses() {
    let (one, two) = (Seat::new().await, Seat::new().await);
    let keys = [one.folder.vkey.clone(), two.folder.vkey.clone()];
    let registry = Registry::start_with(&[("log.witnesses", &format!("{}\n{}", one.setting(), two.setting()))]).await;
    let _running = (one.run(&registry), two.run(&registry));
    let policy = keys.iter().map(|key| format!("witness {:08x} {key}\n", key.id())).collect::<Vec<_>>().concat();
    let policy = format!("{policy}group both all {:08x} {:08x}\nquorum both\n", keys[0].id(), keys[1].id());
    let policy = Policy::parse(policy.as_bytes()).unwrap();
    let first = checkpoint(&registry).await;
    assert_eq!(policy.check(&first).unwrap().fresh_at, Some(now()));
    // Each registered key is a leaf: the next checkpoint is larger, and cosigned at once.
    registry.person("ada", &[]).await;
    let second = checkpoint(&registry).await;
    assert!(second.size() > first.size());
    policy.check(&second).unwrap();
    // After an hour the same checkpoint is cosigned anew.
    registry.clock.advance(Duration::from_secs(3601));
    let third = checkpoint(&registry).await;
    assert_eq!((third.head(), policy.check(&third).unwrap().fresh_at), (second.head(), Some(now().plus_seconds(3601))));
}

#[tokio::test]
async fn a_witness_that_is_away_is_asked_again_and_says_what_it_knows() {
    let (here, away) = (Seat::new().await, Seat::new().await);
    let keys = [here.folder.vkey.clone(), away.folder.vkey.clone()];
    // Nobody answers under this address until later.
    let address = away.listener.local_addr().unwrap();
    let settings = format!("{}\n{}", here.setting(), away.setting());
    let Seat { folder, listener, url } = away;
    drop(listener);
    let registry = Registry::start_with(&[("log.witnesses", &settings)]).await;
    let _here = here.run(&registry);
    let first = checkpoint(&registry).await;
    assert_eq!(first.cosigned_by(&keys[0]).unwrap(), Some(now()));
    assert_eq!(first.cosigned_by(&keys[1]).unwrap(), None);

    let listener = TcpListener::bind(address).await.unwrap();
    let away = Seat { folder, listener, url }.run(&registry);
    // It learns the first checkpoint from somebody else, so the registry has to follow it there.
    let signed = SignedCheckpoint::from_note(first.note().clone()).unwrap();
    let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: signed };
    assert_eq!(ask(&client(), &away.url, request.to_string()).await.unwrap().status.as_u16(), 200);
    // It is left alone for half a minute, and then followed to where it is.
    assert_eq!(checkpoint(&registry).await.cosigned_by(&keys[1]).unwrap(), None);
    registry.clock.advance(Duration::from_secs(30));
    registry.person("ada", &[]).await;
    let second = checkpoint(&registry).await;
    assert!(second.size() > first.size());
    assert_eq!(second.cosigned_by(&keys[1]).unwrap(), Some(now().plus_seconds(30)));
}

#[tokio::test]
async fn a_witness_that_knows_another_history_cosigns_nothing() {
    let seat = Seat::new().await;
    let key = seat.folder.vkey.clone();
    let registry = Registry::start_with(&[("log.witnesses", &seat.setting())]).await;
    let running = seat.run(&registry);
    // The log's own key signs a larger tree, as after a database that was set back.
    let larger = Checkpoint::new(origin(&registry), Head { size: 99, root: Digest::of(b"other") }).unwrap();
    let signed = SignedCheckpoint::from_note(larger.sign(&log_key(&registry)).unwrap()).unwrap();
    let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: signed };
    assert_eq!(ask(&client(), &running.url, request.to_string()).await.unwrap().status.as_u16(), 200);
    let served = checkpoint(&registry).await;
    assert_eq!(served.cosigned_by(&key).unwrap(), None);
    assert_eq!(served.cosigned_by_itself().unwrap(), Some(now()));
}

/// Answers everything with these bytes; nothing at all when there are none.
async fn answer_with(listener: TcpListener, bytes: Vec<u8>) {
    let mut open: Vec<TcpStream> = Vec::new();
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut request = vec![0; 64 * 1024];
        let _ = stream.read(&mut request).await;
        if bytes.is_empty() {
            open.push(stream);
        } else {
            let _ = stream.write_all(&bytes).await;
        }
    }
}

#[tokio::test]
async fn a_witness_that_lies_or_is_silent_changes_nothing() {
    let stranger = SecretKey::from_seed(&[7; 32]).unwrap();
    let line = |checkpoint: &Checkpoint| cosignature::sign(checkpoint, NAME, &stranger, now()).unwrap();
    let some = Checkpoint::new("log.example", Head::empty()).unwrap();
    let ok = |body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let answers = [
        ok(&format!("{}\n", line(&some))),
        ok(""),
        ok(&"x".repeat(100_000)),
        b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\n0\n".to_vec(),
        b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n".to_vec(),
        b"nonsense\r\n\r\n".to_vec(),
        Vec::new(),
    ];
    let (mut settings, mut tasks) = (String::new(), Vec::new());
    for (n, answer) in (20..).zip(answers) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let public = SecretKey::from_seed(&[n; 32]).unwrap().public().clone();
        let vkey = VerifierKey::cosigner(NAME, public).unwrap();
        settings += &format!("{vkey} http://{}\n", listener.local_addr().unwrap());
        tasks.push(tokio::spawn(answer_with(listener, answer)));
    }
    let registry = Registry::start_with(&[("log.witnesses", &settings)]).await;
    let served = checkpoint(&registry).await;
    // The log's signature and its own cosignature, and nothing of what the others said.
    assert_eq!(served.note().lines().len(), 2);
    assert_eq!(served.cosigned_by_itself().unwrap(), Some(now()));
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn a_witness_that_the_root_names_is_asked_without_a_setting() {
    let seat = Seat::new().await;
    let (key, url) = (seat.folder.vkey.clone(), seat.url.clone());
    let registry = Registry::start().await;
    let _running = seat.run(&registry);
    assert_eq!(checkpoint(&registry).await.cosigned_by(&key).unwrap(), None);
    let root = registry.get("/trust/root.json", "").await.expect(200);
    let root = Root::trust(&root.body, None).unwrap();
    let next = RootBuilder::after(&root, root.expires()).witness(key.key().clone(), NAME, Some(url));
    let offline = ["root-1", "root-2"].map(|name| pem(&registry, name));
    let next = next.sign(&[&offline[0], &offline[1]]).unwrap().to_bytes();
    registry.post_bytes("/api/v1/root", &registry.operator.token, "application/json", next).await.expect(201);
    let root = registry.get("/trust/root.json", "").await.expect(200);
    let root = Root::trust(&root.body, None).unwrap();
    let named = root.witnesses().into_iter().map(|witness| (witness.name, witness.key, witness.url));
    let policy = Policy::of_witnesses(named, root.threshold(Role::Witness) as usize).unwrap();
    assert!(policy.protects_split_view());
    assert_eq!(policy.check(&checkpoint(&registry).await).unwrap().fresh_at, Some(now()));
}
