//! What a ceremony works with: keys with their files, and the newest root of a town.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use retoque_tests::programs::{Run, retoque, retoque_registry};
use retoque_tests::town::Town;
use serde_json::Value;

/// A key pair with its file.
pub(crate) struct Key {
    /// The private key file.
    pub(crate) file: String,
    /// Public half, 64 hex digits.
    pub(crate) public: String,
    /// Key id.
    pub(crate) id: String,
    /// The file with its passphrase, when it is encrypted.
    pub(crate) words: Option<String>,
}

/// Runs the command line in `folder`, as on a machine of its own: no configuration, no network.
pub(crate) fn offline(folder: &Path, args: &[&str]) -> Run {
    Run::of(retoque(&folder.join("nowhere")).current_dir(folder).args(args))
}

/// The same, which has to succeed; gives the document.
#[track_caller]
pub(crate) fn offline_json(folder: &Path, args: &[&str]) -> Value {
    offline(folder, &[&["--json"], args].concat()).expect(0).json()
}

/// Makes a key in `folder`; with a passphrase, encrypted.
pub(crate) fn generate(folder: &Path, name: &str, passphrase: Option<&str>) -> Key {
    let file = folder.join(format!("{name}.pem")).display().to_string();
    let mut args = vec!["key", "generate", "--out", &file];
    let words = passphrase.map(|text| secret(&folder.join(format!("{name}.words")), text));
    if let Some(words) = &words {
        args.extend(["--encrypt", "--passphrase-file", words]);
    }
    let made = offline_json(folder, &args);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    Key { public: text("public"), id: text("keyid"), file, words }
}

/// Writes a file that its owner alone can read.
fn secret(path: &Path, text: &str) -> String {
    use std::io::Write as _;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    path.display().to_string()
}

/// The root of a town on its way through ceremonies.
pub(crate) struct Ceremony<'a> {
    pub(crate) town: &'a Town,
    /// The root files, version 1 first.
    pub(crate) roots: Vec<String>,
    /// Who signs the next root.
    pub(crate) signers: Vec<Key>,
}

impl<'a> Ceremony<'a> {
    /// Begins with the roots that the town has, and two of the root keys that `init` made.
    pub(crate) fn of(town: &'a Town) -> Self {
        fs::create_dir(town.path("ceremony")).unwrap();
        let mut roots = Vec::new();
        loop {
            let n = roots.len() + 1;
            let answer = town.get(&format!("/trust/{n}.root.json"), "");
            if answer.status != 200 {
                break;
            }
            let file = town.path(&format!("ceremony/{n}.root.json"));
            fs::write(&file, &answer.body).unwrap();
            roots.push(file.display().to_string());
        }
        let signers = ["root-1", "root-2"].map(|name| installed(town, name)).into();
        Self { town, roots, signers }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.town.path("ceremony")
    }

    pub(crate) fn newest(&self) -> &str {
        self.roots.last().unwrap()
    }

    /// Makes the next root without a signature.
    pub(crate) fn draft(&self, changes: &[&str]) -> Run {
        let out = self.next_file();
        let _ = fs::remove_file(&out);
        offline(&self.folder(), &[&["key", "root", "next", self.newest(), "--out", &out], changes].concat())
    }

    /// Where the next root lies.
    pub(crate) fn next_file(&self) -> String {
        self.folder().join(format!("{}.root.json", self.roots.len() + 1)).display().to_string()
    }

    /// Adds signatures to the next root.
    pub(crate) fn sign(&self, keys: &[&Key]) -> Value {
        let mut shown = Value::Null;
        for key in keys {
            shown = self.sign_with(key).expect(0).json();
        }
        shown
    }

    /// Adds one signature to the next root.
    pub(crate) fn sign_with(&self, key: &Key) -> Run {
        let file = self.next_file();
        let args = ["--json", "key", "root", "sign", &file, "--key", &key.file, "--previous", self.newest()];
        let words: Vec<&str> = key.words.iter().flat_map(|words| ["--passphrase-file", words.as_str()]).collect();
        offline(&self.folder(), &[&args[..], &words].concat())
    }

    /// Sends the next root to the registry.
    pub(crate) fn publish(&self, more: &[&str]) -> Run {
        let file = self.next_file();
        self.town.run("operator", &[&["key", "root", "publish", &file], more].concat())
    }

    /// A whole ceremony: the next root with these changes, signed by the signers, published.
    #[track_caller]
    pub(crate) fn hold(&mut self, changes: &[&str]) {
        self.draft(changes).expect(0);
        let shown = self.sign(&self.signers.iter().collect::<Vec<_>>());
        assert_eq!(shown["complete"], true, "{shown}");
        self.publish(&[]).expect(0);
        self.roots.push(self.next_file());
    }
}

/// A key that `init` wrote.
pub(crate) fn installed(town: &Town, name: &str) -> Key {
    let file = town.dir().join(format!("keys/{name}.pem")).display().to_string();
    let shown = offline_json(&town.dir(), &["key", "show", "--key", &file]);
    let text = |name: &str| shown[name].as_str().unwrap().to_owned();
    Key { public: text("public"), id: text("keyid"), file, words: None }
}

/// How many leaves the log has.
pub(crate) fn size(town: &Town) -> u64 {
    let note = String::from_utf8(town.get("/log/checkpoint", "").expect(200).body).unwrap();
    note.lines().nth(1).unwrap().parse().unwrap()
}

/// Makes the mounted key of a role the installation's.
pub(crate) fn adopt(town: &Town, role: &str) -> Run {
    Run::of(retoque_registry().args(["key", "adopt", "--role", role, "--dir"]).arg(town.dir()))
}
