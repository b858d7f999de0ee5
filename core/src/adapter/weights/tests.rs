#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::problem::{
    ALL_ZERO, Code, DTYPE_MIXED, METADATA_PRIVATE, NOT_A_MATRIX, PAIR_INCOMPLETE, RANK_MISMATCH, TENSOR_NAME_UNKNOWN,
    WEIGHTS_TRUNCATED,
};

const A: &str = "base_model.model.model.layers.0.q_proj.lora_A.weight";
const B: &str = "base_model.model.model.layers.0.q_proj.lora_B.weight";

/// A file of these tensors, one after the other.
fn file(tensors: &[(&str, &str, &[u64], Vec<u8>)], metadata: &str) -> Vec<u8> {
    let mut header = format!("{{{metadata}");
    let mut data: Vec<u8> = Vec::new();
    for (at, (name, dtype, shape, bytes)) in tensors.iter().enumerate() {
        let (begin, end) = (data.len(), data.len() + bytes.len());
        let comma = if at > 0 || !metadata.is_empty() { "," } else { "" };
        let entry =
            format!("{comma}\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data_offsets\":[{begin},{end}]}}");
        header.push_str(&entry);
        data.extend(bytes);
    }
    header.push('}');
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header.into_bytes());
    out.extend(data);
    out
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn codes(bytes: &[u8]) -> Vec<Code> {
    inspect(bytes, bytes.len() as u64, Some(1)).1.list().iter().map(|f| f.code).collect()
}

fn good() -> Vec<(&'static str, &'static str, &'static [u64], Vec<u8>)> {
    vec![(A, "F32", &[1, 2], floats(&[1.0, 2.0])), (B, "F32", &[3, 1], floats(&[0.0, 0.5, 0.0]))]
}

#[test]
fn facts_of_a_good_file() {
    let bytes = file(&good(), "\"__metadata__\":{\"format\":\"pt\"}");
    let (facts, findings) = inspect(bytes.as_slice(), bytes.len() as u64, Some(1));
    assert!(findings.is_empty(), "{findings:?}");
    let facts = facts.unwrap();
    assert_eq!((facts.parameters, facts.dtype.as_str(), facts.sha256), (5, "F32", Digest::of(&bytes)));
    assert_eq!(facts.tensors[0].sha256, Digest::of(&floats(&[1.0, 2.0])));
    let pair = &facts.pairs[0];
    assert_eq!((pair.kind(), pair.layer(), pair.rank, pair.input, pair.output), ("q_proj", Some(0), 1, 2, 3));
    let mut other = good();
    other.reverse();
    let bytes = file(&other, "");
    let (again, _) = inspect(bytes.as_slice(), bytes.len() as u64, Some(1));
    assert_eq!(again.unwrap().tensors, facts.tensors, "the order in the file does not matter");
}

#[test]
fn values_and_pairs() {
    let change = |at: usize, dtype: &'static str, shape: &'static [u64], bytes: Vec<u8>| {
        let mut tensors = good();
        tensors[at] = (tensors[at].0, dtype, shape, bytes);
        codes(&file(&tensors, ""))
    };
    assert_eq!(change(1, "F32", &[3, 1], floats(&[0.0, -0.0, 0.0])), [ALL_ZERO]);
    assert_eq!(change(0, "F32", &[1, 2], floats(&[0.0, 0.0])), [ALL_ZERO]);
    assert_eq!(change(0, "F32", &[1, 2], floats(&[1.0, f32::NEG_INFINITY])), [NON_FINITE]);
    assert_eq!(change(1, "F16", &[3, 1], vec![0, 1, 0, 1, 0, 1]), [DTYPE_MIXED]);
    assert_eq!(change(1, "F64", &[3, 1], vec![1; 24]), [DTYPE_UNSUPPORTED, DTYPE_MIXED]);
    assert_eq!(change(1, "F32", &[1, 3], floats(&[1.0; 3])), [RANK_MISMATCH, RANK_MISMATCH]);
    assert_eq!(change(1, "F32", &[3, 1, 1], floats(&[1.0; 3])), [NOT_A_MATRIX]);
    assert_eq!(change(1, "F32", &[0], vec![]), [TENSOR_EMPTY]);
    assert_eq!(codes(&file(&good()[..1], "")), [PAIR_INCOMPLETE]);
    assert_eq!(codes(&file(&good()[1..], "")), [PAIR_INCOMPLETE]);
    let bytes = file(&good(), "");
    assert_eq!(inspect(bytes.as_slice(), bytes.len() as u64, Some(2)).1.errors(), 1, "one finding for the pair");
    let mut named = good();
    named.push(("", "F32", &[1], floats(&[1.0])));
    assert_eq!(codes(&file(&named, "")), [TENSOR_NAME_UNKNOWN]);
    let secret = "\"__metadata__\":{\"key\":\"AKIAIOSFODNN7EXAMPLF\"}";
    assert_eq!(codes(&file(&good(), secret)), [METADATA_PRIVATE]);
    let private = "\"__metadata__\":{\"output_dir\":\"/home/sam/run\"}";
    assert_eq!(codes(&file(&good(), private)), [METADATA_PRIVATE]);
}

#[test]
fn files_that_change_while_they_are_read() {
    let bytes = file(&good(), "");
    let size = bytes.len() as u64;
    let short = inspect(&bytes[..bytes.len() - 1], size, Some(1)).1;
    assert!(short.has(WEIGHTS_UNREADABLE), "{short:?}");
    let mut long = bytes.clone();
    long.push(0);
    assert!(inspect(long.as_slice(), size, Some(1)).1.has(WEIGHTS_TRAILING_BYTES));
    assert!(inspect(&bytes[..bytes.len() - 1], size - 1, Some(1)).1.has(WEIGHTS_TRUNCATED));
    assert!(inspect(long.as_slice(), size + 1, Some(1)).1.has(WEIGHTS_TRAILING_BYTES));
}

#[test]
fn several_faults_come_together() {
    let bytes = file(
        &[
            (A, "F32", &[1, 2], floats(&[f32::NAN, 2.0])),
            (B, "F32", &[3, 2], floats(&[1.0; 6])),
            ("base_model.model.score.weight", "F32", &[1], floats(&[1.0])),
        ],
        "",
    );
    let names: Vec<_> = codes(&bytes).into_iter().map(Code::name).collect();
    assert_eq!(names, ["undeclared_tensor", "rank_mismatch", "rank_mismatch", "non_finite"]);
}

#[test]
fn damaged_files_are_refused_and_never_break_the_reader() {
    let bytes = file(&good(), "\"__metadata__\":{\"format\":\"pt\"}");
    for cut in 0..bytes.len() {
        let (_, findings) = inspect(&bytes[..cut], cut as u64, Some(1));
        assert!(findings.refused(), "cut at {cut}");
    }
    let header = bytes.len() - 20;
    for at in 0..header {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let (facts, findings) = inspect(damaged.as_slice(), damaged.len() as u64, Some(1));
            // Letters of a name can change without a fault; then it is another, whole name.
            assert!(findings.refused() || facts.is_some_and(|f| f.pairs.len() == 1), "byte {at}, bit {bit}");
        }
    }
}
