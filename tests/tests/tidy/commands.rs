//! The commands and flags that messages and documents name are there.

use clap::{Command, CommandFactory as _};

use crate::{OWN, report, tree};

/// What is wrong with a quoted command line such as `retoque pull REF --dir D`.
fn wrong(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut command = match words.next()? {
        "retoque" => retoque_cli::args::Cli::command(),
        "retoque-registry" => retoque_registry::args::Cli::command(),
        _ => return None,
    };
    command.build();
    let (mut named, mut next) = (true, None);
    for word in words {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        if let Some(flag) = bare.strip_prefix("--") {
            let flag = flag.split('=').next().unwrap_or(flag);
            if !flag.is_empty() && flag != "help" && flag != "version" && !has(&command, flag) {
                return Some(format!("{} has no --{flag}", command.get_name()));
            }
        } else if named && command.has_subcommands() && bare != "help" {
            named = bare.starts_with(|c: char| c.is_ascii_lowercase());
            if named {
                // `add|remove` names two.
                for alternative in bare.split('|') {
                    match command.find_subcommand(alternative) {
                        Some(found) => next = Some(found.clone()),
                        None => return Some(format!("{} has no command {alternative}", command.get_name())),
                    }
                }
                command = next.take()?;
            }
        } else {
            named = false;
        }
    }
    None
}

fn has(command: &Command, flag: &str) -> bool {
    command
        .get_arguments()
        .any(|a| a.get_long() == Some(flag) || a.get_all_aliases().is_some_and(|a| a.contains(&flag)))
}

#[test]
fn a_command_that_is_not_there_is_seen() {
    assert_eq!(wrong("retoque pull org/slug --dir D"), None);
    assert_eq!(wrong("retoque review approve REF --json"), None);
    assert_eq!(wrong("retoque"), None);
    assert!(wrong("retoque dream").is_some());
    assert!(wrong("retoque review dream").is_some());
    assert!(wrong("retoque pull REF --dream").is_some());
    assert!(wrong("retoque-registry dream").is_some());
}

#[test]
fn every_command_that_is_named_is_there() {
    let mut violations = Vec::new();
    let mut seen = 0;
    let files = tree::written().into_iter().filter(|f| f.path.ends_with(".rs") || f.path.ends_with(".md"));
    for file in files.filter(|f| !f.path.starts_with(OWN)) {
        for (number, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            for quoted in line.split('`').skip(1).step_by(2).filter(|quoted| quoted.starts_with("retoque")) {
                seen += 1;
                if let Some(what) = wrong(quoted) {
                    violations.push(format!("{}:{}: {quoted}: {what}", file.path, number + 1));
                }
            }
        }
    }
    assert!(seen > 60, "only {seen} commands were found");
    report(&violations);
}
