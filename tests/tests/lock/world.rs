//! A town with two published versions, and the folders of projects in it.

use std::fs;
use std::path::{Path, PathBuf};

use retoque_tests::database::Engine;
use retoque_tests::programs::Run;
use retoque_tests::town::{PATCH, Town};

/// A town in which the version 1.0.0 of the public patch is published.
pub fn town() -> Town {
    let town = Town::found(Engine::Sqlite);
    publish(&town, "1.0.0");
    town
}

/// Publishes another version.
pub fn publish(town: &Town, version: &str) {
    let package = town.pack(PATCH, version, &[]);
    town.publish(&package, &format!("{PATCH}@{version}"));
}

/// The folder of a project.
pub struct Project<'a> {
    /// Where it is.
    pub town: &'a Town,
    /// The folder.
    pub folder: PathBuf,
}

impl<'a> Project<'a> {
    /// A new project with these lines under `[patches]`.
    pub fn new(town: &'a Town, name: &str, lines: &str) -> Self {
        let folder = town.path(name);
        fs::create_dir(&folder).expect("a new folder");
        let project = Self { town, folder };
        project.wants(lines);
        project
    }

    /// Writes these lines under `[patches]`.
    pub fn wants(&self, lines: &str) {
        fs::write(self.folder.join("patches.toml"), format!("[patches]\n{lines}\n")).expect("written");
    }

    /// Runs a command of the consumer in the project.
    pub fn run(&self, args: &[&str]) -> Run {
        self.run_as("consumer", args)
    }

    /// Runs a command in the project as somebody.
    pub fn run_as(&self, who: &str, args: &[&str]) -> Run {
        let folder = self.folder.display().to_string();
        self.town.run(who, &[args, &["--project", &folder]].concat())
    }

    /// The lock's text.
    pub fn lock(&self) -> String {
        fs::read_to_string(self.folder.join("patches.lock")).expect("a lock")
    }

    /// Edits the lock.
    #[track_caller]
    pub fn edit(&self, from: &str, to: &str) {
        let text = self.lock();
        assert!(text.contains(from), "{from} in {text}");
        fs::write(self.folder.join("patches.lock"), text.replace(from, to)).expect("written");
    }

    /// The value of a member in the lock.
    pub fn member(&self, name: &str) -> String {
        let lock = self.lock();
        let line = lock.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).expect(name);
        line.trim_matches('"').to_owned()
    }

    /// The names in the project's folder.
    pub fn names(&self) -> Vec<String> {
        names(&self.folder)
    }
}

/// What a folder holds, by name.
pub fn names(folder: &Path) -> Vec<String> {
    let entry = |e: std::io::Result<fs::DirEntry>| e.expect("an entry").file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = fs::read_dir(folder).expect("a folder").map(entry).collect();
    names.sort();
    names
}

/// The refusal of a command that was run with `--json`: exit status and code.
#[track_caller]
pub fn refused(run: &Run, status: i32) -> String {
    assert_eq!(run.status, status, "{}{}", run.stdout, run.stderr);
    run.json()["code"].as_str().expect("a code").to_owned()
}
