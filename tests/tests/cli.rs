//! Whole commands as a user sees them: exit status, standard output, standard error.

#[path = "cli/base.rs"]
mod base;
#[path = "cli/run.rs"]
mod run;

use retoque_cli::config::Environment;
use run::{json, retoque, retoque_in};

#[test]
fn wrong_usage_is_status_2_and_explains_itself() {
    let run = retoque(&["frobnicate"]);
    assert_eq!(run.status, 2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("unrecognized subcommand 'frobnicate'"), "{}", run.stderr);
}

#[test]
fn under_json_wrong_usage_is_a_document() {
    let run = retoque(&["frobnicate", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (2, ""));
    let document = json(&run.stdout);
    assert_eq!((document["code"].as_str(), document["exit_status"].as_u64()), (Some("usage"), Some(2)));
}

#[test]
fn help_and_version_are_answers() {
    let run = retoque(&["--version"]);
    assert_eq!((run.status, run.stdout.starts_with("retoque "), run.stderr.as_str()), (0, true, ""));
    let run = retoque(&["--help"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("Exit status: 0 done"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn under_json_help_and_version_are_documents() {
    for args in [
        &["--json", "--help"][..],
        &["pull", "--json", "--help"],
        &["--json", "help", "pull"],
        &["--json", "key", "-h"],
    ] {
        let run = retoque(args);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(json(&run.stdout)["help"].as_str().unwrap().contains("Usage: retoque"), "{args:?}: {}", run.stdout);
    }
    let run = retoque(&["pull", "--version", "--json"]);
    assert_eq!(json(&run.stdout)["version"], concat!("retoque-pull ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_and_manual_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = retoque(&["completions", shell]);
        assert_eq!(run.status, 0, "{shell}: {}", run.stderr);
        assert!(run.stdout.contains("completions"), "{shell}");
    }
    let run = retoque(&["man"]);
    assert!(run.status == 0 && run.stdout.contains(".TH retoque 1"), "{}", run.stderr);
}

fn home() -> (tempfile::TempDir, Environment) {
    let dir = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(dir.path().join("home")), ..Environment::default() };
    (dir, environment)
}

#[test]
fn without_a_registry_the_hint_says_how_to_add_one() {
    let (_dir, environment) = home();
    let run = retoque_in(environment, "", &["whoami"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        "error: no registry is configured [registry_unknown]\nhint: add one with `retoque trust add URL --root FILE`, \
         or name it with --registry URL\n"
    );
}

#[test]
fn trust_is_never_taken_from_the_registry_without_an_explicit_flag() {
    let (_dir, environment) = home();
    let run = retoque_in(environment, "", &["trust", "add", "http://127.0.0.1:1"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--trust-on-first-use"), "{}", run.stderr);
}

#[test]
fn a_token_does_not_travel_unencrypted() {
    let (_dir, environment) = home();
    let run = retoque_in(environment.clone(), "rtq_0123456789abcdef\n", &["login", "http://192.0.2.1"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("[plain_http]") && !run.stderr.contains("rtq_"), "{}", run.stderr);
    let run = retoque_in(environment, "hunter2\n", &["login", "https://192.0.2.1"]);
    assert_eq!(run.status, 5);
    assert!(run.stderr.contains("[token_malformed]") && !run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[test]
fn a_registry_that_is_not_there_is_status_7() {
    let (_dir, environment) = home();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let run = retoque_in(environment, "", &["base", "list", "--registry", &url, "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (7, ""));
    assert_eq!(json(&run.stdout)["code"], "unreachable");
}

#[test]
fn a_key_is_made_once_and_shown() {
    let (dir, environment) = home();
    let file = dir.path().join("ana.pem");
    let file = file.to_str().unwrap();
    let made = retoque_in(environment.clone(), "", &["key", "generate", "--out", file, "--json"]);
    assert_eq!(made.status, 0, "{}", made.stdout);
    let shown = retoque_in(environment.clone(), "", &["key", "show", "--key", file, "--json"]);
    assert_eq!(json(&made.stdout)["public"], json(&shown.stdout)["public"]);
    let again = retoque_in(environment.clone(), "", &["key", "generate", "--out", file]);
    assert_eq!((again.status, again.stderr.contains("[key_exists]")), (1, true));
    let whose = retoque_in(environment, "", &["key", "generate"]);
    assert_eq!((whose.status, whose.stderr.contains("--account")), (5, true), "{}", whose.stderr);
}

#[test]
fn acts_name_exactly_one_version() {
    for open in ["acme/tiny-desk", "acme/tiny-desk@^1.2"] {
        let run = retoque(&["withdraw", open, "--reason", "security", "--text", "Leaks a training row."]);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains("this needs one version"), "{}", run.stderr);
    }
    let run = retoque(&["show", "acme/tiny-desk@1.2"]);
    assert!(run.status == 2 && run.stderr.contains("`org/slug@^1.2`"), "{}", run.stderr);
}

#[test]
fn a_reason_code_of_another_act_is_refused_before_anything_is_sent() {
    let run =
        retoque(&["deprecate", "acme/tiny-desk@1.2.0", "--reason", "security", "--text", "Leaks a training row."]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (
            2,
            "error: `security` is no reason code of this command [usage]\nhint: one of: superseded, regression-found, \
             base-obsolete, other\n"
        )
    );
}

#[test]
fn a_submission_without_a_terminal_names_every_missing_declaration() {
    let run = retoque(&["submit", "acme/tiny-desk@1.2.0", "--dataset-rights"]);
    assert_eq!(run.status, 2);
    for flag in ["--base-licence-compliance", "--publish-cases or --keep-cases", "--attribution", "--licence"] {
        assert!(run.stderr.contains(flag), "{flag}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("--dataset-rights,"), "{}", run.stderr);
}

#[test]
fn every_command_has_help_within_the_width_of_a_terminal() {
    let all = retoque(&["--help"]).stdout;
    let names = all.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names: Vec<_> = names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").collect();
    assert!(names.len() > 20, "{all}");
    for name in names {
        let run = retoque(&[name, "--help"]);
        assert_eq!(run.status, 0, "{name}");
        assert!(
            run.stdout.lines().all(|l| l.starts_with("Usage: ") || l.chars().count() <= 120),
            "{name}: {}",
            run.stdout
        );
    }
}
