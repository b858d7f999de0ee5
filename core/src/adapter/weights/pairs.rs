//! From tensors to pairs: names, two dimensions, both matrices, one rank, not all zero.

use std::collections::BTreeMap;

use super::facts::{Pair, TensorFact};
use super::name::{Side, TensorName};
use crate::problem::{ALL_ZERO, Finding, Findings, NOT_A_MATRIX, PAIR_INCOMPLETE, Place, RANK_MISMATCH, quote};
use crate::safetensors::{Header, Tensor};

/// The tensors whose names are LoRA matrices; every other name is a finding.
pub(super) fn names<'h>(header: &'h Header, place: &Place, findings: &mut Findings) -> Vec<(TensorName, &'h Tensor)> {
    let mut list = Vec::new();
    for tensor in header.tensors.iter().filter(|t| !t.name.is_empty()) {
        match TensorName::parse(&tensor.name) {
            Ok(name) => list.push((name, tensor)),
            Err((code, what)) => findings.push(Finding::new(
                code,
                place.clone().at_tensor(tensor.name.chars().take(160).collect::<String>()),
                format!("{what}: {} {:?}", quote(&tensor.name), tensor.shape),
                "only base_model.model.<module>.lora_A.weight and .lora_B.weight",
                "train plain LoRA and save with save_pretrained, without resized vocabulary or modules_to_save",
            )),
        }
    }
    list
}

/// The complete pairs, sorted by module.
pub(super) fn pairs(
    names: &[(TensorName, &Tensor)],
    rank: Option<u64>,
    place: &Place,
    findings: &mut Findings,
) -> Vec<Pair> {
    let mut modules: BTreeMap<&str, [Option<&Tensor>; 2]> = BTreeMap::new();
    for (name, tensor) in names {
        modules.entry(&name.module).or_default()[usize::from(name.side == Side::B)] = Some(tensor);
    }
    let mut pairs = Vec::new();
    for (module, sides) in modules {
        match sides {
            [Some(a), Some(b)] => pairs.extend(pair(module, a, b, rank, place, findings)),
            [a, b] => {
                let Some(alone) = a.or(b) else { continue };
                let missing = if a.is_some() { "lora_B" } else { "lora_A" };
                findings.push(Finding::new(
                    PAIR_INCOMPLETE,
                    place.clone().at_tensor(alone.name.clone()),
                    format!("no {missing} for this module"),
                    "lora_A and lora_B for every module",
                    "save the adapter again; part of the weights was lost",
                ));
            }
        }
    }
    pairs
}

fn pair(
    module: &str,
    a: &Tensor,
    b: &Tensor,
    rank: Option<u64>,
    place: &Place,
    findings: &mut Findings,
) -> Option<Pair> {
    let mut matrix = true;
    for tensor in [a, b] {
        // An empty tensor is told by its own finding.
        if tensor.shape.len() != 2 && !tensor.shape.contains(&0) {
            findings.push(Finding::new(
                NOT_A_MATRIX,
                place.clone().at_tensor(tensor.name.clone()),
                format!("the shape {:?}", tensor.shape),
                "two dimensions",
                "adapt linear modules only",
            ));
        }
        matrix &= tensor.shape.len() == 2;
    }
    let (&[of_a, input], &[output, of_b]) = (a.shape.as_slice(), b.shape.as_slice()) else { return None };
    if !matrix || a.shape.contains(&0) || b.shape.contains(&0) {
        return None;
    }
    let mismatch = |tensor: &Tensor, found: u64, expected: String| {
        Finding::new(
            RANK_MISMATCH,
            place.clone().at_tensor(tensor.name.clone()),
            format!("rank {found} in the shape {:?}", tensor.shape),
            expected,
            "use the adapter_config.json that was saved together with these weights",
        )
    };
    if of_a != of_b {
        findings.push(mismatch(b, of_b, format!("rank {of_a}, as in lora_A")));
    }
    if let Some(rank) = rank {
        for (tensor, found) in [(a, of_a), (b, of_b)] {
            if found != rank && (of_a != of_b || tensor.name == a.name) {
                findings.push(mismatch(tensor, found, format!("rank {rank}, as r in adapter_config.json")));
            }
        }
    }
    Some(Pair { module: module.to_owned(), rank: of_a, input, output })
}

/// Refuses an adapter whose every product is zero: it was never trained.
pub(super) fn not_all_zero(pairs: &[Pair], tensors: &[TensorFact], place: &Place, findings: &mut Findings) {
    let zero: BTreeMap<(&str, Side), bool> = tensors.iter().map(|t| ((t.module.as_str(), t.side), t.zero)).collect();
    let is_zero = |module: &str, side| zero.get(&(module, side)).copied().unwrap_or(false);
    if !pairs.is_empty() && pairs.iter().all(|p| is_zero(&p.module, Side::A) || is_zero(&p.module, Side::B)) {
        findings.push(Finding::new(
            ALL_ZERO,
            place.clone(),
            "lora_B (or lora_A) is zero in every pair",
            "at least one pair whose product is not zero",
            "train the adapter before packing it; a fresh adapter looks like this",
        ));
    }
}
