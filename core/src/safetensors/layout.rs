//! How the tensors lie in the file: from 0 to the last byte, without gap or overlap.

use super::Tensor;
use crate::problem::{
    Finding, Findings, OFFSETS_GAP, OFFSETS_OVERLAP, Place, WEIGHTS_TRAILING_BYTES, WEIGHTS_TRUNCATED,
};

/// Checks tensors that are sorted by their bytes against `data` bytes after the header.
pub(super) fn check(tensors: &[Tensor], data: u64, file: &Place, findings: &mut Findings) {
    let next = "save the adapter again with PEFT; the file was written by another tool or is damaged";
    let mut at = 0;
    for tensor in tensors {
        let place = || file.clone().at_tensor(tensor.name.chars().take(160).collect::<String>());
        let found = format!("bytes {} to {}", tensor.begin, tensor.end);
        if tensor.begin > at {
            findings.push(Finding::new(OFFSETS_GAP, place(), found, format!("a beginning at byte {at}"), next));
        } else if tensor.begin < at {
            findings.push(Finding::new(OFFSETS_OVERLAP, place(), found, format!("a beginning at byte {at}"), next));
        }
        at = at.max(tensor.end);
    }
    let found = format!("{data} bytes after the header");
    let expected = format!("{at} bytes, where the last tensor ends");
    if at > data {
        let next = "copy the file again from where it was trained; it was cut short";
        findings.push(Finding::new(WEIGHTS_TRUNCATED, file.clone(), found, expected, next));
    } else if at < data && !tensors.is_empty() {
        findings.push(Finding::new(WEIGHTS_TRAILING_BYTES, file.clone(), found, expected, next));
    }
}
