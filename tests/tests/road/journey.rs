//! From a folder to a verified folder, step by step; what each command says about where the version stands.

use std::fs;

use retoque_tests::database::Engine;
use retoque_tests::registry::sample;
use retoque_tests::town::{PATCH, Town};

retoque_tests::on_both!(a_version_goes_the_whole_way);

fn a_version_goes_the_whole_way(engine: Engine) {
    let town = Town::found(engine);
    let version = &format!("{PATCH}@1.0.0");
    let stands = |expected: &str, licence: &str| {
        let status = town.json("worker", &["status", version]);
        assert_eq!((status["state"].as_str(), status["licence"].as_str()), (Some(expected), Some(licence)), "{status}");
    };

    // Pushed: a candidate, which the public does not see.
    let package = town.pack(PATCH, "1.0.0", &[]);
    town.push(&package).expect(0);
    assert!(town.push(&package).expect(0).says("there already"), "pushing the same again succeeds");
    stands("candidate", "none");
    assert_eq!(town.kinds(version, "worker"), ["attested"]);
    assert_eq!(town.run("consumer", &["show", version]).status, 6);
    assert_eq!(town.run("consumer", &["pull", version]).status, 6);
    for (who, args) in [
        ("paul", &["publish", version, "--yes"] as &[&str]),
        ("rita", &["review", "approve", version, "--all"]),
        (
            "paul",
            &[
                "submit",
                version,
                "--dataset-rights",
                "--base-licence-compliance",
                "--keep-cases",
                "--yes",
                "--attribution",
                "None",
                "--licence",
                "CC0-1.0",
            ],
        ),
    ] {
        let run = town.run(who, args);
        assert!([1, 4, 5].contains(&run.status), "{who} {args:?}: {run:?}");
    }
    stands("candidate", "none");

    // Submitted: the submitter and the pusher do not review it.
    town.submit(version).expect(0);
    stands("submitted", "none");
    assert_eq!(town.run("ada", &["review", "approve", version, "--all"]).status, 5);
    assert_eq!(town.run("worker", &["review", "approve", version, "--all"]).status, 5);
    assert_eq!(town.submit(version).status, 4, "it is submitted already");
    let queue = town.json("rita", &["review", "list"]);
    assert!(queue.to_string().contains(PATCH), "{queue}");
    let review = town.ok("rita", &["review", "show", version]);
    assert!(review.says("IMPROVED_ON_SCOPE"), "{review:?}");

    // Returned with a reason, submitted again, approved, revoked, approved.
    let because = ["--reason", "declarations", "--text", "Name the third parties, please."];
    town.ok("rob", &[&["review", "return", version], &because[..]].concat());
    stands("candidate", "none");
    town.submit(version).expect(0);
    town.ok("rita", &["review", "approve", version, "--all"]);
    stands("approved", "none");
    assert_eq!(town.run("consumer", &["pull", version]).status, 6, "still not public");

    // Published: everything is frozen now.
    let before = town.stored();
    town.ok("paul", &["publish", version, "--yes"]);
    stands("published", "granted-free");
    let frozen = town.stored();
    assert!(before.iter().all(|(path, bytes)| frozen.get(path) == Some(bytes)), "publishing changed stored objects");
    let documents = documents(&town, version);
    assert_eq!(town.run("ada", &["publish", version, "--yes"]).status, 4);

    // Pulled and verified without an account.
    assert!(town.ok("consumer", &["search", "ticket"]).says(PATCH));
    town.ok("consumer", &["pull", PATCH, "--dir", "pulled"]);
    let folder = town.path("pulled").display().to_string();
    let base = sample().join("base").display().to_string();
    let proof = town.json("consumer", &["verify", &folder, "--base", &base]);
    assert!(proof["base_proof"]["files"].as_u64() >= Some(6), "{proof}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 9);
    for (name, bytes) in &documents {
        assert_eq!(&fs::read(town.path("pulled").join(name)).unwrap(), bytes, "{name}");
    }
    let weights = fs::read(sample().join("adapter/adapter_model.safetensors")).unwrap();
    assert!(fs::read(town.path("pulled/adapter_model.safetensors")).unwrap() == weights);

    // Deprecated and restored: served with a warning, then without.
    town.operate("deprecate", version, "regression-found").expect(0);
    stands("deprecated", "granted-free");
    let warned = town.ok("consumer", &["pull", version, "--dir", "deprecated"]);
    assert!(warned.says("DEPRECATED") && warned.says("regression-found"), "{warned:?}");
    assert_ne!(town.run("consumer", &["pull", PATCH, "--dir", "newest"]).status, 0, "no newest version is left");
    town.operate("restore", version, "issue-resolved").expect(0);
    stands("published", "granted-free");
    let quiet = town.ok("consumer", &["pull", PATCH, "--dir", "restored"]);
    assert!(!quiet.says("DEPRECATED"), "{quiet:?}");

    // Nothing that was frozen has changed, in the registry or on the way.
    assert_eq!(town.stored(), frozen);
    assert_eq!(self::documents(&town, version), documents);
    let kinds = town.kinds(version, "consumer");
    let expected = "attested submitted returned submitted approved published licence-granted deprecated restored";
    assert_eq!(kinds.join(" "), expected);
}

/// The documents that publication freezes, as served to anybody.
fn documents(town: &Town, version: &str) -> Vec<(&'static str, Vec<u8>)> {
    let routes = [
        ("attestation.json", "attestation"),
        ("manifest.json", "manifest"),
        ("release.json", "release"),
        ("LICENSE.txt", "licence-text"),
        ("validation-cases.json", "validation-cases"),
    ];
    routes.map(|(name, route)| (name, town.get(&format!("{}/{route}", Town::at(version)), "").expect(200).body)).into()
}
