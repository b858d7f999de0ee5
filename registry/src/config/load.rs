//! Where values come from, which of them wins, and which names mean nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use retoque_core::problem::{CONFIG_INVALID, CONFIG_UNKNOWN, CONFIG_UNREADABLE, Finding, Findings, Place};

use super::sections::{NAMES, SECTIONS};
use super::setting::Setting;

/// What the settings are read from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The settings file; relative paths in all sources start at its folder.
    pub file: Option<PathBuf>,
    /// Variables, by name. Only those that begin with a section's prefix are looked at.
    pub variables: Vec<(String, String)>,
    /// Settings given as flags, by their dotted name.
    pub flags: Vec<(String, String)>,
}

impl Sources {
    /// The file, and the variables of this process.
    #[expect(clippy::disallowed_methods, reason = "this is the door for the environment")]
    pub fn of_process(file: Option<PathBuf>) -> Self {
        let variables = std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        Self {
            file,
            variables: variables.filter(|(name, _)| name.starts_with("RETOQUE_")).collect(),
            flags: Vec::new(),
        }
    }
}

/// Where one value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nowhere; it is the default.
    Default,
    /// The settings file.
    File,
    /// This variable.
    Variable(String),
    /// A flag.
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File => f.write_str("file"),
            Self::Variable(name) => f.write_str(name),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// A value that was read, for `config show`.
pub(super) struct Read {
    pub(super) name: &'static str,
    pub(super) shown: String,
    pub(super) source: Source,
}

/// Hands out the winning value of each setting and collects the mistakes.
pub(super) struct Reader {
    base: PathBuf,
    given: BTreeMap<String, (String, Source)>,
    unknown: Vec<(String, Source)>,
    findings: Findings,
    pub(super) read: Vec<Read>,
}

impl Reader {
    pub(super) fn new(sources: &Sources) -> Result<Self, Findings> {
        let mut reader = Self {
            base: PathBuf::new(),
            given: BTreeMap::new(),
            unknown: Vec::new(),
            findings: Findings::new(),
            read: Vec::new(),
        };
        if let Some(file) = &sources.file {
            reader.base = absolute(file.parent().unwrap_or_else(|| Path::new("")));
            reader.take_file(file)?;
        } else {
            reader.base = absolute(Path::new(""));
        }
        for (name, value) in &sources.variables {
            reader.take_variable(name, value);
        }
        for (name, value) in &sources.flags {
            reader.put(name.clone(), value.clone(), Source::Flag);
        }
        Ok(reader)
    }

    fn take_file(&mut self, file: &Path) -> Result<(), Findings> {
        let place = || Place::file(file.display().to_string());
        let text = std::fs::read_to_string(file).map_err(|e| {
            let next = "name the file with --config, or the folder that `retoque-registry init` made with --dir";
            Finding::new(CONFIG_UNREADABLE, place(), e.kind().to_string(), "a settings file that can be read", next)
        })?;
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() as u64 + 1);
            let place = line.map_or_else(place, |line| place().at_line(line));
            Finding::new(CONFIG_INVALID, place, e.message().to_owned(), "TOML", "correct the line")
        })?;
        for (section, value) in table {
            let toml::Value::Table(fields) = value else {
                self.unknown.push((section, Source::File));
                continue;
            };
            for (field, value) in fields {
                let name = format!("{section}.{field}");
                match value {
                    toml::Value::String(text) => self.put(name, text, Source::File),
                    toml::Value::Integer(number) => self.put(name, number.to_string(), Source::File),
                    toml::Value::Array(items) if items.iter().all(toml::Value::is_str) => {
                        let texts: Vec<&str> = items.iter().filter_map(toml::Value::as_str).collect();
                        self.put(name, texts.join("\n"), Source::File);
                    }
                    other => self.invalid(&name, other.type_str(), "a text, a whole number or a list of texts"),
                }
            }
        }
        Ok(())
    }

    /// `RETOQUE_SERVER_LISTEN` is `server.listen`. Variables of no section belong to other programs.
    fn take_variable(&mut self, variable: &str, value: &str) {
        let lower = variable.strip_prefix("RETOQUE_").unwrap_or_default().to_ascii_lowercase();
        if let Some((section, field)) = lower.split_once('_')
            && SECTIONS.contains(&section)
        {
            self.put(format!("{section}.{field}"), value.to_owned(), Source::Variable(variable.to_owned()));
        }
    }

    fn put(&mut self, name: String, value: String, source: Source) {
        if NAMES.contains(&name.as_str()) {
            self.given.insert(name, (value, source));
        } else {
            self.unknown.push((name, source));
        }
    }

    /// The value of `name`; `None` after a mistake, which is noted.
    pub(super) fn get<T: Setting>(&mut self, name: &'static str, default: &'static str) -> Option<T> {
        let (text, source) = self.given.get(name).cloned().unwrap_or((default.to_owned(), Source::Default));
        self.read.push(Read { name, shown: T::shown(&text), source });
        match T::parse(&text, &self.base) {
            Ok(value) => Some(value),
            Err(expected) => {
                let found = if text.is_empty() { "nothing".to_owned() } else { T::shown(&text) };
                self.invalid(name, &found, &expected);
                None
            }
        }
    }

    /// Notes a mistake in the value of `name`.
    pub(super) fn invalid(&mut self, name: &str, found: &str, expected: &str) {
        let source = self.given.get(name).map_or(Source::Default, |(_, source)| source.clone());
        let next = match source {
            Source::Variable(variable) => format!("change the variable {variable}"),
            Source::Flag => "change the flag".to_owned(),
            Source::File | Source::Default => format!("set `{name}` in the settings file"),
        };
        let found: String = found.chars().take(120).collect();
        self.findings.push(Finding::new(CONFIG_INVALID, Place::field(name), found, expected, next));
    }

    /// Notes every name that means nothing, with the nearest that does.
    pub(super) fn refuse_unknown(&mut self) {
        for (name, source) in std::mem::take(&mut self.unknown) {
            let nearest = NAMES.iter().min_by_key(|known| distance(known, &name));
            let next = match nearest.filter(|known| distance(known, &name) <= 3) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "see `retoque-registry config show` for every setting".to_owned(),
            };
            let found = format!("`{name}` ({source})").chars().take(120).collect::<String>();
            self.findings.push(Finding::new(CONFIG_UNKNOWN, Place::field(&name), found, "a known setting", next));
        }
    }

    pub(super) fn take_findings(&mut self) -> Findings {
        std::mem::take(&mut self.findings)
    }
}

/// Paths are made absolute once, so that nothing depends on the folder in which the program was started later on.
fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// How many letters must be changed, added or left out to get from one name to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(60).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
