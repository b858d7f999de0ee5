//! Whether the pairs of the adapter are exactly modules of the base, and exactly those the configuration names.
//!
//! PEFT loads an adapter whose configuration names fewer modules than its tensors have, and drops the rest
//! without a word; another base of the same family gives matrices that do not fit. Equal shapes cannot tell
//! two bases of one size apart: that is what the pin and the proof of the base are for.

use std::collections::{BTreeMap, BTreeSet};

use super::config::{self, Targets};
use super::weights::{self, Pair, WeightsFacts};
use crate::base::BaseRecord;
use crate::problem::{COVERAGE_MISMATCH, Finding, Findings, Place, SHAPE_OR_LAYER_MISMATCH, quote};

/// The two-dimensional weights of a base: module path to `[out, in]`.
struct Linear<'b>(BTreeMap<&'b str, [u64; 2]>);

impl<'b> Linear<'b> {
    fn of(base: &'b BaseRecord) -> Self {
        let linear = |t: &'b crate::base::BaseTensor| {
            let module = t.name.strip_suffix(".weight")?;
            <[u64; 2]>::try_from(t.shape.as_slice()).ok().map(|shape| (module, shape))
        };
        Self(base.tensors.iter().filter_map(linear).collect())
    }

    fn named(&self, names: &[String]) -> BTreeSet<&'b str> {
        self.0.keys().copied().filter(|module| names.iter().any(|name| is_named(name, module))).collect()
    }
}

/// Whether an entry of `target_modules` stands for this module: equal, or its end after a dot.
fn is_named(name: &str, module: &str) -> bool {
    module == name || module.strip_suffix(name).is_some_and(|above| above.ends_with('.'))
}

/// Compares the pairs with the base and, when it names modules, with the configuration.
pub fn check(facts: &WeightsFacts, targets: Option<&Targets>, base: &BaseRecord) -> Findings {
    let mut findings = Findings::new();
    let linear = Linear::of(base);
    for pair in &facts.pairs {
        fits(pair, &linear, base, &mut findings);
    }
    if let Some(Targets::Names(names)) = targets {
        named(facts, names, &linear, &mut findings);
    }
    findings
}

/// The entries of `target_modules` that stand for exactly the pairs: last components when these suffice,
/// whole module paths otherwise.
pub fn names(facts: &WeightsFacts, base: &BaseRecord) -> Vec<String> {
    let kinds: BTreeSet<&str> = facts.pairs.iter().map(Pair::kind).collect();
    let kinds: Vec<String> = kinds.into_iter().map(str::to_owned).collect();
    let pairs: BTreeSet<&str> = facts.pairs.iter().map(|p| p.module.as_str()).collect();
    if Linear::of(base).named(&kinds) == pairs { kinds } else { pairs.into_iter().map(str::to_owned).collect() }
}

/// For each kind of module, the layers that have a pair.
pub fn table(facts: &WeightsFacts) -> BTreeMap<String, Vec<u64>> {
    let mut table: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for pair in &facts.pairs {
        table.entry(pair.kind().to_owned()).or_default().extend(pair.layer());
    }
    table.into_iter().map(|(kind, layers)| (kind, layers.into_iter().collect())).collect()
}

fn fits(pair: &Pair, linear: &Linear<'_>, base: &BaseRecord, findings: &mut Findings) {
    let place = Place::file(weights::FILE).at_tensor(pair.module.clone());
    let next = "declare with --base the base that the adapter was really trained on";
    let expected = |what: String| format!("{what} of {}", base.pin());
    match linear.0.get(pair.module.as_str()) {
        None => {
            let beyond = pair.layer().filter(|n| *n >= base.architecture.layers);
            let (found, what) = match beyond {
                Some(layer) => (format!("layer {layer}"), format!("one of the {} layers", base.architecture.layers)),
                None => {
                    ("a module without a two-dimensional weight in the base".to_owned(), "a linear module".to_owned())
                }
            };
            findings.push(Finding::new(SHAPE_OR_LAYER_MISMATCH, place, found, expected(what), next));
        }
        Some(&[output, input]) if [output, input] != [pair.output, pair.input] => findings.push(Finding::new(
            SHAPE_OR_LAYER_MISMATCH,
            place,
            format!("a pair for [{}, {}]", pair.output, pair.input),
            expected(format!("the shape [{output}, {input}]")),
            next,
        )),
        Some(_) => {}
    }
}

fn named(facts: &WeightsFacts, names: &[String], linear: &Linear<'_>, findings: &mut Findings) {
    let place = || Place::file(config::FILE).at_field("target_modules");
    let next = "use the adapter_config.json that was saved together with these weights";
    let pairs: BTreeSet<&str> = facts.pairs.iter().map(|p| p.module.as_str()).collect();
    for name in names.iter().filter(|name| !pairs.iter().any(|module| is_named(name, module))) {
        let found = format!("{}, which no tensor belongs to", quote(name));
        findings.push(Finding::new(COVERAGE_MISMATCH, place(), found, "only modules that the tensors have", next));
    }
    let mut differ = |modules: Vec<&str>, found: &str, expected: &str| {
        if let Some(first) = modules.first() {
            let found = format!("{} {found}, the first {}", modules.len(), quote(first));
            findings.push(Finding::new(COVERAGE_MISMATCH, place(), found, expected, next));
        }
    };
    let unnamed = pairs.iter().copied().filter(|m| !names.iter().any(|name| is_named(name, m))).collect();
    differ(unnamed, "modules with tensors that it does not name", "every module that the tensors have");
    // An entry without any tensor is told above; here it is about modules left out of a covered kind.
    let covered: Vec<String> =
        names.iter().filter(|name| pairs.iter().any(|module| is_named(name, module))).cloned().collect();
    let missing = linear.named(&covered).difference(&pairs).copied().collect();
    differ(missing, "modules of the base that it names but that have no tensors", "a pair for every named module");
}
