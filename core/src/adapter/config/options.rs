//! Every option that PEFT knows, and which values leave the adapter plain LoRA.
//!
//! One table: an option is read elsewhere (`Own`), harmless within a shape, or refused unless it is not used.
//! Null, false, `{}` and `[]` mean "not used"; an unknown option may also be 0. Nothing is decided by the
//! version that PEFT wrote, only by the options themselves.

use crate::dataset::detect::has_secret;
use crate::json::Value;
use crate::problem::{CONFIG_FIELD_INVALID, Finding, Findings, Place, UNSUPPORTED_OPTION, quote};

/// What values an option may have.
enum Rule {
    /// Read and checked in `fields` or `pin`.
    Own,
    /// Not used, or refused by name.
    Unused,
    /// A boolean or null.
    Flag,
    /// An integer from 0, or null.
    Count,
    /// Not used, or exactly this text.
    Word(&'static str),
    /// Not used, or one of these texts, or `true`.
    WordOrTrue(&'static [&'static str]),
    /// A version as PEFT writes it.
    Version,
    /// `auto_mapping`.
    Mapping,
}

#[rustfmt::skip]
const OPTIONS: &[(&str, Rule)] = &[
    ("peft_type", Rule::Own),
    ("base_model_name_or_path", Rule::Own),
    ("revision", Rule::Own),
    ("r", Rule::Own),
    ("lora_alpha", Rule::Own),
    ("lora_dropout", Rule::Own),
    ("target_modules", Rule::Own),
    ("use_rslora", Rule::Own),
    ("peft_version", Rule::Version),
    ("auto_mapping", Rule::Mapping),
    ("inference_mode", Rule::Flag),
    ("qalora_group_size", Rule::Count),
    ("bias", Rule::Word("none")),
    ("task_type", Rule::Word("CAUSAL_LM")),
    ("megatron_core", Rule::Word("megatron.core")),
    // These two only choose the first values of the matrices; the other kinds change the base itself.
    ("init_lora_weights", Rule::WordOrTrue(&["gaussian", "orthogonal"])),
    ("alora_invocation_tokens", Rule::Unused),
    ("alpha_pattern", Rule::Unused),
    ("arrow_config", Rule::Unused),
    ("corda_config", Rule::Unused),
    ("ensure_weight_tying", Rule::Unused),
    ("eva_config", Rule::Unused),
    ("exclude_modules", Rule::Unused),
    ("fan_in_fan_out", Rule::Unused),
    ("kasa_config", Rule::Unused),
    ("layer_replication", Rule::Unused),
    ("layers_pattern", Rule::Unused),
    ("layers_to_transform", Rule::Unused),
    ("loftq_config", Rule::Unused),
    ("lora_bias", Rule::Unused),
    ("lora_ga_config", Rule::Unused),
    ("megatron_config", Rule::Unused),
    ("modules_to_save", Rule::Unused),
    ("monteclora_config", Rule::Unused),
    ("rank_pattern", Rule::Unused),
    ("target_parameters", Rule::Unused),
    ("trainable_token_indices", Rule::Unused),
    ("use_bdlora", Rule::Unused),
    ("use_dora", Rule::Unused),
    ("use_qalora", Rule::Unused),
    ("velora_config", Rule::Unused),
];

/// Checks every option of the configuration that is not read elsewhere.
pub(super) fn check(config: &Value, place: &Place, findings: &mut Findings) {
    for (key, value) in config.as_object().unwrap_or_default() {
        let known = OPTIONS.iter().find(|(name, _)| name == key).map(|(_, rule)| rule);
        let expected = match known {
            None if unused(value) || is_zero(value) => continue,
            None => {
                let shown: String = key.chars().take(60).collect();
                findings.push(Finding::new(
                    UNSUPPORTED_OPTION,
                    place.clone().at_field(shown),
                    format!("an unknown option with {}", describe(value)),
                    "only known options, or null, false, 0, {} or []",
                    "train without this option; what it computes is not known here",
                ));
                continue;
            }
            Some(rule) => match refuse(rule, value) {
                None => continue,
                Some(expected) => expected,
            },
        };
        let (code, next) = match known {
            Some(Rule::Flag | Rule::Count | Rule::Version) => {
                (CONFIG_FIELD_INVALID, "copy adapter_config.json again from where PEFT wrote it")
            }
            _ => (UNSUPPORTED_OPTION, "train plain LoRA without this option"),
        };
        findings.push(Finding::new(code, place.clone().at_field(key), describe(value), expected, next));
    }
}

/// What the rule expects instead, when it refuses the value.
fn refuse(rule: &Rule, value: &Value) -> Option<String> {
    let text = value.as_str();
    let (ok, expected) = match rule {
        Rule::Own => return None,
        Rule::Unused => (unused(value), "an option that is not used: null, false, {} or []".to_owned()),
        Rule::Flag => (matches!(value, Value::Null | Value::Bool(_)), "true or false".to_owned()),
        Rule::Count => {
            let count = value.as_number().is_some_and(|n| n.as_u64().is_some());
            (count || unused(value), "an integer from 0".to_owned())
        }
        Rule::Word(word) => (unused(value) || text == Some(word), format!("{word:?}")),
        Rule::WordOrTrue(words) => {
            let ok = unused(value) || *value == Value::Bool(true) || text.is_some_and(|t| words.contains(&t));
            (ok, format!("true, false or one of {}", words.join(", ")))
        }
        Rule::Version => {
            let plain = |t: &str| {
                t.len() <= 64
                    && t.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-' | b'@' | b'_'))
            };
            (unused(value) || text.is_some_and(plain), "a version of PEFT".to_owned())
        }
        Rule::Mapping => {
            (unused(value) || mapping(value), "class and library of the base, from an installed package".to_owned())
        }
    };
    (!ok).then_some(expected)
}

/// Whether the value says that the option is not used.
pub(super) fn unused(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_zero(value: &Value) -> bool {
    value.as_number().is_some_and(|n| n.to_plain_decimal().as_deref() == Some("0"))
}

/// `auto_mapping` is recorded and never used here, but PEFT imports the library it names. So the library is
/// a dotted name, and not the one under which code from a repository is loaded.
fn mapping(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return false };
    members.iter().all(|(key, value)| match (key.as_str(), value) {
        (_, Value::Null | Value::Bool(_)) => true,
        ("base_model_class" | "parent_library", Value::String(text)) => {
            let identifier = |part: &str| {
                part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                    && part.bytes().next().is_some_and(|b| !b.is_ascii_digit())
            };
            text.len() <= 200
                && text.split('.').all(identifier)
                && !text.starts_with("transformers_modules")
                && !has_secret(text)
        }
        _ => false,
    })
}

/// A value for a message: short texts and numbers in full (never a path), the kind of anything else.
fn describe(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.text().chars().take(40).collect(),
        Value::String(text) if !super::local_path::inside(text) && !has_secret(text) => quote(text),
        Value::Object(members) => format!("an object with {} entries", members.len()),
        Value::Array(items) => format!("an array of {}", items.len()),
        other => other.kind().to_owned(),
    }
}
