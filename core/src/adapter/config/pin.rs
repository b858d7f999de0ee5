//! What the configuration says about its base, against the declared pin, and the packaged copy with the pin.
//!
//! Equal agrees; absent, null, empty or a local path is "not stated" and filled in; anything else is a
//! conflict. A bare name agrees only with the last part of the declared repository id.

use super::fields::Draft;
use super::{FILE, local_path, write};
use crate::id::BasePin;
use crate::json::Value;
use crate::problem::{
    BASE_CONFLICT, BASE_MISMATCH, BASE_NOT_STATED, CONFIG_FIELD_INVALID, Finding, Findings, Place, REVISION_MISMATCH,
    REVISION_NOT_PINNED, REVISION_NOT_STATED, TARGETS_FROM_TENSORS, quote,
};

const BASE: &str = "base_model_name_or_path";

/// The configuration as it stands in the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedConfig {
    /// The bytes of the packaged `adapter_config.json`.
    pub bytes: Vec<u8>,
}

/// Compares the configuration with the pin and writes the packaged copy. `modules` replaces a pattern in
/// `target_modules` by the modules that the tensors have, so that no consumer ever runs it.
///
/// Warnings say what was not stated; the bytes are only to be used when nothing was refused.
pub fn pin(draft: &Draft, pin: &BasePin, modules: Option<&[String]>) -> (PinnedConfig, Findings) {
    let mut findings = Findings::new();
    base(draft.object.get(BASE), pin, &mut findings);
    revision(draft.object.get("revision"), pin, &mut findings);
    let mut members: Vec<(String, Value)> = draft.object.as_object().unwrap_or_default().to_vec();
    set(&mut members, BASE, Value::String(pin.repo.to_string()));
    set(&mut members, "revision", Value::String(pin.commit.to_string()));
    // PEFT fails on a null here, which otherwise means that the option is not used.
    if members.iter().any(|(k, v)| k == "bias" && v.as_str().is_none()) {
        set(&mut members, "bias", Value::String("none".to_owned()));
    }
    if let Some(modules) = modules {
        let place = Place::file(FILE).at_field("target_modules");
        let expected = format!("names of modules; the packaged copy lists the {} found in the tensors", modules.len());
        findings.push(Finding::new(
            TARGETS_FROM_TENSORS,
            place,
            "a pattern",
            expected,
            "nothing; patterns are never run",
        ));
        set(&mut members, "target_modules", Value::Array(modules.iter().cloned().map(Value::String).collect()));
    }
    (PinnedConfig { bytes: write::to_bytes(&Value::Object(members)) }, findings)
}

fn set(members: &mut Vec<(String, Value)>, key: &str, value: Value) {
    match members.iter_mut().find(|(k, _)| k == key) {
        Some(member) => member.1 = value,
        None => members.push((key.to_owned(), value)),
    }
}

fn base(stated: Option<&Value>, pin: &BasePin, findings: &mut Findings) {
    let place = Place::file(FILE).at_field(BASE);
    let expected = format!("{}, the declared base", pin.repo);
    let text = match stated {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text,
        Some(other) => {
            let next = "copy adapter_config.json again from where PEFT wrote it";
            findings.push(Finding::new(CONFIG_FIELD_INVALID, place, other.kind(), expected, next));
            return;
        }
    };
    let repo = pin.repo.to_string();
    if text == repo || text == pin.repo.name() {
        return;
    }
    if text.is_empty() || local_path::is_base_path(text) {
        findings.push(Finding::new(BASE_NOT_STATED, place, unstated(stated, text), expected, advice(text, pin)));
        return;
    }
    let next = "declare with --base the repository that the adapter was really trained on";
    let finding = if text.contains('/') {
        let what = if text.eq_ignore_ascii_case(&repo) { " (letter case counts)" } else { "" };
        Finding::new(BASE_MISMATCH, place, format!("{}{what}", quote(text)), expected, next)
    } else {
        Finding::new(BASE_CONFLICT, place, format!("the bare name {}", quote(text)), expected, next)
    };
    findings.push(finding);
}

/// What stood there instead of a statement, without the folders of the machine.
fn unstated(value: Option<&Value>, text: &str) -> String {
    match value {
        None => "no such field".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        _ if text.is_empty() => "an empty text".to_owned(),
        _ => match local_path::last_component(text) {
            Some(last) => format!("a local path that ends in {last}"),
            None => "a local path".to_owned(),
        },
    }
}

fn advice(text: &str, pin: &BasePin) -> String {
    match local_path::commit(text) {
        Some(commit) if commit != pin.commit.to_string() => {
            format!("check the declared base: the path is of a cache that holds commit {commit}")
        }
        _ => "nothing; the packaged copy names the declared base".to_owned(),
    }
}

fn revision(stated: Option<&Value>, pin: &BasePin, findings: &mut Findings) {
    let place = Place::file(FILE).at_field("revision");
    let expected = format!("{}, the declared commit", pin.commit);
    let commit = pin.commit.to_string();
    let text = match stated {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text,
        Some(other) => {
            let next = "copy adapter_config.json again from where PEFT wrote it";
            findings.push(Finding::new(CONFIG_FIELD_INVALID, place, other.kind(), expected, next));
            return;
        }
    };
    if text == commit {
        return;
    }
    if text.is_empty() || local_path::is_path(text) {
        let next = "nothing; the packaged copy names the declared commit";
        findings.push(Finding::new(REVISION_NOT_STATED, place, unstated(stated, text), expected, next));
        return;
    }
    let next = "declare with --base the commit that the adapter was really trained on, or set revision to null";
    let full = text.len() == 40 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let code = if full { REVISION_MISMATCH } else { REVISION_NOT_PINNED };
    findings.push(Finding::new(code, place, quote(text), expected, next));
}
