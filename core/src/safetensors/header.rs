//! The header as a whole: strict JSON, `__metadata__`, and one entry per tensor.

use super::{METADATA, entry, layout};
use crate::json::{self, JsonError, JsonErrorKind, Limits, Value};
use crate::problem::{
    Finding, Findings, HEADER_DUPLICATE_KEY, HEADER_INVALID, METADATA_INVALID, Place, TENSOR_NAME_UNKNOWN, quote,
};

/// One tensor of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its dtype, one that [`super::dtype_bits`] knows.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Where its bytes begin, counted from the end of the header.
    pub begin: u64,
    /// Where its bytes end.
    pub end: u64,
}

/// What a header says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// `__metadata__`, in the order written.
    pub metadata: Vec<(String, String)>,
    /// The tensors, in the order of their bytes.
    pub tensors: Vec<Tensor>,
}

/// Parses a header over `data` bytes of tensors. The tensors that could be understood are returned also
/// beside findings, so that later checks can add theirs; with findings, their offsets must not be used.
pub fn parse(text: &[u8], data: u64, place: &Place) -> (Header, Findings) {
    let mut findings = Findings::new();
    let members = match members(text, place) {
        Ok(members) => members,
        Err(findings) => return (Header::default(), findings),
    };
    let mut header = Header::default();
    let mut whole = true;
    for (name, value) in members {
        if name == "__metadata__" {
            header.metadata = metadata(&value, place, &mut findings);
            continue;
        }
        if name.is_empty() {
            findings.push(Finding::new(
                TENSOR_NAME_UNKNOWN,
                place.clone(),
                "a tensor with an empty name",
                "a name for every tensor",
                "save the adapter again with PEFT",
            ));
        }
        match entry::parse(name, &value, place, &mut findings) {
            Some(tensor) => header.tensors.push(tensor),
            None => whole = false,
        }
    }
    header.tensors.sort_by(|a, b| (a.begin, a.end, &a.name).cmp(&(b.begin, b.end, &b.name)));
    // Gaps are only told when every entry was understood: one that was not leaves a gap of its own.
    if whole {
        layout::check(&header.tensors, data, place, &mut findings);
    }
    (header, findings)
}

fn members(text: &[u8], place: &Place) -> Result<Vec<(String, Value)>, Findings> {
    let invalid = |found: String, expected: &str| {
        let next = "save the adapter again with PEFT; the file was written by another tool or is damaged";
        Findings::from(Finding::new(HEADER_INVALID, place.clone(), found, expected, next))
    };
    if text.first() != Some(&b'{') {
        let found = text
            .first()
            .map_or_else(|| "an empty header".to_owned(), |b| format!("a header that begins with byte {b:#04x}"));
        return Err(invalid(found, "a JSON object from the first byte"));
    }
    // Padding is spaces; another blank after the object is something that no writer writes.
    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |at| at + 1);
    if text[..end].last() != Some(&b'}') {
        return Err(invalid(
            "bytes after the JSON object that are not spaces".to_owned(),
            "spaces as the only padding",
        ));
    }
    match json::parse(&text[..end], Limits { bytes: end, depth: 4 }) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(other) => Err(invalid(other.kind().to_owned(), "a JSON object")),
        Err(JsonError { kind: JsonErrorKind::DuplicateKey(key), at }) => Err(Findings::from(Finding::new(
            HEADER_DUPLICATE_KEY,
            place.clone().at_byte(at as u64 + 8),
            format!("the name {} a second time", quote(&key)),
            "every name once",
            "save the adapter again with PEFT; readers disagree on which of the two counts",
        ))),
        Err(error) => Err(invalid(error.to_string(), "strict JSON")),
    }
}

fn metadata(value: &Value, place: &Place, findings: &mut Findings) -> Vec<(String, String)> {
    let mut refuse = |found: String, expected: String| {
        let next = "save the adapter with the metadata {\"format\": \"pt\"}, as PEFT does";
        findings.push(Finding::new(METADATA_INVALID, place.clone().at_field("__metadata__"), found, expected, next));
    };
    let Some(members) = value.as_object() else {
        refuse(value.kind().to_owned(), "an object of text values".to_owned());
        return Vec::new();
    };
    let mut list = Vec::new();
    for (key, value) in members {
        match value.as_str() {
            Some(text) => list.push((key.clone(), text.to_owned())),
            None => refuse(format!("{} under {}", value.kind(), quote(key)), "text".to_owned()),
        }
    }
    let bytes: usize = list.iter().map(|(k, v)| k.len() + v.len()).sum();
    if bytes > METADATA {
        refuse(format!("{bytes} bytes"), format!("at most {METADATA} bytes"));
    }
    list
}
