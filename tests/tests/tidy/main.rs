//! The shape of the project, checked: the edges of docs/ARCHITECTURE.md, sizes, names, wording and links.
//!
//! Every violation is listed as `file:line: what is there: the rule`, all of them at once.

mod commands;
mod rules;
mod source;
mod tree;

use rules::{RULES, Rule, WORDINGS, Wording};
use source::Source;
use tree::Tracked;

/// Where the tables themselves are: they have to spell what they forbid.
const OWN: &str = "tests/tests/tidy/";

fn report(violations: &[String]) {
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

fn rust_files() -> Vec<(Tracked, Source)> {
    let files = tree::written().into_iter().filter(|file| file.path.ends_with(".rs"));
    let parsed: Vec<_> = files.map(|file| (Source::parse(file.text.as_deref().unwrap_or_default()), file)).collect();
    assert!(parsed.len() > 30, "only {} Rust files found", parsed.len());
    parsed.into_iter().map(|(source, file)| (file, source)).collect()
}

/// Whether the segments of `pattern` stand in a row in `path`.
fn names(path: &str, pattern: &str) -> bool {
    let path: Vec<&str> = path.split("::").collect();
    let pattern: Vec<&str> = pattern.split("::").collect();
    let fits = |segment: &str, wanted: &str| match wanted.strip_suffix('*') {
        Some(start) => segment.starts_with(start),
        None => segment == wanted,
    };
    path.windows(pattern.len()).any(|window| window.iter().zip(&pattern).all(|(segment, wanted)| fits(segment, wanted)))
}

fn broken(rule: &Rule, path: &str, source: &Source) -> Vec<String> {
    let subject = rule.within.iter().any(|start| path.starts_with(start));
    if !subject || rule.except.iter().any(|part| path.contains(part)) || (rule.tests_may && tree::is_test_file(path)) {
        return Vec::new();
    }
    let caught = source.named.iter().filter(|named| !(rule.tests_may && source.is_test_line(named.line)));
    caught
        .filter(|named| rule.forbids.iter().any(|pattern| names(&named.path, pattern)))
        .map(|named| format!("{path}:{}: {}: {}", named.line, named.path, rule.why))
        .collect()
}

/// The first forbidden phrase of a line, as whole words.
fn worded<'a>(wording: &Wording, line: &'a str) -> Option<&'a str> {
    let lower = line.to_ascii_lowercase();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    wording.forbids.iter().find_map(|phrase| {
        let exact = phrase.contains(|c: char| c.is_ascii_uppercase());
        let text = if exact { line } else { &lower };
        text.match_indices(phrase).find_map(|(start, found)| {
            let end = start + found.len();
            let inside_word = is_word(found.chars().next()) && is_word(text[..start].chars().next_back())
                || is_word(found.chars().next_back()) && is_word(text[end..].chars().next());
            let legitimate = wording.legitimate.iter().any(|longer| {
                lower.match_indices(longer).any(|(from, term)| from <= start && end <= from + term.len())
            });
            (!inside_word && !legitimate).then(|| &line[start..end])
        })
    })
}

#[test]
fn dependencies_point_one_way() {
    let files = rust_files();
    let files = files.iter().filter(|(file, _)| !file.path.starts_with(OWN));
    let violations = files.flat_map(|(file, source)| RULES.iter().flat_map(|rule| broken(rule, &file.path, source)));
    report(&violations.collect::<Vec<_>>());
}

#[test]
fn every_rule_catches_its_example() {
    for rule in RULES {
        let (path, line) = rule.catches;
        assert_eq!(broken(rule, path, &Source::parse(line)).len(), 1, "{}: {line:?} in {path}", rule.why);
        let commented = format!("// {line}");
        assert!(broken(rule, path, &Source::parse(&commented)).is_empty(), "{}: {commented:?}", rule.why);
    }
    for wording in WORDINGS {
        for phrase in wording.forbids {
            assert_eq!(worded(wording, &format!("x {phrase} y")), Some(*phrase));
        }
        for term in wording.legitimate {
            assert_eq!(worded(wording, &format!("a {term}: b")), None, "{term}");
        }
    }
    assert_eq!(worded(&WORDINGS[0], "an OpenAI server, reagents, MAIN, a sessional"), None);
}

#[test]
fn members_take_only_shared_dependencies_and_forbid_unsafe_code() {
    let mut violations = Vec::new();
    for file in tree::written().iter().filter(|file| file.path.ends_with("Cargo.toml") && file.path.contains('/')) {
        // The fuzz targets are a workspace of their own.
        let text = file.text.as_deref().unwrap_or_default();
        if file.path.starts_with("fuzz/") {
            continue;
        }
        let mut section = "";
        for (line, entry) in text.lines().map(str::trim).enumerate() {
            section = if entry.starts_with('[') { entry } else { section };
            let dependency = section.ends_with("dependencies]") && entry.contains('=') && !entry.starts_with('#');
            if dependency && !entry.replace(' ', "").contains("workspace=true") {
                violations.push(format!(
                    "{}:{}: {entry}: dependencies come from the workspace table",
                    file.path,
                    line + 1
                ));
            }
        }
        if !text.contains("[lints]\nworkspace = true") && !text.contains("unsafe_code = \"forbid\"") {
            violations.push(format!("{}:1: no unsafe code in any member", file.path));
        }
    }
    report(&violations);
}

/// Whether the first line is module documentation of more than a word.
fn says_what_it_is_for(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("//! ").is_some_and(|said| said.trim().len() > 8)
}

#[test]
fn files_are_short_documented_and_named_for_what_they_are() {
    let mut violations = Vec::new();
    for file in tree::written() {
        let (path, text) = (&file.path, file.text.as_deref().unwrap_or_default());
        let lines = text.lines().count();
        let is_source = rules::SOURCES.iter().any(|kind| path.ends_with(kind)) || path == ".ci/run";
        if is_source && lines > rules::CEILING && !rules::LONG_TABLES.contains(&path.as_str()) {
            violations.push(format!("{path}:{lines}: at most {} lines, split by concept", rules::CEILING));
        }
        // Unit tests in a file of their own are named after the module that they test.
        let unit_tests = path.contains("/src/") && tree::is_test_file(path);
        if path.ends_with(".rs") && !unit_tests && !says_what_it_is_for(text) {
            violations.push(format!("{path}:1: starts with what the module is for and what it refuses (//! ...)"));
        }
        let parts = path.split('/').map(|part| part.split('.').next().unwrap_or_default());
        for part in parts.filter(|part| rules::EMPTY_NAMES.contains(part)) {
            violations.push(format!("{path}:1: {part}: name the concept"));
        }
        if path == "README.md" && lines > 150 {
            violations.push(format!("{path}:{lines}: at most 150 lines"));
        }
        if path.ends_with(".sh") && !text.starts_with("#!/usr/bin/env bash\n") {
            violations.push(format!("{path}:1: scripts are bash and say so (#!/usr/bin/env bash)"));
        }
    }
    report(&violations);
}

#[test]
fn the_project_speaks_of_itself() {
    let mut violations = Vec::new();
    for file in tree::written().iter().filter(|file| !file.path.starts_with(OWN)) {
        for (number, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            for wording in WORDINGS {
                if let Some(found) = worded(wording, line) {
                    violations.push(format!("{}:{}: {found:?}: {}", file.path, number + 1, wording.why));
                }
            }
        }
    }
    report(&violations);
}

#[test]
fn exceptions_from_lints_give_a_reason() {
    let mut violations = Vec::new();
    for (file, source) in rust_files() {
        for attribute in ["[allow(", "[expect("] {
            for (start, _) in source.code.match_indices(attribute) {
                let written = &source.code[start..];
                let end = written.find(']').unwrap_or(written.len());
                if !written[..end].contains("reason") {
                    let line = source.code[..start].matches('\n').count() + 1;
                    violations.push(format!("{}:{line}: #{attribute}…)]: give a reason = \"…\"", file.path));
                }
            }
        }
    }
    report(&violations);
}

#[test]
fn links_between_documents_resolve() {
    let paths = tree::paths();
    let mut violations = Vec::new();
    for file in tree::written().iter().filter(|file| file.path.ends_with(".md")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut in_code = false;
        for (number, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for target in targets.filter(|target| !in_code && !target.contains("://") && !target.starts_with('#')) {
                let target = target.split(['#', ' ']).next().unwrap_or_default();
                let found = resolve(folder, target).is_some_and(|wanted| {
                    paths.iter().any(|path| *path == wanted || path.starts_with(&format!("{wanted}/")))
                });
                if !found && !target.starts_with("mailto:") {
                    violations.push(format!("{}:{}: {target}: no such file in the tree", file.path, number + 1));
                }
            }
        }
    }
    report(&violations);
}

/// A promise in a document that names a test is kept by that test: `` `binary::name` `` is a function of its folder.
#[test]
fn tests_that_documents_name_are_there() {
    let files = tree::written();
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| file.path == "docs/THREAT-MODEL.md") {
        let text = file.text.as_deref().unwrap_or_default();
        let named: Vec<(&str, &str)> =
            text.split('`').skip(1).step_by(2).filter_map(|code| code.split_once("::")).collect();
        assert!(named.len() > 10, "only {} tests named", named.len());
        for (binary, name) in named.into_iter().filter(|(binary, _)| *binary != "sign") {
            let folder = format!("tests/tests/{binary}/");
            let here = files.iter().filter(|file| file.path.starts_with(&folder));
            let wanted = format!("fn {name}(");
            if !here.into_iter().any(|file| file.text.as_deref().unwrap_or_default().contains(&wanted)) {
                violations.push(format!("{}: {binary}::{name}: no such test", file.path));
            }
        }
    }
    report(&violations);
}

/// `target` as seen from `folder`, or `None` when it leaves the tree.
fn resolve(folder: &str, target: &str) -> Option<String> {
    let start = if target.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
