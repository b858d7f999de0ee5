//! A town whose consumer reaches the registry only through a proxy that may begin to lie at any time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use retoque_core::sign::{SecretKey, Time};
use retoque_tests::command::{now, retoque_at};
use retoque_tests::database::Engine;
use retoque_tests::packages::as_version;
use retoque_tests::programs::Run;
use retoque_tests::proxy::{Lie, Proxy, Rule};
use retoque_tests::town::{PATCH, Town};
use serde_json::Value;

/// Everybody, and the man in the middle.
pub(crate) struct Scene {
    pub(crate) town: Town,
    pub(crate) proxy: Proxy,
    rule: Arc<Mutex<Arc<Rule>>>,
}

impl Scene {
    /// A town with version 1.0.0 of the patch published, and a consumer behind an honest proxy.
    pub(crate) fn new() -> Self {
        let town = Town::found(Engine::Sqlite);
        town.publish(&town.pack(PATCH, "1.0.0", &[]), &Self::version("1.0.0"));
        let rule: Arc<Mutex<Arc<Rule>>> = Arc::new(Mutex::new(Arc::new(|_: &str, _: &[u8]| Lie::Pass)));
        let current = Arc::clone(&rule);
        let obey = move |path: &str, body: &[u8]| {
            let rule = Arc::clone(&current.lock().unwrap_or_else(PoisonError::into_inner));
            rule(path, body)
        };
        let proxy = Proxy::before(&town.url, Box::new(obey));
        let scene = Self { town, proxy, rule };
        let root = scene.town.dir().join("root.json").display().to_string();
        let args = ["trust", "add", &scene.proxy.url, "--root", &root, "--origin", &scene.town.url, "--default"];
        scene.town.ok("victim", &args);
        scene.town.ok("victim", &["trust", "update"]);
        scene
    }

    /// The reference of a version of the patch.
    pub(crate) fn version(version: &str) -> String {
        format!("{PATCH}@{version}")
    }

    /// Publishes the same adapter under another number.
    pub(crate) fn publish(&self, version: &str) {
        let package = fs::read(self.town.path("acme-ticket-router-1.0.0.tar.zst")).unwrap();
        let path = self.town.path(&format!("{version}.tar.zst"));
        fs::write(&path, as_version(&package, version)).unwrap();
        self.town.publish(&path, &Self::version(version));
    }

    /// Those who work for the attacker forget what they saw of the log, or their own clients would refuse to go on.
    pub(crate) fn accomplices_forget(&self) {
        for who in ["ada", "rita", "worker", "operator"] {
            for registry in fs::read_dir(self.town.home(who).join("trust")).unwrap().flatten() {
                let _ = fs::remove_dir_all(registry.path().join("logs"));
            }
        }
    }

    /// From now on the proxy obeys this rule.
    pub(crate) fn lie(&self, rule: impl Fn(&str, &[u8]) -> Lie + Send + Sync + 'static) {
        *self.rule.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(rule);
    }

    /// From now on the proxy passes everything on.
    pub(crate) fn be_honest(&self) {
        self.lie(|_, _| Lie::Pass);
    }

    /// Answers one path with this.
    pub(crate) fn answer(&self, path: &'static str, body: Vec<u8>) {
        self.lie(move |asked, _| if asked == path { Lie::Body(body.clone()) } else { Lie::Pass });
    }

    /// Has the victim run a command.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.town.run("victim", args)
    }

    /// The same at another time.
    pub(crate) fn run_later(&self, seconds: i64, args: &[&str]) -> Run {
        retoque_at(&self.home(), now().plus_seconds(seconds), args)
    }

    /// Has the victim pull a version into a new folder; the run and whether the folder is there.
    pub(crate) fn pull(&self, reference: &str, more: &[&str]) -> Run {
        let target = self.target();
        let run = self.run(&[&["--json", "pull", reference, "--dir", target.to_str().unwrap()], more].concat());
        assert_eq!(target.exists(), run.status == 0, "{run:?}");
        run
    }

    /// A folder that is not there yet.
    pub(crate) fn target(&self) -> PathBuf {
        let free = |n: &u32| !self.town.path(&format!("pulled-{n}")).exists();
        let n = (0..).find(free).unwrap();
        self.town.path(&format!("pulled-{n}"))
    }

    /// Has the victim pull honestly, so that something is remembered.
    #[track_caller]
    pub(crate) fn pulled(&self, version: &str) -> PathBuf {
        let target = self.target();
        self.pull(&Self::version(version), &[]).expect(0);
        target
    }

    /// The victim's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.town.home("victim")
    }

    /// Everything that the victim remembers: roots, heads and statuses; not the cache nor proofs of forks.
    pub(crate) fn remembered(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        walk(&self.home().join("trust"), &mut all);
        all
    }

    /// Files that prove a fork.
    pub(crate) fn proofs(&self) -> Vec<String> {
        let folders = fs::read_dir(self.home().join("trust")).unwrap().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten());
        let forks = files.filter(|file| file.file_name().to_string_lossy().starts_with("fork-"));
        forks.map(|file| fs::read_to_string(file.path()).unwrap()).collect()
    }

    /// Runs a command that has to be refused with this code and status, with nothing remembered of it.
    #[track_caller]
    pub(crate) fn refused(&self, args: &[&str], code: &str, status: i32) -> Run {
        let before = self.remembered();
        let run = self.run(&[&["--json"], args].concat());
        check(&run, code, status);
        assert!(self.remembered() == before, "what is remembered has changed: {run:?}");
        run
    }

    /// Pulls a version, which has to be refused so.
    #[track_caller]
    pub(crate) fn refused_pull(&self, version: &str, code: &str, status: i32) -> Run {
        let target = self.target().display().to_string();
        let run = self.refused(&["pull", &Self::version(version), "--dir", &target], code, status);
        assert!(!Path::new(&target).exists());
        run
    }

    /// What the registry says now at a path.
    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        self.town.get(path, "").expect(200).body
    }

    /// The head that the registry shows now.
    pub(crate) fn head(&self) -> Vec<u8> {
        self.get("/api/v1/head")
    }

    /// The same as JSON.
    pub(crate) fn head_json(&self) -> Value {
        serde_json::from_slice(&self.head()).unwrap()
    }

    /// A key of the platform: `build`, `log` or `status`. An attacker has stolen it.
    pub(crate) fn stolen(&self, which: &str) -> SecretKey {
        let file = self.town.dir().join(format!("keys/platform-{which}.pem"));
        SecretKey::from_pem(&fs::read_to_string(file).unwrap()).unwrap()
    }

    /// What the log is called.
    pub(crate) fn origin(&self) -> String {
        self.town.url.strip_prefix("http://").unwrap().to_owned()
    }

    /// The time now.
    pub(crate) fn now(&self) -> Time {
        now()
    }
}

/// The run was refused with this code and status.
#[track_caller]
pub(crate) fn check(run: &Run, code: &str, status: i32) {
    let said = run.json();
    assert_eq!((said["code"].as_str().unwrap_or_default(), run.status), (code, status), "{run:?}");
}

fn walk(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && name != "tiles" {
            walk(&path, into);
        } else if path.is_file() && !name.starts_with("fork-") && name != "lock" {
            into.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}
