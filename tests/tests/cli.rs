//! Whole commands as a user sees them: exit status, standard output, standard error.

#[path = "cli/run.rs"]
mod run;

use run::{json, retoque};

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
fn completions_and_manual_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = retoque(&["completions", shell]);
        assert_eq!(run.status, 0, "{shell}: {}", run.stderr);
        assert!(run.stdout.contains("completions"), "{shell}");
    }
    let run = retoque(&["man"]);
    assert!(run.status == 0 && run.stdout.contains(".TH retoque 1"), "{}", run.stderr);
}
