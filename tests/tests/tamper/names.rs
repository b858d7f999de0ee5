//! A file added, removed, renamed, or replaced by something that is no file.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use retoque_core::release::NAMES;
use retoque_tests::database::Engine;
use retoque_tests::town::Town;

use super::folder::pulled;

#[test]
fn only_the_nine_files_pass() {
    let town = Town::found(Engine::Sqlite);
    let good = pulled(&town);
    let copy = town.path("copy");
    let check = |what: &str, name: &str, change: &dyn Fn(&Path)| {
        let copied = Command::new("cp").arg("-r").arg(&good).arg(&copy).status().unwrap();
        assert!(copied.success());
        change(&copy);
        let run = town.run("consumer", &["verify", copy.to_str().unwrap()]).expect(3);
        assert!(run.says(name), "{what}: {name} is not named: {run:?}");
        fs::remove_dir_all(&copy).unwrap();
    };
    for name in NAMES {
        check("removed", name, &|dir| fs::remove_file(dir.join(name)).unwrap());
        check("emptied", name, &|dir| fs::write(dir.join(name), "").unwrap());
        check("renamed", name, &|dir| fs::rename(dir.join(name), dir.join(format!("{name}.bak"))).unwrap());
        check("a link to the same bytes", name, &|dir| {
            fs::remove_file(dir.join(name)).unwrap();
            symlink(good.join(name), dir.join(name)).unwrap();
        });
        check("a folder", name, &|dir| {
            fs::remove_file(dir.join(name)).unwrap();
            fs::create_dir(dir.join(name)).unwrap();
        });
        check("one byte more", name, &|dir| {
            let mut bytes = fs::read(dir.join(name)).unwrap();
            bytes.push(b'\n');
            fs::write(dir.join(name), bytes).unwrap();
        });
    }
    for name in ["adapter_model.bin", ".hidden", "README.MD", "model.safetensors", "tokenizer.json"] {
        check("added", name, &|dir| fs::write(dir.join(name), "x").unwrap());
    }
    check("an added folder", "more", &|dir| fs::create_dir(dir.join("more")).unwrap());
    // A pipe is not waited for.
    check("a pipe", "README.md", &|dir| {
        fs::remove_file(dir.join("README.md")).unwrap();
        assert!(Command::new("mkfifo").arg(dir.join("README.md")).status().unwrap().success());
    });
    town.ok("consumer", &["verify", good.to_str().unwrap()]);
}
