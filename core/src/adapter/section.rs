//! The manifest's statement about the adapter. Nothing else builds it.

use serde_json::json;

use super::config::Config;
use super::coverage;
use super::scale::scale;
use super::weights::WeightsFacts;
use crate::canonical::{self, CanonicalError};
use crate::digest::Digest;
use crate::manifest::AdapterSection;

/// What the manifest says of an adapter that nothing was refused of.
pub fn section(config: &Config, facts: &WeightsFacts) -> Result<AdapterSection, CanonicalError> {
    let coverage = coverage::table(facts);
    let mut layers: Vec<u64> = coverage.values().flatten().copied().collect();
    layers.sort_unstable();
    layers.dedup();
    Ok(AdapterSection {
        method: "lora".to_owned(),
        rank: config.rank,
        alpha: config.alpha.clone(),
        dropout: config.dropout.clone(),
        scale: scale(config),
        modules: coverage.keys().cloned().collect(),
        layers,
        coverage,
        dtype: facts.dtype.clone(),
        tensors: facts.tensors.len() as u64,
        parameters: facts.parameters,
        sha256: facts.sha256,
        semantic: semantic(config, facts)?,
    })
}

/// Digest of what the adapter means: its tensors by name, and the numbers that scale them. The order of
/// tensors in the file and of names in `target_modules` does not change it.
fn semantic(config: &Config, facts: &WeightsFacts) -> Result<Digest, CanonicalError> {
    // A digest of digests: one line per tensor keeps the canonical document small for any adapter.
    let mut tensors: Vec<_> = facts.tensors.iter().collect();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let tensors: Vec<_> = tensors
        .iter()
        .map(|t| json!({ "name": t.name, "dtype": t.dtype, "shape": t.shape, "sha256": t.sha256 }))
        .collect();
    let meaning = json!({
        "format": "retoque-adapter/1",
        "method": "lora",
        "rank": config.rank,
        "alpha": config.alpha,
        "dropout": config.dropout,
        "scale": scale(config).rule,
        "tensors": tensors,
    });
    Ok(Digest::of(&canonical::to_vec(&meaning)?))
}
