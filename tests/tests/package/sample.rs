//! The sample as input of the packer: copies of it, its base record, and the command that packs it.

use std::fs;
use std::path::{Path, PathBuf};

use retoque_core::base::{Builder, measure};
use tempfile::TempDir;

use crate::run::{Run, retoque};

/// A pin for the sample's base, whose configuration names only a local path.
pub const PIN: &str = "acme/tiny-desk-base@0123456789abcdef0123456789abcdef01234567";

/// The sample as it stands in the tree.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample")
}

/// A folder with a copy of adapter and record, the base record, and a place for the package.
pub struct Sample {
    pub dir: TempDir,
}

const RECORD: [&str; 5] = ["dataset.jsonl", "regression.jsonl", "outputs.jsonl", "run.json", "training.json"];

impl Sample {
    /// A copy whose files are made in this order.
    pub fn new(reversed: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["adapter", "record", "out"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let adapter = ["README.md", "adapter_config.json", "adapter_model.safetensors"];
        let adapter = adapter.map(|name| (format!("adapter/{name}"), format!("adapter/{name}")));
        let record = RECORD.map(|name| (name.to_owned(), format!("record/{name}")));
        let mut files: Vec<_> = adapter.into_iter().chain(record).collect();
        if reversed {
            files.reverse();
        }
        for (from, to) in files {
            fs::write(dir.path().join(to), fs::read(fixtures().join(from)).unwrap()).unwrap();
        }
        fs::write(dir.path().join("base.json"), base_record()).unwrap();
        Self { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn package(&self) -> PathBuf {
        self.path("out/tiny-desk-1.0.0.tar.zst")
    }

    /// The names in the folder of the package.
    pub fn left(&self) -> Vec<String> {
        let names = fs::read_dir(self.path("out")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// The command line that packs it.
    pub fn arguments(&self) -> Vec<String> {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let mut arguments = vec!["pack".to_owned(), text(self.path("adapter"))];
        for (name, value) in [
            ("--patch", "acme/tiny-desk".to_owned()),
            ("--version", "1.0.0".to_owned()),
            ("--base", PIN.to_owned()),
            ("--base-record", text(self.path("base.json"))),
            ("--record", text(self.path("record"))),
            ("--seed", "7".to_owned()),
            ("--dataset-source", "own-generated".to_owned()),
            ("--dataset-licence", "CC0-1.0".to_owned()),
            ("--out", text(self.package())),
        ] {
            arguments.extend([name.to_owned(), value]);
        }
        arguments
    }

    /// Packs with some arguments replaced or added.
    pub fn pack(&self, changes: &[(&str, &str)]) -> Run {
        let mut arguments = self.arguments();
        for (name, value) in changes {
            match arguments.iter().position(|a| a == name) {
                Some(at) => arguments[at + 1] = (*value).to_owned(),
                None => arguments.extend([(*name).to_owned(), (*value).to_owned()]),
            }
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        retoque(&arguments)
    }

    /// Packs, which must succeed, and gives the bytes of package and validation cases.
    pub fn packed(&self) -> (Vec<u8>, Vec<u8>) {
        let run = self.pack(&[]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert_eq!(self.left(), ["tiny-desk-1.0.0.tar.zst", "validation-cases.json"]);
        (fs::read(self.package()).unwrap(), fs::read(self.path("out/validation-cases.json")).unwrap())
    }
}

/// The record of the sample's base.
pub fn base_record() -> Vec<u8> {
    let mut builder = Builder::new(PIN.parse().unwrap(), "CC0-1.0".to_owned());
    for entry in fs::read_dir(fixtures().join("base")).unwrap() {
        let path = entry.unwrap().path();
        let file = fs::File::open(&path).unwrap();
        let size = file.metadata().unwrap().len();
        builder.add(measure(path.file_name().unwrap().to_str().unwrap(), size, file, |_| {}).unwrap());
    }
    builder.finish().unwrap().to_bytes().unwrap()
}
