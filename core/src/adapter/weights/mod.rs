//! `adapter_model.safetensors`: what its header and its values say, in one pass with bounded memory.
//!
//! Refuses everything that is not complete pairs of finite float matrices under the names that PEFT
//! writes for plain LoRA: other containers, base weights, heads, embeddings, variants, mixed dtypes,
//! empty or all-zero adapters. Clause: specification, section 3.

mod facts;
mod metadata;
mod name;
mod pairs;
mod values;

use std::io::{self, Read};

pub use facts::{Pair, TensorFact, WeightsFacts};
pub use name::{Side, TensorName};

use crate::digest::{Digest, Hasher};
use crate::problem::{
    DTYPE_MIXED, DTYPE_UNSUPPORTED, Finding, Findings, NO_TENSORS, NON_FINITE, Place, TENSOR_EMPTY,
    WEIGHTS_TRAILING_BYTES, WEIGHTS_UNREADABLE,
};
use crate::safetensors::{ADAPTER_HEADER, Header, Watched, parse, read_prefix};

/// The name of the weights file in a folder and in a package.
pub const FILE: &str = "adapter_model.safetensors";

/// Reads the weights once. `rank` is the configured rank, when the configuration has a valid one.
///
/// The facts are returned also beside findings, as far as they could be read, so that the comparison with
/// the base can add its own. They are only complete when nothing was refused.
pub fn inspect(reader: impl Read, size: u64, rank: Option<u64>) -> (Option<WeightsFacts>, Findings) {
    let place = Place::file(FILE);
    let mut file = Hasher::new();
    let mut reader = Watched::new(reader, |chunk: &[u8]| file.update(chunk));
    let prefix = match read_prefix(&mut reader, size, ADAPTER_HEADER, &place) {
        Ok(prefix) => prefix,
        Err(findings) => return (None, findings),
    };
    let (header, mut findings) = parse(&prefix.text, prefix.data, &place);
    metadata::check(&header.metadata, &place, &mut findings);
    if header.tensors.is_empty() {
        if !findings.refused() {
            findings.push(Finding::new(
                NO_TENSORS,
                place,
                "a header without tensors",
                "LoRA matrices",
                "save the adapter again; under DeepSpeed ZeRO-3 gather the weights before saving",
            ));
        }
        return (None, findings);
    }
    let readable = !findings.refused();
    let dtype = dtypes(&header, &place, &mut findings);
    let names = pairs::names(&header, &place, &mut findings);
    let pairs = pairs::pairs(&names, rank, &place, &mut findings);
    let mut tensors: Vec<_> = names.iter().map(|(name, tensor)| facts::fact(name, tensor)).collect();
    // The values are only looked at when the offsets can be trusted and every dtype is a float.
    if readable && !findings.has(DTYPE_UNSUPPORTED) {
        if let Err(unread) = read_values(&mut reader, &header, &mut tensors, &place, &mut findings) {
            findings.extend(unread);
            return (None, findings);
        }
        pairs::not_all_zero(&pairs, &tensors, &place, &mut findings);
    }
    drop(reader);
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let parameters = header.tensors.iter().map(facts::count).fold(0, u64::saturating_add);
    let facts = WeightsFacts { sha256: file.finish(), size, dtype, tensors, pairs, parameters };
    (Some(facts), findings)
}

/// The one dtype of the file, and findings about any other.
fn dtypes(header: &Header, place: &Place, findings: &mut Findings) -> String {
    let next = "save the adapter in float32, float16 or bfloat16, all tensors alike";
    let mut first: Option<&str> = None;
    for tensor in &header.tensors {
        let at = || place.clone().at_tensor(tensor.name.chars().take(160).collect::<String>());
        if !matches!(tensor.dtype.as_str(), "F32" | "F16" | "BF16") {
            findings.push(Finding::new(DTYPE_UNSUPPORTED, at(), tensor.dtype.as_str(), "F32, F16 or BF16", next));
        }
        let expected = *first.get_or_insert(&tensor.dtype);
        if tensor.dtype != expected {
            let expected = format!("{expected}, as in the first tensor");
            findings.push(Finding::new(DTYPE_MIXED, at(), tensor.dtype.as_str(), expected, next));
        }
        if tensor.shape.contains(&0) {
            findings.push(Finding::new(
                TENSOR_EMPTY,
                at(),
                format!("the shape {:?}", tensor.shape),
                "a matrix with values",
                "gather the weights before saving; DeepSpeed ZeRO-3 leaves such tensors behind",
            ));
        }
    }
    first.unwrap_or_default().to_owned()
}

/// Passes over the data once; digests each tensor and looks at each value.
fn read_values(
    reader: &mut impl Read,
    header: &Header,
    facts: &mut [TensorFact],
    place: &Place,
    findings: &mut Findings,
) -> Result<(), Findings> {
    let unreadable = |e: &io::Error| {
        let next = "try again; the file may have changed meanwhile";
        Findings::from(Finding::new(
            WEIGHTS_UNREADABLE,
            place.clone(),
            e.kind().to_string(),
            "as many bytes as the file had",
            next,
        ))
    };
    let mut buffer = vec![0; 1 << 18];
    let mut waiting = facts.iter_mut().peekable();
    for tensor in &header.tensors {
        let mut digest = Hasher::new();
        let mut seen = values::Seen::default();
        let mut left = tensor.end - tensor.begin;
        while left > 0 {
            // The buffer is a multiple of every element size, so no value is cut in two.
            let n = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            reader.read_exact(&mut buffer[..n]).map_err(|e| unreadable(&e))?;
            digest.update(&buffer[..n]);
            seen.look(&tensor.dtype, &buffer[..n]);
            left -= n as u64;
        }
        if seen.non_finite > 0 {
            findings.push(Finding::new(
                NON_FINITE,
                place.clone().at_tensor(tensor.name.chars().take(160).collect::<String>()),
                format!("{} values that are NaN or infinite", seen.non_finite),
                "finite values",
                "train again with a lower learning rate or gradient clipping; this adapter has diverged",
            ));
        }
        // Facts stand in the order of the header's tensors; tensors of other names have none.
        if let Some(fact) = waiting.next_if(|f| f.name == tensor.name) {
            fact.sha256 = digest.finish();
            fact.zero = !seen.non_zero;
        }
    }
    let more = reader.read(&mut buffer[..1]).map_err(|e| unreadable(&e))?;
    if more > 0 {
        let next = "try again; the file may have changed meanwhile";
        let found = "more bytes than the file had when it was listed";
        return Err(Finding::new(WEIGHTS_TRAILING_BYTES, place.clone(), found, "the end of the file", next).into());
    }
    Ok(())
}

/// The digest of nothing, which a fact carries until its values are read.
fn unread() -> Digest {
    Digest::of(b"")
}

#[cfg(test)]
mod tests;
