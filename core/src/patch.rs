//! What a patch declares when it is made, and the rules of its fields.
//!
//! All fields are read before anything is refused, so that one answer names everything that is wrong.
//! Clause: specification, section 1.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::de::value::{Error as SerdeError, StrDeserializer};

use crate::api::NewPatch;
use crate::id::{BasePin, PatchName};
use crate::json::{self, Limits, Value};
use crate::problem::{
    FIELD_INVALID, FIELD_MISSING, FIELD_UNKNOWN, Finding, Findings, JSON_INVALID, NAME_INVALID, Place, excerpt, quote,
};
use crate::text;

/// Characters of the title.
pub const TITLE: RangeInclusive<usize> = 3..=80;
/// Characters of the problem.
pub const PROBLEM: RangeInclusive<usize> = 40..=4000;
/// Characters of the success criterion.
pub const SUCCESS_CRITERION: RangeInclusive<usize> = 20..=2000;
/// The largest declaration, in bytes.
pub const MAX_BYTES: usize = 64 << 10;

const FIELDS: [&str; 8] =
    ["name", "title", "problem", "success_criterion", "category", "base", "visibility", "licensing"];
const NEXT: &str = "correct the field; `retoque patch create --help` shows an example";

/// A declaration as far as it could be read, with everything that is wrong with it.
#[derive(Debug)]
pub struct Draft {
    /// The name, when it is one.
    pub name: Option<PatchName>,
    /// The base, when it is one. Whether it is supported, only the registry knows.
    pub base: Option<BasePin>,
    /// What is wrong.
    pub findings: Findings,
    patch: Option<NewPatch>,
}

impl Draft {
    /// Reads a declaration. Refuses at once only what is no JSON object.
    pub fn read(bytes: &[u8]) -> Result<Self, Findings> {
        let limits = Limits { bytes: MAX_BYTES, depth: 4 };
        let not_an_object = |found: String| {
            Finding::new(JSON_INVALID, Place::default(), found, "a JSON object with the fields of a patch", NEXT)
        };
        let value = json::parse(bytes, limits).map_err(|e| not_an_object(excerpt(&e.to_string())))?;
        let members = value.as_object().ok_or_else(|| not_an_object(value.kind().to_owned()))?;
        let mut reader = Reader { value: &value, findings: Findings::new() };
        for (key, _) in members.iter().filter(|(key, _)| !FIELDS.contains(&key.as_str())) {
            let place = Place::field(excerpt(key));
            reader.findings.push(Finding::new(FIELD_UNKNOWN, place, quote(key), FIELDS.join(", "), "leave it out"));
        }
        let name = reader.name::<PatchName>("name");
        let title = reader.text("title", TITLE, text::line);
        let problem = reader.text("problem", PROBLEM, text::paragraph);
        let success_criterion = reader.text("success_criterion", SUCCESS_CRITERION, text::paragraph);
        let category = reader.choice("category");
        let base = reader.name::<BasePin>("base");
        let visibility = reader.choice("visibility");
        let licensing = reader.choice("licensing");
        let patch = (|| {
            Some(NewPatch {
                name: name.clone()?,
                title: title?,
                problem: problem?,
                success_criterion: success_criterion?,
                category: category?,
                base: base.clone()?,
                visibility: visibility?,
                licensing: licensing?,
            })
        })();
        Ok(Self { name, base, findings: reader.findings, patch })
    }

    /// The declaration, or everything that is wrong with it.
    pub fn finish(self) -> Result<NewPatch, Findings> {
        match self.patch {
            Some(patch) if !self.findings.refused() => Ok(patch),
            _ => Err(self.findings),
        }
    }
}

struct Reader<'a> {
    value: &'a Value,
    findings: Findings,
}

impl<'a> Reader<'a> {
    fn string(&mut self, field: &str) -> Option<&'a str> {
        let (code, found) = match self.value.get(field) {
            Some(Value::String(text)) => return Some(text),
            Some(other) => (FIELD_INVALID, other.kind()),
            None => (FIELD_MISSING, "nothing"),
        };
        self.findings.push(Finding::new(code, Place::field(field), found, "a string", NEXT));
        None
    }

    fn text(
        &mut self,
        field: &str,
        length: RangeInclusive<usize>,
        rule: fn(&mut Findings, &str, &str, RangeInclusive<usize>),
    ) -> Option<String> {
        let text = self.string(field)?;
        rule(&mut self.findings, field, text, length);
        Some(text.to_owned())
    }

    fn name<T: FromStr<Err: Display>>(&mut self, field: &str) -> Option<T> {
        let text = self.string(field)?;
        let parsed = text.parse().map_err(|rule: T::Err| rule.to_string());
        parsed
            .map_err(|rule| {
                self.findings.push(Finding::new(NAME_INVALID, Place::field(field), quote(text), rule, NEXT));
            })
            .ok()
    }

    /// One of a closed list of words.
    fn choice<T: DeserializeOwned>(&mut self, field: &str) -> Option<T> {
        let text = self.string(field)?;
        let parsed = T::deserialize(StrDeserializer::<SerdeError>::new(text));
        parsed
            .map_err(|error| {
                let rule = error.to_string();
                let expected = rule.split_once("expected ").map_or("another word", |(_, words)| words);
                let finding = Finding::new(FIELD_INVALID, Place::field(field), quote(text), expected, NEXT);
                self.findings.push(finding);
            })
            .ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const GOOD: &str = r#"{
        "name": "acme/tiny-desk", "title": "Tidy tickets",
        "problem": "The base writes explanations around the JSON object that the desk needs.",
        "success_criterion": "The answer is the object alone.", "category": "structured-output",
        "base": "Qwen/Qwen2.5-0.5B-Instruct@7ae557604adf67be50417f59c2c2f167def9a775",
        "visibility": "public", "licensing": "free" }"#;

    #[test]
    fn a_declaration_reads_back() {
        let patch = Draft::read(GOOD.as_bytes()).unwrap().finish().unwrap();
        let again = serde_json::to_vec(&patch).unwrap();
        assert_eq!(Draft::read(&again).unwrap().finish().unwrap(), patch);
    }

    #[test]
    fn everything_wrong_is_named_at_once() {
        let bad = r#"{ "name": "Acme/tiny-desk", "title": "ab", "problem": "short", "category": "other",
            "base": "Qwen/Qwen2.5-0.5B-Instruct@main", "visibility": 1, "licensing": "free", "price": "3" }"#;
        let draft = Draft::read(bad.as_bytes()).unwrap();
        let places: Vec<_> = draft.findings.list().iter().filter_map(|f| f.place.field.clone()).collect();
        assert_eq!(
            places,
            ["price", "name", "title", "problem", "success_criterion", "category", "base", "visibility"]
        );
        let category = draft.findings.list().iter().find(|f| f.place.field.as_deref() == Some("category")).unwrap();
        assert!(category.expected.contains("structured-output"), "{category}");
        assert!(draft.finish().is_err());
    }

    #[test]
    fn what_is_no_object_is_refused_at_once() {
        for bad in ["", "[]", "{\"name\":1,\"name\":2}", "null"] {
            assert!(Draft::read(bad.as_bytes()).unwrap_err().has(JSON_INVALID), "{bad}");
        }
    }

    #[test]
    fn the_bounds_are_those_of_the_specification() {
        let with = |field: &str, n: usize| {
            let mut value: serde_json::Value = serde_json::from_str(GOOD).unwrap();
            value[field] = "x".repeat(n).into();
            Draft::read(&serde_json::to_vec(&value).unwrap()).unwrap().finish().is_ok()
        };
        for (field, least, most) in [("title", 3, 80), ("problem", 40, 4000), ("success_criterion", 20, 2000)] {
            assert!(with(field, least) && with(field, most), "{field}");
            assert!(!with(field, least - 1) && !with(field, most + 1), "{field}");
        }
    }
}
