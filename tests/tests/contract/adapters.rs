//! `cases/adapters`: folders as a trainer leaves them, and the verdict on each.
//!
//! Every folder is checked as `pack --base <PIN>` against the base in `cases/base`, under the policy "any
//! plain LoRA". Where a verdict leaves a choice, either is right.

use std::fs;
use std::path::{Path, PathBuf};

use retoque_core::adapter::folder::{Entry, Kind, classify};
use retoque_core::adapter::{Examined, Input, Policy, examine, examine_packaged};
use retoque_core::base::{BaseRecord, Builder, measure};
use retoque_core::problem::{Finding, Findings, Severity};

const PIN: &str = "Qwen/Qwen2.5-0.5B-Instruct@7ae557604adf67be50417f59c2c2f167def9a775";

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

pub(crate) fn base_record(folder: &Path, pin: &str) -> BaseRecord {
    let mut builder = Builder::new(pin.parse().unwrap(), "Apache-2.0".to_owned());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let file = fs::File::open(&path).unwrap();
        let size = file.metadata().unwrap().len();
        builder.add(measure(&name, size, file, |_| {}).unwrap());
    }
    builder.finish().unwrap()
}

fn list(root: &Path, folder: &Path, entries: &mut Vec<Entry>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap();
        let (kind, size) = match kind.file_type() {
            t if t.is_symlink() => (Kind::Link, 0),
            t if t.is_dir() => (Kind::Dir, 0),
            t if t.is_file() => (Kind::File, kind.len()),
            _ => (Kind::Other, 0),
        };
        let first_bytes =
            if kind == Kind::File { fs::read(&path).unwrap().into_iter().take(4096).collect() } else { Vec::new() };
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        entries.push(Entry { path: name, kind, size, first_bytes });
        if kind == Kind::Dir {
            list(root, &path, entries);
        }
    }
}

/// What the packer does with a folder: sort it, examine what it planned to take, report everything together.
fn pack(folder: &Path, base: &BaseRecord, policy: Policy) -> Result<(Examined, Findings), Findings> {
    let mut entries = Vec::new();
    list(folder, folder, &mut entries);
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let (plan, mut findings) = classify(&entries, Some(base));
    let Some(plan) = plan else { return Err(findings) };
    let weights = fs::File::open(folder.join(&plan.weights)).unwrap();
    let config = fs::read(folder.join(&plan.config)).unwrap();
    let input = Input { config: &config, weights, size: plan.weights_size, base, policy };
    match examine(input) {
        Ok((examined, warnings)) => {
            findings.extend(warnings);
            if findings.refused() { Err(findings) } else { Ok((examined, findings)) }
        }
        Err(more) => {
            findings.extend(more);
            Err(findings)
        }
    }
}

fn errors(findings: &Findings) -> Vec<&Finding> {
    findings.list().iter().filter(|f| f.severity == Severity::Error).collect()
}

fn complain(case: &str, verdict: &str, code: &str, result: &Result<(Examined, Findings), Findings>) -> Option<String> {
    let refused = match result {
        Ok(_) => None,
        Err(findings) => Some(errors(findings)),
    };
    let show = |list: &[&Finding]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    match (verdict, &refused) {
        ("accept", Some(list)) => Some(format!("{case}: should be accepted, refused with {}", show(list))),
        ("refuse", None) => Some(format!("{case}: should be refused as {code}, accepted")),
        ("refuse", Some(list)) if !list.iter().any(|f| f.code.name() == code) => {
            Some(format!("{case}: should be refused as {code}, refused with {}", show(list)))
        }
        ("accept" | "refuse" | "accept-or-refuse" | "refuse-or-warn" | "accept-or-warn" | "policy", _) => None,
        (other, _) => Some(format!("{case}: unknown verdict {other:?}")),
    }
}

#[test]
fn every_folder_gets_its_verdict() {
    let base = base_record(&cases().join("base"), PIN);
    let table = fs::read_to_string(cases().join("adapters/expected.tsv")).unwrap();
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in table.lines().skip(1).filter(|l| !l.is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (case, verdict, code) = (columns[0], columns[1], columns[2]);
        let folder = cases().join("adapters").join(case);
        assert!(folder.is_dir(), "{case} has no folder");
        let result = pack(&folder, &base, Policy::AnyPlainLora);
        wrong.extend(complain(case, verdict, code, &result));
        if let Err(findings) = &result {
            for finding in errors(findings) {
                assert!(
                    !finding.found.is_empty() && !finding.expected.is_empty() && !finding.next.is_empty(),
                    "{case}"
                );
            }
        }
        if let Ok((examined, _)) = &result {
            wrong.extend(packaged(case, examined, &folder, &base));
        }
        rows += 1;
    }
    assert!(rows > 0, "the table has no rows");
    assert!(wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What was packed passes the stricter reading of a package, is the same again, and names nobody.
fn packaged(case: &str, examined: &Examined, folder: &Path, base: &BaseRecord) -> Option<String> {
    let path = folder.join("adapter_model.safetensors");
    let weights = fs::File::open(&path).unwrap();
    let size = weights.metadata().unwrap().len();
    let input = Input { config: &examined.packaged, weights, size, base, policy: Policy::AnyPlainLora };
    match examine_packaged(input) {
        Err(findings) => Some(format!("{case}: the package is refused: {:?}", errors(&findings))),
        Ok((again, _)) if again.section != examined.section => Some(format!("{case}: another section when packaged")),
        Ok((again, _)) if again.packaged != examined.packaged => Some(format!("{case}: other bytes when packaged")),
        Ok(_) => {
            let text = String::from_utf8(examined.packaged.clone()).unwrap();
            let stated = text.contains(&base.repo.to_string()) && text.contains(&base.commit.to_string());
            let private = ["/root", "/home", "Users", "sam", ".."].iter().any(|p| text.contains(p));
            (!stated || private).then(|| format!("{case}: the packaged configuration is {text}"))
        }
    }
}

#[test]
fn order_does_not_change_the_meaning() {
    let base = base_record(&cases().join("base"), PIN);
    let folder = |name: &str| pack(&cases().join("adapters").join(name), &base, Policy::AnyPlainLora).unwrap().0;
    let (one, other) = (folder("000-valid"), folder("001-valid-order"));
    assert_eq!(one.section.semantic, other.section.semantic);
    assert_ne!(one.packaged, other.packaged);
}

/// The sample adapter and its variants, trained by PEFT itself, against the base they were trained on.
#[test]
fn adapters_of_a_real_trainer() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample");
    let base = base_record(&sample.join("base"), &format!("acme/tiny-desk@{}", "7".repeat(40)));
    let codes = |folder: &str, policy| match pack(&sample.join(folder), &base, policy) {
        Ok(_) => Vec::new(),
        Err(findings) => {
            let mut codes: Vec<_> = errors(&findings).iter().map(|f| f.code.name()).collect();
            codes.dedup();
            codes
        }
    };
    let (fixed, any) = (Policy::FixedProfile, Policy::AnyPlainLora);
    let none: [&str; 0] = [];
    assert_eq!(codes("adapter", fixed), none);
    assert_eq!(codes("variants/bf16", any), none);
    assert_eq!(codes("variants/bf16", fixed), ["profile_mismatch"]);
    assert_eq!(codes("variants/rslora", any), none);
    assert_eq!(codes("variants/rslora", fixed), ["profile_mismatch"]);
    assert_eq!(codes("variants/dora", any), ["unsupported_option", "tensor_unsupported"]);
    assert_eq!(
        codes("variants/modules_to_save", any),
        ["unsupported_option", "base_weights_inside", "undeclared_tensor"]
    );
    assert_eq!(codes("variants/rank_pattern", any), ["unsupported_option", "rank_mismatch"]);
    let (examined, findings) = pack(&sample.join("adapter"), &base, fixed).unwrap();
    let section = &examined.section;
    assert_eq!((section.rank, section.alpha.as_str(), section.scale.value.as_str()), (16, "32", "2"));
    assert_eq!((section.modules.len(), section.layers.as_slice(), section.tensors), (7, &[0, 1, 2][..], 42));
    let warnings: Vec<_> = findings.list().iter().map(|f| f.code.name()).collect();
    assert_eq!(warnings, ["left_out", "base_not_stated", "revision_not_stated"]);
    assert!(!format!("{findings:?}").contains("/home"));
}
