//! A registry with one of everybody, a base and a suite.

use retoque_tests::registry::{Person, Registry, sample};
use serde_json::{Value, json};

/// One of everybody.
pub(crate) struct World {
    pub(crate) registry: Registry,
    pub(crate) builder: Person,
    pub(crate) reviewer: Person,
    pub(crate) admin: Person,
    pub(crate) publisher: Person,
    pub(crate) member: Person,
    pub(crate) stranger: Person,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    pub(crate) async fn with(settings: &[(&str, &str)]) -> Self {
        let registry = Registry::start_with(settings).await;
        let builder = registry.person("bob", &["build"]).await;
        let reviewer = registry.person("rita", &["review"]).await;
        let admin = registry.person("ada", &[]).await;
        let publisher = registry.person("paul", &[]).await;
        let member = registry.person("mia", &[]).await;
        let stranger = registry.person("eve", &[]).await;
        registry.org("acme", &[(&admin, "admin"), (&publisher, "publisher"), (&member, "member")]).await;
        registry.org("other", &[(&stranger, "admin")]).await;
        let base = base_record();
        registry.post_bytes("/api/v1/bases", &registry.operator.token, "application/json", base).await.expect(201);
        Self { registry, builder, reviewer, admin, publisher, member, stranger }
    }

    /// Everybody with what they are called in tables; nobody first.
    pub(crate) fn everybody(&self) -> [(&str, &str); 8] {
        [
            ("nobody", ""),
            ("stranger", &self.stranger.token),
            ("member", &self.member.token),
            ("publisher", &self.publisher.token),
            ("admin", &self.admin.token),
            ("build", &self.builder.token),
            ("review", &self.reviewer.token),
            ("operate", &self.registry.operator.token),
        ]
    }

    /// Has the publisher make a patch.
    pub(crate) async fn patch(&self, name: &str, visibility: &str) {
        let mut patch = declaration(name);
        patch["visibility"] = visibility.into();
        self.registry.post("/api/v1/patches", &self.publisher.token, &patch).await.expect(201);
    }
}

/// The pin of the base that is supported.
pub(crate) const PIN: &str = "acme/tiny-base@0123456789abcdef0123456789abcdef01234567";

/// A small base record in its one form.
pub(crate) fn base_record() -> Vec<u8> {
    base_record_of(sample().join("base"))
}

fn base_record_of(folder: std::path::PathBuf) -> Vec<u8> {
    use retoque_core::base::{Builder, measure};
    let mut builder = Builder::new(PIN.parse().unwrap(), "apache-2.0".to_owned());
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names.into_iter().filter(|path| path.is_file()) {
        let file = std::fs::File::open(&path).unwrap();
        let size = file.metadata().unwrap().len();
        let name = path.file_name().unwrap().to_str().unwrap();
        builder.add(measure(name, size, std::io::BufReader::new(file), |_| {}).unwrap());
    }
    builder.finish().unwrap().to_bytes().unwrap()
}

/// A declaration that breaks no rule.
pub(crate) fn declaration(name: &str) -> Value {
    json!({
        "name": name,
        "title": "Tidy tickets",
        "problem": "The base writes explanations around the JSON object that the desk needs.",
        "success_criterion": "The answer is the object alone in 95 of 100 tickets.",
        "category": "structured-output",
        "base": PIN,
        "visibility": "public",
        "licensing": "free",
    })
}
