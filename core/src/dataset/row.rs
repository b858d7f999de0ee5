//! One row: from a physical line to four texts, with every fault of the line.

use super::blank::is_blank;
use super::lines::Line;
use crate::json::{self, JsonError, JsonErrorKind, Limits, Value};
use crate::problem::{
    Code, DATASET_NOT_UTF8, Finding, Place, ROW_CONTROL_CHARACTER, ROW_DUPLICATE_KEY, ROW_EMPTY_FIELD,
    ROW_INVALID_JSON, ROW_LONE_SURROGATE, ROW_MISSING_FIELD, ROW_NOT_OBJECT, ROW_UNKNOWN_FIELD, ROW_WRONG_TYPE,
};

/// What a model is told when a row has no `system`.
pub const DEFAULT_SYSTEM: &str = "You are a helpful assistant.";

/// A valid row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its physical line, from 1.
    pub line: u64,
    /// What the user says.
    pub user: String,
    /// The expected answer.
    pub assistant: String,
    /// Which family of cases it belongs to.
    pub family: String,
    /// What the model is told beforehand, when the row says it.
    pub system: Option<String>,
}

impl Row {
    /// What the model is told beforehand.
    pub fn system_text(&self) -> &str {
        self.system.as_deref().unwrap_or(DEFAULT_SYSTEM)
    }

    /// The texts with the names of their fields.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let system = self.system.as_deref().map(|text| ("system", text));
        [("user", self.user.as_str()), ("assistant", &self.assistant), ("family", &self.family)]
            .into_iter()
            .chain(system)
    }
}

/// What stands on a line that is not blank.
pub(crate) enum Parsed {
    /// A valid row.
    Row(Row),
    /// A row in another format, by the words of [`super::shape::Shape`].
    OtherShape(super::shape::Shape),
    /// Something with faults.
    Faulty(Vec<Finding>),
}

/// Reads one line.
pub(crate) fn parse(line: &Line<'_>) -> Parsed {
    let members = match json::parse(line.bytes, Limits::TEXT) {
        Ok(_) if line.bytes.contains(&b'\r') => return Parsed::Faulty(vec![carriage_return(line)]),
        Ok(Value::Object(members)) => members,
        Ok(other) => {
            let next = "write the row as {\"user\": …, \"assistant\": …, \"family\": …}";
            return Parsed::Faulty(vec![at(line, ROW_NOT_OBJECT, other.kind(), "a JSON object", next)]);
        }
        Err(error) => return Parsed::Faulty(vec![broken(line, &error)]),
    };
    if let Some(shape) = super::shape::recognise(&members) {
        return Parsed::OtherShape(shape);
    }
    match fields(line, members) {
        Ok(row) => Parsed::Row(row),
        Err(faults) => Parsed::Faulty(faults),
    }
}

fn at(line: &Line<'_>, code: Code, found: impl Into<String>, expected: &str, next: impl Into<String>) -> Finding {
    Finding::new(code, Place::default().at_line(line.number), found, expected, next)
}

/// The finding for a line that is not strict JSON.
fn broken(line: &Line<'_>, error: &JsonError) -> Finding {
    let expected = "one strict JSON object";
    let again = "write the row with a JSON library";
    let (code, found, next): (Code, String, &str) = match &error.kind {
        JsonErrorKind::NotUtf8 => {
            let next = "save the file as UTF-8; look at this line and byte first";
            (DATASET_NOT_UTF8, "a byte that is not UTF-8".into(), next)
        }
        _ if line.bytes.get(error.at) == Some(&0) => (ROW_CONTROL_CHARACTER, "a NUL byte".into(), "remove it"),
        _ if line.bytes.contains(&b'\r') => return carriage_return(line),
        JsonErrorKind::ControlCharacter(c) => {
            let next = "write it as an escape, such as \\n or \\t";
            (ROW_CONTROL_CHARACTER, format!("a raw control character U+{c:04X}"), next)
        }
        JsonErrorKind::LoneSurrogate => {
            let next = "write the whole character, or remove the half; the text was cut inside a character";
            (ROW_LONE_SURROGATE, "an escape that is half of a surrogate pair".into(), next)
        }
        JsonErrorKind::DuplicateKey(key) => (ROW_DUPLICATE_KEY, format!("{} twice", shown(key)), "keep one of the two"),
        JsonErrorKind::Incomplete if !line.ended => {
            (ROW_INVALID_JSON, "the end of the file inside the row".into(), "copy the file again; it was cut off")
        }
        JsonErrorKind::Trailing => (ROW_INVALID_JSON, trailing(line, error.at), "put each object on a line of its own"),
        JsonErrorKind::ByteOrderMark => {
            let next = "remove it; it comes from joining files";
            (ROW_INVALID_JSON, "a byte-order mark at the start of the line".into(), next)
        }
        JsonErrorKind::Unexpected(_) => (ROW_INVALID_JSON, unexpected(&line.bytes[error.at..]), again),
        other => (ROW_INVALID_JSON, other.to_string(), again),
    };
    let place = Place::default().at_line(line.number).at_byte(error.at as u64);
    Finding::new(code, place, found, expected, next)
}

fn carriage_return(line: &Line<'_>) -> Finding {
    let next = "end lines with a line feed, perhaps after a carriage return, and nothing else";
    at(line, ROW_INVALID_JSON, "a carriage return inside the line", "one strict JSON object", next)
}

fn trailing(line: &Line<'_>, at: usize) -> String {
    match line.bytes[at] {
        b',' => "a comma after the object, as inside an array".to_owned(),
        b'{' => "a second object on the line".to_owned(),
        _ => "more text after the object".to_owned(),
    }
}

/// Names what people write instead of JSON. The text itself is not repeated.
fn unexpected(rest: &[u8]) -> String {
    for (start, what) in [
        (&b"'"[..], "single quotes, as Python prints them"),
        (b"NaN", "NaN, which is not JSON"),
        (b"Infinity", "Infinity, which is not JSON"),
        (b"-Infinity", "Infinity, which is not JSON"),
        (b"None", "None, as Python prints it"),
        (b"True", "True, as Python prints it"),
        (b"False", "False, as Python prints it"),
        (b"//", "a comment"),
        (b"/*", "a comment"),
        (b"#", "a comment"),
        (b"}", "a closing brace where a value or a name belongs, as after a trailing comma"),
        (b"]", "a closing bracket where a value belongs, as after a trailing comma"),
        (b"<<<<<<<", "a merge conflict"),
        (b"=======", "a merge conflict"),
        (b">>>>>>>", "a merge conflict"),
    ] {
        if rest.starts_with(start) {
            return what.to_owned();
        }
    }
    "text that is not JSON".to_owned()
}

/// A field name as written, short enough for a message.
fn shown(name: &str) -> String {
    let mut short: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    if name.chars().count() > 40 {
        short.push('…');
    }
    format!("\"{short}\"")
}

/// The field that somebody meant who wrote `name`.
fn meant(name: &str) -> Option<&'static str> {
    let folded = super::blank::folded(name);
    match folded.as_str() {
        "user" | "prompt" | "instruction" | "question" | "input" | "query" | "human" => Some("user"),
        "assistant" | "completion" | "response" | "answer" | "output" | "gpt" | "model" => Some("assistant"),
        "family" | "families" | "group" | "category" | "cluster" => Some("family"),
        "system" | "system prompt" | "system_prompt" => Some("system"),
        _ => None,
    }
}

fn fields(line: &Line<'_>, members: Vec<(String, Value)>) -> Result<Row, Vec<Finding>> {
    let mut faults = Vec::new();
    let mut texts: [Option<String>; 4] = [const { None }; 4];
    let names = ["user", "assistant", "family", "system"];
    let mut present = [false; 4];
    let mut meant_instead = [false; 4];
    for (name, value) in members {
        let Some(index) = names.iter().position(|n| *n == name) else {
            let next = match meant(&name) {
                Some(field) => {
                    meant_instead[names.iter().position(|n| *n == field).unwrap_or(0)] = true;
                    format!("call the field \"{field}\"")
                }
                None => "remove the field".to_owned(),
            };
            faults.push(at(line, ROW_UNKNOWN_FIELD, shown(&name), "user, assistant, family and perhaps system", next));
            continue;
        };
        present[index] = true;
        match value {
            Value::String(text) if index < 3 && is_blank(&text) => {
                let found = if text.is_empty() { "an empty text" } else { "only white space or invisible characters" };
                let fault = at(line, ROW_EMPTY_FIELD, found, "a text", "fill the field in, or remove the row");
                faults.push(in_field(fault, names[index]));
            }
            Value::String(text) => texts[index] = Some(text),
            other => {
                let next = match other {
                    Value::Null => "write a text, or leave the field out if it is `system`",
                    Value::Object(_) | Value::Array(_) => "write the value as a string that holds the JSON text",
                    _ => "put the value into quotation marks",
                };
                faults.push(in_field(at(line, ROW_WRONG_TYPE, other.kind(), "a string", next), names[index]));
            }
        }
    }
    for (index, name) in names.into_iter().enumerate().take(3) {
        if !present[index] {
            let next = if meant_instead[index] { "rename the field that stands in its place" } else { "add the field" };
            faults.push(in_field(at(line, ROW_MISSING_FIELD, "no such field", "a text", next), name));
        }
    }
    let [user, assistant, family, system] = texts;
    match (user, assistant, family) {
        (Some(user), Some(assistant), Some(family)) if faults.is_empty() => {
            Ok(Row { line: line.number, user, assistant, family, system })
        }
        _ => Err(faults),
    }
}

fn in_field(mut finding: Finding, field: &str) -> Finding {
    finding.place.field = Some(field.to_owned());
    finding
}
