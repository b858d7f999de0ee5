//! The whole examination of one adapter: configuration, weights, base and policy, all findings together.

use std::io::Read;

use super::config::{self, Config, Draft, Targets};
use super::policy::Policy;
use super::weights::{self, WeightsFacts};
use super::{coverage, section};
use crate::base::BaseRecord;
use crate::manifest::AdapterSection;
use crate::problem::{CONFIG_FIELD_INVALID, Finding, Findings, Place};

/// What is examined.
pub struct Input<'a, R> {
    /// The bytes of `adapter_config.json`.
    pub config: &'a [u8],
    /// `adapter_model.safetensors`, from its first byte.
    pub weights: R,
    /// Its size.
    pub size: u64,
    /// The record of the declared base.
    pub base: &'a BaseRecord,
    /// Which adapters are taken.
    pub policy: Policy,
}

/// An adapter that nothing was refused of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The configuration.
    pub config: Config,
    /// The bytes of `adapter_config.json` as they stand in the package.
    pub packaged: Vec<u8>,
    /// What the weights hold.
    pub facts: WeightsFacts,
    /// What the manifest says of it.
    pub section: AdapterSection,
}

/// Examines a trainer's adapter. The warnings say what was not stated and filled in.
pub fn examine<R: Read>(input: Input<'_, R>) -> Result<(Examined, Findings), Findings> {
    let (draft, mut findings) = config::parse(input.config);
    let (facts, of_weights) = read(input.weights, input.size, draft.as_ref());
    let mut packaged = Vec::new();
    if let Some(draft) = &draft {
        let names = match (&draft.targets, &facts) {
            (Some(Targets::Pattern), Some(facts)) => Some(coverage::names(facts, input.base)),
            _ => None,
        };
        let (pinned, of_pin) = config::pin(draft, &input.base.pin(), names.as_deref());
        findings.extend(of_pin);
        packaged = pinned.bytes;
    }
    findings.extend(of_weights);
    conclude(draft.as_ref(), facts, packaged, input.base, input.policy, findings)
}

/// Examines the adapter of a package, whose configuration must be exactly what the packer writes.
pub fn examine_packaged<R: Read>(input: Input<'_, R>) -> Result<(Examined, Findings), Findings> {
    let (draft, mut findings) = config::check_packaged(input.config, &input.base.pin());
    let (facts, of_weights) = read(input.weights, input.size, draft.as_ref());
    findings.extend(of_weights);
    conclude(draft.as_ref(), facts, input.config.to_vec(), input.base, input.policy, findings)
}

fn read(reader: impl Read, size: u64, draft: Option<&Draft>) -> (Option<WeightsFacts>, Findings) {
    weights::inspect(reader, size, draft.and_then(|d| d.rank))
}

fn conclude(
    draft: Option<&Draft>,
    facts: Option<WeightsFacts>,
    packaged: Vec<u8>,
    base: &BaseRecord,
    policy: Policy,
    mut findings: Findings,
) -> Result<(Examined, Findings), Findings> {
    if let Some(facts) = &facts {
        findings.extend(coverage::check(facts, draft.and_then(|d| d.targets.as_ref()), base));
    }
    if let Some(draft) = draft {
        findings.extend(policy.check(draft, facts.as_ref()));
    }
    if findings.refused() {
        return Err(findings);
    }
    let (Some(config), Some(facts)) = (draft.and_then(Draft::complete), facts) else {
        // Whatever is missing was refused above; this keeps the compiler and a later change honest.
        findings.push(Finding::new(
            CONFIG_FIELD_INVALID,
            Place::file(config::FILE),
            "a configuration that was not understood",
            "a configuration of plain LoRA",
            "copy adapter_config.json again from where PEFT wrote it",
        ));
        return Err(findings);
    };
    match section(&config, &facts) {
        Ok(section) => Ok((Examined { config, packaged, facts, section }, findings)),
        Err(error) => {
            let (place, expected) = (Place::file(weights::FILE), "an adapter whose tensors can be listed in 4 MiB");
            findings.push(Finding::new(
                CONFIG_FIELD_INVALID,
                place,
                error.to_string(),
                expected,
                "adapt fewer modules",
            ));
            Err(findings)
        }
    }
}
