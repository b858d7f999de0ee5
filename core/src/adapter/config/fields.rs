//! The fields that the adapter is computed from: rank, alpha, dropout, scale rule, targets.

use super::local_path;
use super::options::unused;
use crate::json::{Number, Value};
use crate::problem::{
    ALPHA_INVALID, CONFIG_FIELD_INVALID, COVERAGE_UNKNOWN, DROPOUT_INVALID, Finding, Findings, Place, RANK_INVALID,
    quote,
};

/// What could be understood of a configuration, perhaps beside findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// `r`.
    pub rank: Option<u64>,
    /// `lora_alpha` as a plain decimal.
    pub alpha: Option<String>,
    /// `lora_dropout` as a plain decimal.
    pub dropout: Option<String>,
    /// `use_rslora`.
    pub rslora: Option<bool>,
    /// `target_modules`.
    pub targets: Option<Targets>,
    /// The whole object, for the base pin and for writing it again.
    pub(super) object: Value,
}

/// A configuration of plain LoRA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `r`.
    pub rank: u64,
    /// `lora_alpha` as a plain decimal.
    pub alpha: String,
    /// `lora_dropout` as a plain decimal.
    pub dropout: String,
    /// Whether the scale is alpha/√r.
    pub rslora: bool,
    /// `target_modules`.
    pub targets: Targets,
}

/// What `target_modules` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Names: each stands for every module that it equals or that ends with it after a dot.
    Names(Vec<String>),
    /// A pattern such as `all-linear`. A hint only, never run; the tensors say which modules there are.
    Pattern,
}

impl Draft {
    /// The configuration, when every field was understood.
    pub fn complete(&self) -> Option<Config> {
        Some(Config {
            rank: self.rank?,
            alpha: self.alpha.clone()?,
            dropout: self.dropout.clone()?,
            rslora: self.rslora?,
            targets: self.targets.clone()?,
        })
    }
}

/// Reads the fields; each that cannot be used is a finding.
pub(super) fn read(object: Value, place: &Place, findings: &mut Findings) -> Draft {
    let mut reader = Reader { object: &object, place, findings };
    let rank = reader.rank();
    let alpha = reader.alpha();
    let dropout = reader.dropout();
    let rslora = reader.rslora();
    let targets = reader.targets();
    Draft { rank, alpha, dropout, rslora, targets, object }
}

struct Reader<'a> {
    object: &'a Value,
    place: &'a Place,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn refuse<T>(&mut self, code: crate::problem::Code, field: &str, expected: &str, next: &str) -> Option<T> {
        let found = match self.object.get(field) {
            None => "no such field".to_owned(),
            Some(Value::Number(n)) => n.text().chars().take(40).collect(),
            Some(Value::String(text)) if !local_path::inside(text) => format!("the text {}", quote(text)),
            Some(Value::Bool(b)) => b.to_string(),
            Some(other) => other.kind().to_owned(),
        };
        self.findings.push(Finding::new(code, self.place.clone().at_field(field), found, expected, next));
        None
    }

    fn number(&self, field: &str) -> Option<&Number> {
        self.object.get(field)?.as_number()
    }

    fn rank(&mut self) -> Option<u64> {
        match self.number("r").and_then(Number::as_u64) {
            Some(rank) if (1..=1024).contains(&rank) => Some(rank),
            _ => self.refuse(
                RANK_INVALID,
                "r",
                "an integer from 1 to 1024",
                "write the rank that the adapter was trained with",
            ),
        }
    }

    fn alpha(&mut self) -> Option<String> {
        let usable = |n: &&Number| n.as_f64() > 0.0 && n.as_f64().is_finite();
        match self.number("lora_alpha").filter(usable).and_then(Number::to_plain_decimal) {
            Some(alpha) => Some(alpha),
            None => self.refuse(
                ALPHA_INVALID,
                "lora_alpha",
                "a finite number above 0 with at most 40 digits",
                "write the lora_alpha that the adapter was trained with",
            ),
        }
    }

    fn dropout(&mut self) -> Option<String> {
        // Dropout does nothing after training, so an old file without it is as good as one with 0.
        if self.object.get("lora_dropout").is_none() {
            return Some("0".to_owned());
        }
        let usable = |n: &&Number| (0.0..=1.0).contains(&n.as_f64());
        match self.number("lora_dropout").filter(usable).and_then(Number::to_plain_decimal) {
            Some(dropout) => Some(dropout),
            None => self.refuse(
                DROPOUT_INVALID,
                "lora_dropout",
                "a number from 0 to 1",
                "write the lora_dropout that the adapter was trained with",
            ),
        }
    }

    fn rslora(&mut self) -> Option<bool> {
        match self.object.get("use_rslora") {
            Some(Value::Bool(rslora)) => Some(*rslora),
            None => Some(false),
            Some(value) if unused(value) => Some(false),
            Some(_) => self.refuse(
                CONFIG_FIELD_INVALID,
                "use_rslora",
                "true or false",
                "copy adapter_config.json again from where PEFT wrote it",
            ),
        }
    }

    fn targets(&mut self) -> Option<Targets> {
        let unknown = "the names of the adapted modules";
        let next = "write the target_modules that the adapter was trained with, such as [\"q_proj\", \"v_proj\"]";
        match self.object.get("target_modules") {
            Some(Value::String(text)) if !text.is_empty() && text.len() <= 4096 => Some(Targets::Pattern),
            Some(Value::Array(items)) if !items.is_empty() => {
                let plain = |t: &&str| {
                    (1..=200).contains(&t.len())
                        && t.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
                };
                let names: Option<Vec<String>> =
                    items.iter().map(|v| v.as_str().filter(plain).map(str::to_owned)).collect();
                match names {
                    Some(names) => Some(Targets::Names(names)),
                    None => self.refuse(CONFIG_FIELD_INVALID, "target_modules", "an array of plain module names", next),
                }
            }
            None | Some(Value::Null | Value::Array(_) | Value::String(_)) => {
                self.refuse(COVERAGE_UNKNOWN, "target_modules", unknown, next)
            }
            Some(_) => self.refuse(CONFIG_FIELD_INVALID, "target_modules", unknown, next),
        }
    }
}
