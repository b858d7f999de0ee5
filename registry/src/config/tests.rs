//! Settings from all sources: which wins, what is refused, what is hidden.

use retoque_core::problem::{CONFIG_INVALID, CONFIG_UNKNOWN, CONFIG_UNREADABLE};

use super::*;

fn sources(text: &str, variables: &[(&str, &str)], flags: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), text).unwrap();
    let owned = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let file = Some(folder.path().join(FILE));
    (folder, Sources { file, variables: owned(variables), flags: owned(flags) })
}

#[test]
fn the_later_source_wins() {
    let text = "[server]\nlisten = \"127.0.0.1:1\"\nurl = \"https://Registry.Example/\"\n[database]\nconnections = 3\n";
    let variables =
        [("RETOQUE_SERVER_LISTEN", "127.0.0.1:2"), ("RETOQUE_LIMITS_PACKAGE", "2 GiB"), ("RETOQUE_TOKEN", "x")];
    let (folder, sources) = sources(text, &variables, &[("server.listen", "127.0.0.1:3")]);
    let config = Config::load(&sources).unwrap();
    assert_eq!(config.server.listen.port(), 3);
    assert_eq!(
        (config.server.url.as_str(), config.server.url.origin()),
        ("https://registry.example", "registry.example")
    );
    assert_eq!((config.database.connections, config.limits.package), (3, Bytes(2 << 30)));
    // Relative paths start at the file.
    assert_eq!(config.storage.folder, folder.path().join("storage"));
    assert_eq!(config.database.url.reveal(), format!("sqlite:{}", folder.path().join("registry.db").display()));
    let lines = Config::show(&sources).unwrap();
    let of = |name: &str| lines.iter().find(|l| l.name == name).map(|l| (l.value.as_str(), l.source.as_str())).unwrap();
    assert_eq!(of("server.listen"), ("127.0.0.1:3", "flag"));
    assert_eq!(of("limits.package"), ("2 GiB", "RETOQUE_LIMITS_PACKAGE"));
    assert_eq!(of("database.connections"), ("3", "file"));
    assert_eq!(of("log.format"), ("text", "default"));
}

#[test]
fn every_mistake_is_reported() {
    let text = "top = 1\n[server]\nlistne = \"x\"\nurl = \"ftp://x\"\n[limits]\npackage = \"4 gigs\"\nconcurrency = 1.5\n[zzz]\na = 1\n";
    let (_folder, sources) = sources(text, &[("RETOQUE_LOG_LEVEL", "loud")], &[]);
    let findings = Config::load(&sources).unwrap_err();
    let found: Vec<_> = findings.list().iter().map(|f| (f.code, f.place.field.clone().unwrap())).collect();
    for expected in [
        (CONFIG_INVALID, "server.url"),
        (CONFIG_INVALID, "limits.package"),
        (CONFIG_INVALID, "limits.concurrency"),
        (CONFIG_INVALID, "log.level"),
        (CONFIG_UNKNOWN, "server.listne"),
        (CONFIG_UNKNOWN, "zzz.a"),
        (CONFIG_UNKNOWN, "top"),
    ] {
        assert!(found.contains(&(expected.0, expected.1.to_owned())), "{expected:?} is not in {found:?}");
    }
    assert_eq!(findings.errors(), 7, "{found:?}");
    let typo = findings.list().iter().find(|f| f.place.field.as_deref() == Some("server.listne")).unwrap();
    assert_eq!(typo.next, "did you mean `server.listen`?");
}

#[test]
fn secrets_are_never_shown() {
    let text = "[database]\nurl = \"postgres://me:hunter2@db/x?sslmode=require&password=hunter2\"\n\
        [storage]\nkind = \"s3\"\nbucket = \"b\"\naccess_key = \"AK\"\nsecret_key = \"hunter2\"\n";
    let (_folder, sources) = sources(text, &[], &[]);
    let shown = format!("{:?}{:?}", Config::show(&sources).unwrap(), Config::load(&sources).unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("postgres://me:(hidden)@db/x?sslmode=require&password=(hidden)"), "{shown}");
}

#[test]
fn files_that_are_not_settings_are_refused() {
    let (_folder, broken) = sources("[server]\nlisten = = 1\n", &[], &[]);
    let finding = Config::load(&broken).unwrap_err().list()[0].clone();
    assert_eq!((finding.code, finding.place.line), (CONFIG_INVALID, Some(2)));
    let missing = Sources { file: Some("/nowhere/config.toml".into()), ..Sources::default() };
    assert!(Config::load(&missing).unwrap_err().has(CONFIG_UNREADABLE));
    let (_folder, no_bucket) = sources("[storage]\nkind = \"s3\"\naccess_key = \"AK\"\n", &[], &[]);
    assert_eq!(Config::load(&no_bucket).unwrap_err().errors(), 2);
}

#[test]
fn values_have_one_meaning() {
    use super::setting::Setting as _;
    let base = Path::new("/base");
    for (text, bytes) in
        [("1", Some(1)), ("4 GiB", Some(4 << 30)), ("512KiB", Some(512 << 10)), ("1 TiB", None), ("0", None)]
    {
        assert_eq!(Bytes::parse(text, base).ok().map(|b| b.0), bytes, "{text}");
    }
    for bad in ["-1 MiB", "", "MiB", "99999999999999999999", "17179869184 GiB"] {
        assert!(Bytes::parse(bad, base).is_err(), "{bad}");
    }
    for bad in ["sqlite:", "sqlite::memory:", "mysql://x", "", "sqlite:a?mode=ro"] {
        assert!(DatabaseUrl::parse(bad, base).is_err(), "{bad}");
    }
    for bad in ["http://a/b", "http://", "a", "https://me@a", "https://a?x", "https://a#x"] {
        assert!(PublicUrl::parse(bad, base).is_err(), "{bad}");
    }
}

#[test]
fn a_list_in_the_file_is_a_list() {
    let key = "witness.example/w+d0a590be+BP0XJDhaoMdbZPt4zWAvodmR/ev3axPFjtcC6sg16fYY";
    let (_folder, good) = sources(&format!("[log]\nwitnesses = [\"{key} https://w.example/\"]\n"), &[], &[]);
    let config = Config::load(&good).unwrap();
    assert_eq!((config.log.witnesses.0.len(), config.log.witnesses.0[0].url.as_str()), (1, "https://w.example"));
    let (_folder, bad) =
        sources(&format!("[log]\nwitnesses = [\"{key}\", 7]\nlevel = [\"info\"]\nformat = [[]]\n"), &[], &[]);
    let findings = Config::load(&bad).unwrap_err();
    assert!(findings.errors() >= 2 && findings.has(CONFIG_INVALID));
}
