//! What must hold between the fields of a manifest whose fields are each well-formed.

use super::{AdapterSection, DatasetSection, EvidenceSection, FileEntry, Manifest, SuiteCount, licence};
use crate::archive::{self, PIECE, WEIGHTS, header, path};
use crate::problem::{Code, Finding, Findings, LICENCE_UNKNOWN, MANIFEST_FIELD_INVALID, MANIFEST_INCONSISTENT, Place};

struct Rules<'a> {
    findings: &'a mut Findings,
}

/// Adds a finding for each rule that `manifest` breaks.
pub(super) fn check(manifest: &Manifest, findings: &mut Findings) {
    let mut rules = Rules { findings };
    rules.base(manifest);
    rules.adapter(&manifest.adapter);
    rules.files(manifest);
    rules.dataset(&manifest.dataset);
    rules.evidence(&manifest.evidence);
}

impl Rules<'_> {
    fn add(&mut self, code: Code, field: &str, found: impl Into<String>, expected: impl Into<String>) {
        let place = Place::file(archive::MANIFEST).at_field(super::short(field));
        self.findings.push(Finding::new(code, place, found, expected, "make the package with `retoque pack`"));
    }

    fn inconsistent(&mut self, field: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.add(MANIFEST_INCONSISTENT, field, found, expected);
    }

    /// Reports a list that is not in strictly ascending order.
    fn ascending<T: Ord>(&mut self, field: &str, list: impl IntoIterator<Item = T>) {
        let mut before = None;
        for (at, item) in list.into_iter().enumerate() {
            if before.as_ref().is_some_and(|before| *before >= item) {
                self.add(MANIFEST_FIELD_INVALID, &format!("{field}[{at}]"), "out of order", "sorted, each once");
                return;
            }
            before = Some(item);
        }
    }

    fn base(&mut self, manifest: &Manifest) {
        let base = &manifest.base;
        if !licence::is_for_base(&base.licence) {
            let found = super::short(&base.licence);
            self.add(LICENCE_UNKNOWN, "base.licence", found, "an SPDX identifier or a licence name of the Hub");
        }
        self.ascending("base.files", base.files.iter().map(|f| f.path.as_str()));
        if base.files.is_empty() {
            self.add(MANIFEST_FIELD_INVALID, "base.files", "no file", "the pinned files of the base");
        }
        for (at, file) in base.files.iter().enumerate() {
            if let Some((code, expected)) = path::repository_fault(&file.path) {
                self.add(code, &format!("base.files[{at}].path"), format!("{:?}", super::short(&file.path)), expected);
            }
        }
    }

    fn adapter(&mut self, adapter: &AdapterSection) {
        self.ascending("adapter.modules", &adapter.modules);
        self.ascending("adapter.layers", &adapter.layers);
        for (module, layers) in &adapter.coverage {
            self.ascending(&format!("adapter.coverage.{module}"), layers);
        }
        if !(1..=1024).contains(&adapter.rank) {
            self.add(MANIFEST_FIELD_INVALID, "adapter.rank", adapter.rank.to_string(), "1 to 1024");
        }
        if adapter.alpha == "0" {
            self.add(MANIFEST_FIELD_INVALID, "adapter.alpha", "0", "above 0");
        }
        if adapter.dropout != "1" && !adapter.dropout.starts_with("0.") && adapter.dropout != "0" {
            self.add(MANIFEST_FIELD_INVALID, "adapter.dropout", adapter.dropout.clone(), "0 to 1");
        }
        let pairs: usize = adapter.coverage.values().map(Vec::len).sum();
        if pairs == 0 || adapter.tensors != 2 * pairs as u64 {
            let expected = format!("two tensors for each of {pairs} pairs");
            self.inconsistent("adapter.tensors", adapter.tensors.to_string(), expected);
        }
        if !adapter.modules.iter().eq(adapter.coverage.keys()) {
            self.inconsistent("adapter.modules", adapter.modules.join(", "), "the modules of the coverage table");
        }
        let mut layers: Vec<u64> = adapter.coverage.values().flatten().copied().collect();
        layers.sort_unstable();
        layers.dedup();
        if layers != adapter.layers {
            self.inconsistent("adapter.layers", "other layers", "the layers of the coverage table");
        }
    }

    fn files(&mut self, manifest: &Manifest) {
        let expected: Vec<&str> = archive::FILES.into_iter().filter(|f| *f != archive::MANIFEST).collect();
        for (at, file) in manifest.files.iter().enumerate() {
            let field = format!("files[{at}]");
            if let Some((code, rule)) = path::fault(file.path.as_bytes()) {
                self.add(code, &format!("{field}.path"), format!("{:?}", super::short(&file.path)), rule);
            } else if !expected.contains(&file.path.as_str()) {
                self.add(
                    MANIFEST_FIELD_INVALID,
                    &format!("{field}.path"),
                    super::short(&file.path),
                    expected.join(", "),
                );
            }
            if file.size > header::MAX_SIZE {
                self.add(MANIFEST_FIELD_INVALID, &format!("{field}.size"), file.size.to_string(), "less than 8 GiB");
            }
            self.pieces(&field, file);
        }
        self.ascending("files", manifest.files.iter().map(|f| f.path.as_str()));
        for missing in expected.iter().filter(|e| manifest.files.iter().all(|f| f.path != **e)) {
            self.inconsistent("files", format!("no entry for {missing}"), "an entry for each file of the package");
        }
        if let Some(weights) = manifest.files.iter().find(|f| f.path == WEIGHTS)
            && weights.sha256 != manifest.adapter.sha256
        {
            self.inconsistent("adapter.sha256", manifest.adapter.sha256.to_string(), weights.sha256.to_string());
        }
    }

    fn pieces(&mut self, field: &str, file: &FileEntry) {
        let wanted = if file.size > PIECE { Some(file.size.div_ceil(PIECE)) } else { None };
        let there = file.pieces.as_ref().map(|p| p.len() as u64);
        if wanted != there {
            let say = |n: Option<u64>| n.map_or_else(|| "no pieces".to_owned(), |n| format!("{n} pieces"));
            self.inconsistent(&format!("{field}.pieces"), say(there), say(wanted));
        }
    }

    fn dataset(&mut self, dataset: &DatasetSection) {
        if !licence::is_for_dataset(&dataset.licence) {
            let found = super::short(&dataset.licence);
            self.add(LICENCE_UNKNOWN, "dataset.licence", found, "one SPDX identifier or proprietary-owned");
        }
        let parts = [dataset.split.held_out, dataset.split.validation, dataset.split.train];
        let rows: u128 = parts.iter().map(|p| u128::from(p.rows)).sum();
        let families: u128 = parts.iter().map(|p| u128::from(p.families)).sum();
        if rows != u128::from(dataset.rows) {
            self.inconsistent("dataset.rows", dataset.rows.to_string(), format!("{rows}, the sum of the split"));
        }
        if families != u128::from(dataset.families) {
            let expected = format!("{families}, the sum of the split");
            self.inconsistent("dataset.families", dataset.families.to_string(), expected);
        }
    }

    fn evidence(&mut self, evidence: &EvidenceSection) {
        let suites =
            [("held_out", evidence.held_out), ("validation", evidence.validation), ("regression", evidence.regression)];
        for (name, suite) in suites {
            self.suite(name, suite);
        }
        let regression = evidence.regression;
        // Of the cases that base passes some are lost, of those that it fails some are gained.
        let balance = u128::from(regression.base) + u128::from(evidence.repaired)
            == u128::from(regression.patched) + u128::from(evidence.introduced);
        if !balance {
            let found = format!("{} introduced, {} repaired", evidence.introduced, evidence.repaired);
            let expected = format!("base {} to patched {}", regression.base, regression.patched);
            self.inconsistent("evidence.introduced", found, expected);
        }
        if evidence.allowance_points > 100 {
            self.add(
                MANIFEST_FIELD_INVALID,
                "evidence.allowance_points",
                evidence.allowance_points.to_string(),
                "0 to 100",
            );
        }
    }

    fn suite(&mut self, name: &str, suite: SuiteCount) {
        let arms = [
            ("base", suite.base),
            ("control", suite.control),
            ("patched", suite.patched),
            ("disabled", suite.disabled),
        ];
        for (arm, passed) in arms.into_iter().filter(|(_, passed)| *passed > suite.cases) {
            let expected = format!("at most {} cases", suite.cases);
            self.inconsistent(&format!("evidence.{name}.{arm}"), passed.to_string(), expected);
        }
    }
}
