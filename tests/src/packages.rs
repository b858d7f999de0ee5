//! Packages taken apart and put together again with the product's own writer: other versions, other claims, other bytes.

use std::io::Read as _;

use retoque_core::archive::read::{PackageReader, Visitor};
use retoque_core::archive::write::PackageWriter;
use retoque_core::archive::{Limits, MANIFEST, README};
use retoque_core::manifest::{Manifest, readme};
use retoque_core::problem::Findings;

/// A package in parts.
#[derive(Clone)]
pub struct Parts {
    /// Every file but the manifest, in archive order.
    pub files: Vec<(String, Vec<u8>)>,
    /// The manifest.
    pub manifest: Manifest,
}

impl Parts {
    /// Takes a package apart.
    pub fn of(package: &[u8]) -> Self {
        let mut files = Files(Vec::new());
        let (package, _) = PackageReader::new(package, &Limits::default()).run(&mut files).expect("a good package");
        Self { files: files.0, manifest: package.manifest }
    }

    /// The content of a file.
    pub fn file(&mut self, name: &str) -> &mut Vec<u8> {
        &mut self.files.iter_mut().find(|(path, _)| path == name).expect("a file of the package").1
    }

    /// The package, after its manifest was changed; what follows from it (the model card, the list of files) is made anew.
    pub fn package(mut self) -> Vec<u8> {
        let card = readme::generate(&self.manifest);
        *self.file(README) = card.into_bytes();
        self.with_manifest(|manifest| manifest.to_bytes().expect("canonical"))
    }

    /// The package with a manifest of any bytes, made from the one with the right list of files.
    pub fn with_manifest(mut self, bytes: impl FnOnce(&Manifest) -> Vec<u8>) -> Vec<u8> {
        let mut writer = PackageWriter::new(Vec::new());
        for (path, content) in &self.files {
            writer.add(path, content.len() as u64, &mut content.as_slice()).expect("a file");
        }
        self.manifest.files = writer.files().to_vec();
        let manifest = bytes(&self.manifest);
        writer.add(MANIFEST, manifest.len() as u64, &mut manifest.as_slice()).expect("the manifest");
        writer.finish().expect("a package").0
    }
}

/// The same package as another version.
pub fn as_version(package: &[u8], version: &str) -> Vec<u8> {
    let mut parts = Parts::of(package);
    parts.manifest.version = version.parse().expect("a version");
    parts.package()
}

struct Files(Vec<(String, Vec<u8>)>);

impl Visitor for Files {
    fn file(&mut self, path: &str, _: u64, content: &mut dyn std::io::Read) -> Findings {
        let mut bytes = Vec::new();
        content.take(1 << 30).read_to_end(&mut bytes).expect("a readable file");
        self.0.push((path.to_owned(), bytes));
        Findings::new()
    }
}
