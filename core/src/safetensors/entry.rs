//! One entry of the header: exactly `dtype`, `shape` and `data_offsets`, as an object.

use super::{Tensor, dtype_bits};
use crate::json::Value;
use crate::problem::{
    DTYPE_UNSUPPORTED, Finding, Findings, OFFSETS_INVALID, Place, SHAPE_MISMATCH, TENSOR_FIELD_INVALID, quote,
};

const NEXT: &str = "save the adapter again with PEFT; the file was written by another tool or is damaged";

/// The tensor, when all three fields could be understood. Every fault of the entry is a finding.
pub(super) fn parse(name: String, value: &Value, file: &Place, findings: &mut Findings) -> Option<Tensor> {
    let place = file.clone().at_tensor(shown(&name));
    let Some(fields) = value.as_object() else {
        findings.push(Finding::new(
            TENSOR_FIELD_INVALID,
            place,
            value.kind(),
            "an object with dtype, shape and data_offsets",
            NEXT,
        ));
        return None;
    };
    for (field, _) in fields {
        if !matches!(field.as_str(), "dtype" | "shape" | "data_offsets") {
            let found = format!("the field {}", quote(field));
            findings.push(Finding::new(
                TENSOR_FIELD_INVALID,
                place.clone(),
                found,
                "dtype, shape and data_offsets only",
                NEXT,
            ));
        }
    }
    let mut missing = |field: &str, expected: &str| {
        let found = value.get(field).map_or("no such field", Value::kind);
        findings.push(Finding::new(TENSOR_FIELD_INVALID, place.clone().at_field(field), found, expected, NEXT));
    };
    let dtype = value.get("dtype").and_then(Value::as_str);
    if dtype.is_none() {
        missing("dtype", "the name of a dtype");
    }
    let shape = value.get("shape").and_then(Value::as_array).and_then(integers).filter(|s| s.len() <= 8);
    if shape.is_none() {
        missing("shape", "an array of at most 8 integers from 0");
    }
    let offsets = value.get("data_offsets").and_then(offsets);
    if offsets.is_none() {
        let found = value.get("data_offsets").map_or_else(|| "no such field".to_owned(), describe);
        findings.push(Finding::new(
            OFFSETS_INVALID,
            place.clone(),
            found,
            "[begin, end], integers from 0 with begin before end",
            NEXT,
        ));
    }
    let bits = dtype.map(dtype_bits);
    if let (Some(dtype), Some(None)) = (dtype, bits) {
        findings.push(Finding::new(DTYPE_UNSUPPORTED, place.clone(), quote(dtype), "a dtype of safetensors", NEXT));
    }
    let (dtype, bits, shape, (begin, end)) = (dtype?, bits??, shape?, offsets?);
    let bytes = shape.iter().try_fold(bits, |n, d| n.checked_mul(*d)).filter(|n| n % 8 == 0).map(|n| n / 8);
    if bytes != Some(end - begin) {
        findings.push(Finding::new(
            SHAPE_MISMATCH,
            place,
            format!("{} bytes for {dtype} {shape:?}", end - begin),
            bytes.map_or_else(|| "a shape that fits in a file".to_owned(), |n| format!("{n} bytes")),
            NEXT,
        ));
    }
    Some(Tensor { name, dtype: dtype.to_owned(), shape, begin, end })
}

/// A tensor's name for a place: its start, when it is very long.
fn shown(name: &str) -> String {
    name.chars().take(160).collect()
}

fn integers(items: &[Value]) -> Option<Vec<u64>> {
    items.iter().map(|v| v.as_number()?.as_u64()).collect()
}

fn offsets(value: &Value) -> Option<(u64, u64)> {
    match integers(value.as_array()?)?.as_slice() {
        [begin, end] if begin <= end => Some((*begin, *end)),
        _ => None,
    }
}

fn describe(value: &Value) -> String {
    let Some(items) = value.as_array() else { return value.kind().to_owned() };
    let texts: Vec<_> = items.iter().take(4).map(|v| v.as_number().map_or_else(|| v.kind(), |n| n.text())).collect();
    format!("[{}]", texts.join(", ").chars().take(60).collect::<String>())
}
