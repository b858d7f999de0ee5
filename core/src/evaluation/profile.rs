//! The studio's fixed training profile, as a policy: every recorded setting that differs is named.
//!
//! Clause: specification, section 3. An operator may allow any plain LoRA instead.

use crate::manifest::{AdapterSection, TrainingSection};
use crate::problem::{Finding, Findings, Place, TRAINING_PROFILE};

/// The modules that the profile adapts, sorted.
pub const MODULES: [&str; 7] = ["down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj"];

/// Setting names, the first one preferred, and the value of the profile.
const SETTINGS: [(&[&str], &str); 14] = [
    (&["method", "peft_type"], "lora"),
    (&["r", "rank", "lora_r"], "16"),
    (&["lora_alpha", "alpha"], "32"),
    (&["lora_dropout", "dropout"], "0.05"),
    (&["loss"], "assistant tokens only"),
    (&["learning_rate", "lr"], "0.0002"),
    (&["schedule", "lr_scheduler_type"], "cosine"),
    (&["warmup_ratio"], "0.05"),
    (&["epochs", "num_train_epochs"], "2"),
    (&["batch_size", "per_device_train_batch_size"], "1"),
    (&["gradient_accumulation_steps"], "8"),
    (&["max_sequence_length", "max_seq_length", "max_length"], "448"),
    (&["base_dtype"], "float16"),
    (&["adapter_dtype"], "float32"),
];

/// Checks recorded training and the adapter itself against the profile.
pub fn check(training: &TrainingSection, adapter: &AdapterSection) -> Findings {
    let mut findings = Findings::new();
    for (names, expected) in SETTINGS {
        let stated = names.iter().find_map(|name| training.settings.get(*name));
        if stated.map(|text| plain(text)).as_deref() != Some(expected) {
            push(&mut findings, format!("training.settings.{}", names[0]), stated.map(String::as_str), expected);
        }
    }
    let frozen = training.settings.get("base_frozen");
    if frozen.is_some_and(|text| text != "true") {
        push(&mut findings, "training.settings.base_frozen".into(), frozen.map(String::as_str), "true");
    }
    let modules = MODULES.join(",");
    if let Some(stated) = training.settings.get("target_modules") {
        let mut list: Vec<&str> = stated.split(',').map(str::trim).collect();
        list.sort_unstable();
        if list != MODULES {
            push(&mut findings, "training.settings.target_modules".into(), Some(stated), &modules);
        }
    }
    for (field, found, expected) in [
        ("adapter.rank", adapter.rank.to_string(), "16"),
        ("adapter.alpha", adapter.alpha.clone(), "32"),
        ("adapter.dropout", adapter.dropout.clone(), "0.05"),
        ("adapter.scale.rule", adapter.scale.rule.clone(), "alpha/r"),
        ("adapter.modules", adapter.modules.join(","), &modules),
        ("adapter.dtype", adapter.dtype.clone(), "F32"),
    ] {
        if found != expected {
            push(&mut findings, field.to_owned(), Some(&found), expected);
        }
    }
    findings
}

/// A setting as compared: without letter case, blanks for dashes and underscores.
fn plain(text: &str) -> String {
    let text = text.trim().to_lowercase().replace(['_', '-'], " ");
    match text.as_str() {
        "assistant tokens" | "assistant only" => "assistant tokens only".to_owned(),
        "fp16" | "torch.float16" => "float16".to_owned(),
        "fp32" | "torch.float32" => "float32".to_owned(),
        _ => text,
    }
}

fn push(findings: &mut Findings, field: String, found: Option<&str>, expected: &str) {
    let found: String = found.map_or_else(|| "nothing recorded".to_owned(), |text| text.chars().take(120).collect());
    let next = "train with the profile, or ask the operator to allow any plain LoRA";
    findings.push(Finding::new(TRAINING_PROFILE, Place::file("manifest.json").at_field(field), found, expected, next));
}
