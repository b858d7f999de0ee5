//! The fields of a document as data: which there are, which must be there, and what each may hold.
//!
//! One walk over the parsed value finds every missing, unknown and ill-formed field, each with its path.

use crate::canonical::MAX_INTEGER;
use crate::digest::Digest;
use crate::evaluation::EvidenceState;
use crate::id::{Commit, PatchName, RepoId, Version};
use crate::json::Value;
use crate::problem::{
    Finding, Findings, MANIFEST_FIELD_INVALID, MANIFEST_FIELD_MISSING, MANIFEST_FIELD_UNKNOWN, MANIFEST_FORMAT_UNKNOWN,
    Place,
};

use super::setting;
use super::{FORMAT, short};

/// What a field may hold.
enum Shape {
    /// Text that the function takes; the text says what is expected.
    Text(fn(&str) -> bool, &'static str),
    /// An integer from 0 to 2^53.
    Count,
    /// `true` or `false`.
    Bool,
    /// An array of these.
    List(&'static Shape),
    /// An object with exactly these fields.
    Object(&'static [Field]),
    /// An object with any keys that the function takes.
    Map(fn(&str) -> bool, &'static Shape),
    /// The format name, which decides everything else.
    Format,
}

struct Field {
    name: &'static str,
    required: bool,
    shape: &'static Shape,
}

const fn field(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, required: true, shape }
}

const fn optional(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, required: false, shape }
}

static DIGEST: Shape = Shape::Text(|t| t.parse::<Digest>().is_ok(), "`sha256:` and 64 lower-case hex digits");
static COMMIT: Shape = Shape::Text(|t| t.parse::<Commit>().is_ok(), "40 lower-case hex digits");
static NAME: Shape = Shape::Text(is_line, "1 to 200 printable characters");
static SEED: Shape = Shape::Text(is_seed, "a seed in decimal digits");
static DECIMAL: Shape = Shape::Text(is_decimal, "a plain decimal such as `0.05`, without needless zeros");

static MANIFEST: Shape = Shape::Object(&[
    field("format", &Shape::Format),
    field("patch", &Shape::Text(|t| t.parse::<PatchName>().is_ok(), "`org/slug`")),
    field("version", &Shape::Text(|t| t.parse::<Version>().is_ok(), "strict SemVer without build metadata")),
    field("base", &BASE),
    field("adapter", &ADAPTER),
    field("files", &Shape::List(&FILE)),
    field("dataset", &DATASET),
    field("training", &TRAINING),
    field("evidence", &EVIDENCE),
]);

static BASE: Shape = Shape::Object(&[
    field("repo", &Shape::Text(|t| t.parse::<RepoId>().is_ok(), "`owner/name`")),
    field("commit", &COMMIT),
    field("licence", &NAME),
    field("files", &Shape::List(&BASE_FILE)),
    field("tokenizer", &DIGEST),
]);

static BASE_FILE: Shape = Shape::Object(&[
    field("path", &Shape::Text(|t| !t.is_empty(), "a path")),
    field("size", &Shape::Count),
    field("sha256", &DIGEST),
    field("git_sha1", &COMMIT),
]);

static ADAPTER: Shape = Shape::Object(&[
    field("method", &Shape::Text(|t| t == "lora", "`lora`")),
    field("rank", &Shape::Count),
    field("alpha", &DECIMAL),
    field("dropout", &DECIMAL),
    field("scale", &SCALE),
    field("modules", &Shape::List(&NAME)),
    field("layers", &Shape::List(&Shape::Count)),
    field("coverage", &Shape::Map(is_line, &Shape::List(&Shape::Count))),
    field("dtype", &Shape::Text(|t| matches!(t, "F32" | "F16" | "BF16"), "`F32`, `F16` or `BF16`")),
    field("tensors", &Shape::Count),
    field("parameters", &Shape::Count),
    field("sha256", &DIGEST),
    field("semantic", &DIGEST),
]);

static SCALE: Shape = Shape::Object(&[
    field("rule", &Shape::Text(|t| matches!(t, "alpha/r" | "alpha/sqrt(r)"), "`alpha/r` or `alpha/sqrt(r)`")),
    field("value", &DECIMAL),
]);

static FILE: Shape = Shape::Object(&[
    field("path", &Shape::Text(|t| !t.is_empty(), "a path")),
    field("size", &Shape::Count),
    field("sha256", &DIGEST),
    optional("pieces", &Shape::List(&DIGEST)),
]);

static DATASET: Shape = Shape::Object(&[
    field("sha256", &DIGEST),
    field("rows", &Shape::Count),
    field("families", &Shape::Count),
    field("split", &SPLIT),
    field("source", &Shape::Text(is_source, "a declared source such as `own-written`")),
    field("licence", &NAME),
]);

static SPLIT: Shape =
    Shape::Object(&[field("seed", &SEED), field("held_out", &PART), field("validation", &PART), field("train", &PART)]);

static PART: Shape = Shape::Object(&[field("rows", &Shape::Count), field("families", &Shape::Count)]);

static TRAINING: Shape = Shape::Object(&[
    field("record", &DIGEST),
    field("seed", &SEED),
    field("settings", &Shape::Map(setting::is_name, &Shape::Text(setting::is_value, setting::VALUE))),
]);

static EVIDENCE: Shape = Shape::Object(&[
    field("state", &Shape::Text(is_state, "`IMPROVED_ON_SCOPE`, `EXPERIMENTAL` or `DEGRADED`")),
    field("held_out", &SUITE),
    field("validation", &SUITE),
    field("regression", &SUITE),
    field("introduced", &Shape::Count),
    field("repaired", &Shape::Count),
    field("disabled_equals_base", &Shape::Bool),
    field("allowance_points", &Shape::Count),
    field("grader", &NAME),
    field("record", &DIGEST),
    field("validation_cases", &DIGEST),
    field("regression_suite", &DIGEST),
]);

static SUITE: Shape = Shape::Object(&[
    field("cases", &Shape::Count),
    field("base", &Shape::Count),
    field("control", &Shape::Count),
    field("patched", &Shape::Count),
    field("disabled", &Shape::Count),
]);

/// Where the data of a dataset may come from.
pub const SOURCES: [&str; 5] =
    ["own-written", "own-generated", "customer-consented", "third-party-licensed", "public-dataset"];

fn is_source(text: &str) -> bool {
    SOURCES.contains(&text)
}

fn is_state(text: &str) -> bool {
    text.parse::<EvidenceState>().is_ok()
}

fn is_line(text: &str) -> bool {
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn is_seed(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (1..=39).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (!digits.starts_with('0') || text == "0")
}

fn is_decimal(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "1"));
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    text.len() <= 40
        && digits(whole)
        && digits(part)
        && (whole == "0" || !whole.starts_with('0'))
        && !part.ends_with('0')
}

/// Checks a parsed manifest, which stands in the file `file`.
pub fn check(value: &Value, file: &str, findings: &mut Findings) {
    Walk { file, findings }.visit(value, &MANIFEST, "");
}

struct Walk<'a> {
    file: &'a str,
    findings: &'a mut Findings,
}

const NEXT: &str = "make the package with `retoque pack`";

impl Walk<'_> {
    fn add(&mut self, code: crate::problem::Code, path: &str, found: impl Into<String>, expected: &str) {
        let place = Place::file(self.file).at_field(short(if path.is_empty() { "(all)" } else { path }));
        self.findings.push(Finding::new(code, place, found, expected, NEXT));
    }

    fn invalid(&mut self, path: &str, value: &Value, expected: &str) {
        let found = match value {
            Value::String(text) => format!("{:?}", short(text)),
            Value::Number(number) => short(number.text()),
            other => other.kind().to_owned(),
        };
        self.add(MANIFEST_FIELD_INVALID, path, found, expected);
    }

    fn visit(&mut self, value: &Value, shape: &Shape, path: &str) {
        match (shape, value) {
            (Shape::Text(takes, _), Value::String(text)) if takes(text) => {}
            (Shape::Text(_, expected), _) => self.invalid(path, value, expected),
            (Shape::Count, Value::Number(number)) if is_count(number.text()) => {}
            (Shape::Count, _) => self.invalid(path, value, "an integer from 0 to 9007199254740992"),
            (Shape::Bool, Value::Bool(_)) => {}
            (Shape::Bool, _) => self.invalid(path, value, "true or false"),
            (Shape::Format, Value::String(text)) if text == FORMAT => {}
            (Shape::Format, Value::String(text)) => {
                self.add(MANIFEST_FORMAT_UNKNOWN, path, format!("{:?}", short(text)), FORMAT);
            }
            (Shape::Format, _) => self.invalid(path, value, FORMAT),
            (Shape::List(item), Value::Array(items)) => {
                for (at, value) in items.iter().enumerate() {
                    self.visit(value, item, &format!("{path}[{at}]"));
                }
            }
            (Shape::List(_), _) => self.invalid(path, value, "an array"),
            (Shape::Map(takes, item), Value::Object(members)) => {
                for (key, value) in members {
                    let path = format!("{path}.{}", short(key));
                    if !takes(key) {
                        self.add(MANIFEST_FIELD_INVALID, &path, "this name", "a plain name");
                    }
                    self.visit(value, item, &path);
                }
            }
            (Shape::Object(fields), Value::Object(members)) => self.object(members, fields, path),
            (Shape::Map(..) | Shape::Object(_), _) => self.invalid(path, value, "an object"),
        }
    }

    fn object(&mut self, members: &[(String, Value)], fields: &[Field], path: &str) {
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (key, value) in members {
            match fields.iter().find(|f| f.name == key) {
                Some(field) => self.visit(value, field.shape, &below(key)),
                None => self.add(MANIFEST_FIELD_UNKNOWN, &below(&short(key)), "an unknown field", "known fields only"),
            }
        }
        for field in fields.iter().filter(|f| f.required && members.iter().all(|(key, _)| key != f.name)) {
            self.add(MANIFEST_FIELD_MISSING, &below(field.name), "nothing", "this field");
        }
    }
}

fn is_count(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u64>().is_ok_and(|n| n <= MAX_INTEGER)
}
