//! From three machines and a host to a registry on whose machine no root key ever was.

use std::path::Path;

use retoque_core::sign::PublicKey;
use retoque_tests::peers::{openssl, script};
use retoque_tests::programs::{Run, Service, retoque, retoque_registry};

use super::desk::{Key, generate, offline, offline_json};

const NAMES: [&str; 3] = ["platform-build", "platform-log", "platform-status"];

struct Desk {
    folder: tempfile::TempDir,
    holders: [Key; 3],
    operator: Key,
    url: String,
}

impl Desk {
    /// Keys of three holders, of the platform and of the operator; a first root that nobody has signed.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let holders = ["anna", "bert", "cleo"].map(|name| generate(at, name, Some(&format!("the words of {name}"))));
        std::fs::create_dir(at.join("platform")).unwrap();
        let platform = NAMES.map(|name| generate(&at.join("platform"), name, None));
        let operator = generate(at, "operator", None);
        let mut args = vec!["key", "root", "create", "--threshold", "root=2", "--origin", "log.example"];
        let mut adds: Vec<String> = holders.iter().map(|key| format!("root={}", key.public)).collect();
        adds.extend(NAMES.iter().zip(&platform).map(|(name, key)| format!("{name}={}", key.public)));
        adds.push(format!("operate={}", operator.public));
        args.extend(adds.iter().flat_map(|add| ["--add", add.as_str()]));
        let made = offline_json(at, &args);
        assert_eq!((&made["complete"], &made["version"]), (&false.into(), &1.into()), "{made}");
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).unwrap();
        Self { holders, operator, url: format!("http://{free}"), folder }
    }

    fn at(&self) -> &Path {
        self.folder.path()
    }

    fn sign(&self, key: &Key) -> Run {
        let args = ["key", "root", "sign", "1.root.json", "--key", &key.file];
        let words: Vec<&str> = key.words.iter().flat_map(|words| ["--passphrase-file", words.as_str()]).collect();
        offline(self.at(), &[&args[..], &words].concat())
    }

    fn init(&self, operator: &str) -> Run {
        let listen = self.url.strip_prefix("http://").unwrap();
        let mut command = retoque_registry();
        command.current_dir(self.at()).args(["init", "--dir", "registry", "--url", &self.url, "--listen", listen]);
        command.args(["--root", "1.root.json", "--platform-keys", "platform", "--operator-key", operator]);
        Run::of(&mut command)
    }
}

#[test]
fn a_registry_begins_with_a_root_that_was_signed_elsewhere() {
    let desk = Desk::new();
    assert!(desk.init(&desk.operator.public).expect(3).says("no signature"));
    desk.sign(&desk.holders[0]).expect(0);
    assert!(desk.init(&desk.operator.public).expect(3).says("1 of them"), "one of two");
    assert!(desk.sign(&desk.holders[0]).expect(1).says("a second signature"));
    assert!(desk.sign(&desk.operator).expect(3).says("which is no root key"));
    let shown = offline(desk.at(), &["key", "root", "show", "1.root.json"]).expect(0);
    assert!(shown.says("1 of 2 root keys of version 1: not enough yet"), "{shown:?}");
    desk.sign(&desk.holders[2]).expect(0);
    let shown = offline_json(desk.at(), &["key", "root", "show", "1.root.json"]);
    assert_eq!((&shown["complete"], &shown["origin"]), (&true.into(), &"log.example".into()), "{shown}");

    let (accepted, said) = script("root_chain.py", &[&desk.at().join("1.root.json")]);
    assert!(accepted, "{said}");
    assert_eq!(said["roles"]["root"].as_array().unwrap().len(), 3);

    assert!(desk.init(&desk.holders[0].public).expect(1).says("operator-key"), "no operator of the root");
    desk.init(&desk.operator.public).expect(0);
    let mut keys: Vec<_> = std::fs::read_dir(desk.at().join("registry/keys")).unwrap().collect();
    keys.retain(|entry| !NAMES.iter().any(|name| entry.as_ref().unwrap().path().ends_with(format!("{name}.pem"))));
    assert!(keys.is_empty(), "{keys:?}");

    let _service = Service::start(&desk.at().join("registry"), &desk.at().join("log"));
    let as_operator = |args: &[&str]| Run::of(retoque(&desk.at().join("home")).current_dir(desk.at()).args(args));
    as_operator(&["trust", "add", &desk.url, "--root", "1.root.json"]).expect(0);
    as_operator(&["login", &desk.url, "--token-file", "registry/operator.token"]).expect(0);
    let trust = as_operator(&["--json", "trust", "show"]).expect(0).json();
    assert_eq!(trust["log_origins"], serde_json::json!(["log.example"]), "{trust}");
    assert_eq!(as_operator(&["--json", "key", "list"]).expect(0).json()[0]["keyid"], desk.operator.id.as_str());
}

#[test]
fn a_sealed_key_opens_with_its_passphrase_here_and_elsewhere() {
    let desk = Desk::new();
    let key = &desk.holders[1];
    let words = format!("file:{}", key.words.as_ref().unwrap());
    let [pkey, input, file, pass, passphrase, public] =
        ["pkey", "-in", &key.file, "-passin", &words, "-pubout"].map(Path::new);
    let opened = openssl(&[pkey, input, file, pass, passphrase, public]);
    let expected = PublicKey::from_hex(&key.public).unwrap().to_pem().unwrap();
    assert_eq!(String::from_utf8(opened.stdout).unwrap(), expected);
    let wrong = format!("file:{}", desk.holders[0].words.as_ref().unwrap());
    assert!(!openssl(&[pkey, input, file, pass, Path::new(&wrong), public]).status.success());

    let show = |more: &[&str]| offline(desk.at(), &[&["key", "show", "--key", &key.file], more].concat());
    assert!(show(&[]).expect(1).says("encrypted"));
    assert!(show(&["--passphrase-file", desk.holders[0].words.as_ref().unwrap()]).expect(1).says("passphrase"));
    assert!(show(&["--passphrase-file", key.words.as_ref().unwrap()]).expect(0).says(&key.id));
    let mut by_variable = retoque(desk.at());
    by_variable.env("RETOQUE_PASSPHRASE", "the words of bert").args(["key", "show", "--key", &key.file]);
    assert!(Run::of(&mut by_variable).expect(0).says(&key.public));
    let short = std::fs::read(key.words.as_ref().unwrap()).map(|_| desk.at().join("short.words")).unwrap();
    std::fs::copy(key.words.as_ref().unwrap(), &short).unwrap();
    std::fs::write(&short, "short").unwrap();
    let args = ["key", "generate", "--out", "weak.pem", "--encrypt", "--passphrase-file", short.to_str().unwrap()];
    assert!(offline(desk.at(), &args).expect(1).says("at least 8"));
    assert!(!desk.at().join("weak.pem").exists());
}
