#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::problem::{
    ADDED_TOKENS, Code, UNEXPECTED_PICKLE, WEIGHTS_AMBIGUOUS, WEIGHTS_PICKLE, WEIGHTS_SHARDED, catalogue,
};

fn listing(paths: &[&str]) -> Vec<Entry> {
    paths
        .iter()
        .map(|path| {
            let (path, kind) = match path.strip_prefix("->") {
                Some(path) => (path, Kind::Link),
                None => (path.trim_end_matches('/'), if path.ends_with('/') { Kind::Dir } else { Kind::File }),
            };
            Entry { path: path.to_owned(), kind, size: 3, first_bytes: b"[1]".to_vec() }
        })
        .collect()
}

fn beside(paths: &[&str]) -> (Option<Plan>, Vec<Code>) {
    let mut all = listing(&[config::FILE, weights::FILE]);
    all.extend(listing(paths));
    let (plan, findings) = classify(&all, None);
    let errors = findings.list().iter().filter(|f| f.code != LEFT_OUT).map(|f| f.code).collect();
    (plan, errors)
}

#[test]
fn leftovers_are_named_and_nothing_else() {
    let (plan, errors) = beside(&[
        "README.md",
        "tokenizer.json",
        "training_args.bin",
        "optimizer.pt",
        "rng_state_0.pth",
        "config.json",
        "checkpoint-12/",
        "checkpoint-12/adapter_model.safetensors",
        "checkpoint-12/zero_to_fp32.py",
        "->wandb/latest-run",
        "runs/x/events.out.tfevents.1",
        "empty/",
    ]);
    assert_eq!(errors, []);
    let named: Vec<_> = plan.unwrap().left_out.into_iter().map(|(path, _)| path).collect();
    assert_eq!(
        named,
        [
            "README.md",
            "tokenizer.json",
            "training_args.bin",
            "optimizer.pt",
            "rng_state_0.pth",
            "config.json",
            "checkpoint-12/",
            "wandb/",
            "runs/",
            "empty/"
        ]
    );
}

#[test]
fn what_is_ambiguous_or_dangerous_is_refused() {
    for (path, code) in [
        ("adapter_model.bin", WEIGHTS_AMBIGUOUS),
        ("adapter_model.pt", WEIGHTS_AMBIGUOUS),
        ("Adapter_Model.safetensors", ADAPTER_AMBIGUOUS),
        ("adapter_model.safetensors.index.json", WEIGHTS_SHARDED),
        ("adapter_model-00001-of-00002.safetensors", WEIGHTS_SHARDED),
        ("adapters.safetensors", WEIGHTS_AMBIGUOUS),
        ("0000100_adapters.safetensors", WEIGHTS_AMBIGUOUS),
        ("lora.gguf", WEIGHTS_AMBIGUOUS),
        ("model.onnx", ADAPTER_AMBIGUOUS),
        ("model.safetensors", ADAPTER_AMBIGUOUS),
        ("pytorch_model-00001-of-00002.bin", ADAPTER_AMBIGUOUS),
        ("merged/model.safetensors", ADAPTER_AMBIGUOUS),
        ("default/adapter_config.json", ADAPTER_AMBIGUOUS),
        ("checkpoint-x/adapter_model.safetensors", ADAPTER_AMBIGUOUS),
        ("weights.pkl", UNEXPECTED_PICKLE),
        ("rng_state_x.pth", UNEXPECTED_PICKLE),
        ("modeling_x.py", UNEXPECTED_FILE),
        ("notes.txt", UNEXPECTED_FILE),
        ("sub/README.md", UNEXPECTED_FILE),
        ("added_tokens.json", ADDED_TOKENS),
        ("->README.md", ADAPTER_LINK),
        ("../x", ADAPTER_PATH),
        ("a//b", ADAPTER_PATH),
        ("/etc/passwd", ADAPTER_PATH),
    ] {
        assert_eq!(beside(&[path]).1, [code], "{path}");
    }
    assert!(catalogue().any(|code| code == ADAPTER_LINK));
}

#[test]
fn missing_files_and_what_is_there_instead() {
    let codes = |paths: &[&str]| {
        let (plan, findings) = classify(&listing(paths), None);
        assert_eq!(plan, None);
        findings.list().iter().map(|f| f.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]), [CONFIG_MISSING, WEIGHTS_MISSING]);
    assert_eq!(codes(&[config::FILE, "adapter_model.bin"]), [WEIGHTS_PICKLE]);
    assert_eq!(codes(&[config::FILE, "adapters.safetensors"]), [WEIGHTS_MISSING]);
    assert_eq!(
        codes(&["run1/adapter_config.json", "run1/adapter_model.safetensors"]),
        [CONFIG_MISSING, WEIGHTS_MISSING]
    );
    assert_eq!(codes(&["adapter_config.json/", "adapter_model.safetensors"]), [ADAPTER_LINK]);
    let (_, findings) = classify(&listing(&["run1/adapter_config.json"]), None);
    assert!(findings.list()[0].found.contains("run1"));
}

#[test]
fn tokens_that_add_nothing_are_left_out() {
    let mut all = listing(&[config::FILE, weights::FILE, "added_tokens.json"]);
    all[2].first_bytes = b"{}\n".to_vec();
    let (plan, findings) = classify(&all, None);
    assert!(!findings.refused());
    assert_eq!(plan.unwrap().left_out[0].0, "added_tokens.json");
}
