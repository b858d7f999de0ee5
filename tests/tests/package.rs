//! Packages of the sample: the same bytes everywhere, opened by other programs, read in parts, refused cleanly.

#[path = "cli/run.rs"]
mod run;
#[path = "package/sample.rs"]
mod sample;

use std::fs;
use std::process::Command;

use retoque_core::archive::Limits;
use retoque_core::archive::read::{NoVisitor, PackageReader};
use retoque_core::archive::seek::Index;
use retoque_core::digest::Digest;
use retoque_core::manifest::Manifest;
use run::{json, retoque};
use sample::{Sample, fixtures};

#[test]
fn the_sample_becomes_a_package() {
    let sample = Sample::new(false);
    let run = sample.pack(&[("--json", "--quiet")]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let report = json(&run.stdout);
    let (package, cases) = sample.packed();
    assert_eq!(report["evidence"], "IMPROVED_ON_SCOPE");
    assert_eq!(report["package_sha256"], Digest::of(&package).to_string());
    assert_eq!(report["package_size"], package.len());
    assert_eq!(report["left_out"][0]["path"], "README.md");
    for said in ["README.md", "adapter_config.json, base_model_name_or_path", "adapter_config.json, revision"] {
        assert!(run.stderr.contains(said), "{said} is not mentioned: {}", run.stderr);
    }

    let limits = Limits::default();
    let (read, _) = PackageReader::new(package.as_slice(), &limits).run(&mut NoVisitor).unwrap();
    assert_eq!(report["manifest_digest"], read.manifest_digest.to_string());
    assert_eq!(read.manifest.evidence.validation_cases, Digest::of(&cases));
    let counts = [read.manifest.evidence.held_out.patched, read.manifest.evidence.introduced];
    assert_eq!(counts, [153, 1]);
    let weights = fs::read(fixtures().join("adapter/adapter_model.safetensors")).unwrap();
    assert_eq!(read.manifest.adapter.sha256, Digest::of(&weights));
}

/// Not a test of its own: the process that [`conditions_do_not_matter`] starts.
#[test]
fn pack_as_told() {
    let Ok(arguments) = std::env::var("PACK_ARGUMENTS") else { return };
    let arguments: Vec<String> = serde_json::from_str(&arguments).unwrap();
    let run = retoque(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn conditions_do_not_matter() {
    let expected = Sample::new(false).packed();
    let conditions = [
        ("000", "UTC", "C", "/"),
        ("077", "Pacific/Kiritimati", "tr_TR.UTF-8", "/tmp"),
        ("022", "America/St_Johns", "de_DE.UTF-8", "/usr"),
    ];
    for (umask, zone, locale, directory) in conditions {
        let sample = Sample::new(true);
        let status = Command::new("sh")
            .args(["-c", "umask $1 && exec \"$2\" pack_as_told --exact", "sh", umask])
            .arg(std::env::current_exe().unwrap())
            .envs([("TZ", zone), ("LC_ALL", locale), ("LANG", locale), ("USER", "somebody"), ("HOME", "/nowhere")])
            .env("PACK_ARGUMENTS", serde_json::to_string(&sample.arguments()).unwrap())
            .current_dir(directory)
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
        let got = fs::read(sample.package()).unwrap();
        assert!(got == expected.0, "umask {umask}, zone {zone}, locale {locale}: other bytes");
        assert!(fs::read(sample.path("out/validation-cases.json")).unwrap() == expected.1);
    }
}

#[test]
fn tar_opens_it() {
    let sample = Sample::new(false);
    sample.packed();
    let target = sample.path("unpacked");
    fs::create_dir(&target).unwrap();
    let output = Command::new("tar").arg("--zstd").arg("-xf").arg(sample.package()).arg("-C").arg(&target).output();
    let output = output.expect("tar and zstd are installed");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = fs::read(target.join("manifest.json")).unwrap();
    let manifest = Manifest::from_bytes(&manifest).unwrap();
    assert_eq!(fs::read_dir(&target).unwrap().count(), manifest.files.len() + 1);
    for file in &manifest.files {
        let bytes = fs::read(target.join(&file.path)).unwrap();
        assert_eq!((bytes.len() as u64, Digest::of(&bytes)), (file.size, file.sha256), "{}", file.path);
    }
    let weights = fs::read(fixtures().join("adapter/adapter_model.safetensors")).unwrap();
    assert!(fs::read(target.join("adapter_model.safetensors")).unwrap() == weights);
    // What a trainer's machine is called must not travel.
    let before: serde_json::Value =
        serde_json::from_slice(&fs::read(fixtures().join("adapter/adapter_config.json")).unwrap()).unwrap();
    let local = before["base_model_name_or_path"].as_str().unwrap();
    for name in ["README.md", "adapter_config.json", "manifest.json", "evaluation.json"] {
        let text = fs::read_to_string(target.join(name)).unwrap();
        assert!(!text.contains(local) && !text.contains("/home/"), "{name}");
    }
    let after: serde_json::Value =
        serde_json::from_slice(&fs::read(target.join("adapter_config.json")).unwrap()).unwrap();
    assert_eq!(
        format!("{}@{}", after["base_model_name_or_path"].as_str().unwrap(), after["revision"].as_str().unwrap()),
        sample::PIN
    );
}

#[test]
fn files_and_ranges_are_read_alone() {
    let sample = Sample::new(false);
    let (package, _) = sample.packed();
    let limits = Limits::default();
    let (read, _) = PackageReader::new(package.as_slice(), &limits).run(&mut NoVisitor).unwrap();
    let files = read.manifest.archive_files(read.manifest_bytes.len() as u64);
    let index = Index::new(read.facts.table.clone(), files).unwrap();
    let weights = fs::read(fixtures().join("adapter/adapter_model.safetensors")).unwrap();
    let mut seed = 7u64;
    let mut number = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..40 {
        let size = weights.len() as u64;
        let from = number(size);
        let to = from + number(size - from) + 1;
        let cut = index.cut("adapter_model.safetensors", from..to).unwrap();
        let stored = &package[usize::try_from(cut.stored.start).unwrap()..usize::try_from(cut.stored.end).unwrap()];
        let mut out = Vec::new();
        cut.extract(&mut &*stored, &mut out).unwrap();
        assert!(out == weights[usize::try_from(from).unwrap()..usize::try_from(to).unwrap()], "{from}..{to}");
    }
    for span in index.files() {
        let cut = index.cut(&span.path, 0..span.size).unwrap();
        let stored = &package[usize::try_from(cut.stored.start).unwrap()..usize::try_from(cut.stored.end).unwrap()];
        let mut out = Vec::new();
        cut.extract(&mut &*stored, &mut out).unwrap();
        let said = read.facts.files.iter().find(|f| f.path == span.path).unwrap();
        assert_eq!(Digest::of(&out), said.sha256, "{}", span.path);
    }
}

#[test]
fn a_refusal_names_everything_and_leaves_nothing() {
    let sample = Sample::new(false);
    fs::remove_file(sample.path("record/run.json")).unwrap();
    fs::remove_file(sample.path("record/training.json")).unwrap();
    fs::write(sample.path("adapter/model.py"), "x").unwrap();
    let config = fs::read_to_string(sample.path("adapter/adapter_config.json")).unwrap();
    fs::write(sample.path("adapter/adapter_config.json"), config.replace("\"bias\": \"none\"", "\"bias\": \"all\""))
        .unwrap();
    let other = sample::PIN.replace("0123", "3210");
    let run = sample.pack(&[("--base", &other), ("--dataset-licence", "free"), ("--json", "--quiet")]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let codes: Vec<String> = json(&run.stdout)["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{} {}", f["code"].as_str().unwrap(), f["place"]["file"].as_str().unwrap_or_default()))
        .collect();
    for expected in ["base_mismatch", "licence_unknown", "input_unreadable run.json", "input_unreadable training.json"]
    {
        assert!(codes.iter().any(|c| c.starts_with(expected)), "{expected} is not among {codes:?}");
    }
    assert!(codes.iter().any(|c| c.ends_with("model.py")) && codes.iter().any(|c| c.ends_with("adapter_config.json")));
    assert_eq!(sample.left(), Vec::<String>::new());
}

#[test]
fn each_bad_input_is_refused_and_leaves_nothing() {
    type Refused<'a> = (&'a str, fn(&Sample), &'a [(&'a str, &'a str)]);
    let cases: [Refused; 8] = [
        ("cut weights", |s| cut(s, "adapter/adapter_model.safetensors"), &[]),
        ("no weights", |s| fs::remove_file(s.path("adapter/adapter_model.safetensors")).unwrap(), &[]),
        ("no folder", |s| fs::remove_dir_all(s.path("adapter")).unwrap(), &[]),
        ("weights behind a link", link, &[]),
        ("cut outputs", |s| cut(s, "record/outputs.jsonl"), &[]),
        ("another seed", |_| (), &[("--seed", "8")]),
        ("a cut base record", |s| cut(s, "base.json"), &[]),
        ("no place to write", |_| (), &[("--out", "/nowhere/at/all.tar.zst")]),
    ];
    for (name, change, arguments) in cases {
        let sample = Sample::new(false);
        change(&sample);
        let run = sample.pack(arguments);
        assert_eq!(run.status, 1, "{name}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("hint: "), "{name}: {}", run.stderr);
        assert_eq!(sample.left(), Vec::<String>::new(), "{name}");
    }
    let sample = Sample::new(false);
    for arguments in [
        ("--version", "v1.0.0"),
        ("--version", "1.0.0+b"),
        ("--patch", "Acme/x"),
        ("--base", "a/b@main"),
        ("--dataset-source", "scraped"),
    ] {
        assert_eq!(sample.pack(&[arguments]).status, 2, "{arguments:?}");
    }
}

fn cut(sample: &Sample, name: &str) {
    let bytes = fs::read(sample.path(name)).unwrap();
    fs::write(sample.path(name), &bytes[..bytes.len() - 100]).unwrap();
}

fn link(sample: &Sample) {
    let path = sample.path("adapter/adapter_model.safetensors");
    fs::rename(&path, sample.path("weights")).unwrap();
    std::os::unix::fs::symlink(sample.path("weights"), path).unwrap();
}

#[test]
fn inspect_shows_a_package_and_refuses_a_changed_one() {
    let sample = Sample::new(false);
    let (package, _) = sample.packed();
    let path = sample.package();
    let path = path.to_str().unwrap();
    let base = sample.path("base.json");
    let run = retoque(&["inspect", path]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for said in ["acme/tiny-desk 1.0.0", "IMPROVED_ON_SCOPE", sample::PIN, "153", "adapter_model.safetensors"] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    let run =
        retoque(&["inspect", path, "--json", "--base-record", base.to_str().unwrap(), "--policy", "fixed-profile"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let report = json(&run.stdout);
    assert_eq!(report["package_sha256"], Digest::of(&package).to_string());
    assert_eq!(report["manifest"]["evidence"]["held_out"]["patched"], 153);

    let mut changed = package.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    for (name, bytes) in [
        ("changed", changed),
        ("cut", package[..package.len() - 1].to_vec()),
        ("longer", [package.as_slice(), b"x"].concat()),
        ("nothing", Vec::new()),
        ("text", b"hello".to_vec()),
    ] {
        fs::write(path, bytes).unwrap();
        let run = retoque(&["inspect", path]);
        assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{name}: {}", run.stderr);
    }
}
