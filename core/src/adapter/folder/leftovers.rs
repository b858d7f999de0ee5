//! What trainers leave beside an adapter, by name, and why it does not belong into a package.

const TOKENIZER: &str = "a copy of the base's tokenizer; the base's own is used";
const STATE: &str = "state of the trainer";
const RESULTS: &str = "a log or result of the training";
const SETTINGS: &str = "settings of the trainer or of the base";
const TEXT: &str = "text for people; the package has its own";
const RECORD: &str = "part of the evaluation record, which is handed over apart";
const SYSTEM: &str = "written by another tool";

#[rustfmt::skip]
const FILES: &[(&str, &str)] = &[
    ("tokenizer.json", TOKENIZER), ("tokenizer_config.json", TOKENIZER), ("special_tokens_map.json", TOKENIZER),
    ("vocab.json", TOKENIZER), ("vocab.txt", TOKENIZER), ("merges.txt", TOKENIZER), ("tokenizer.model", TOKENIZER),
    ("spiece.model", TOKENIZER), ("sentencepiece.bpe.model", TOKENIZER), ("tokenizer.tiktoken", TOKENIZER),
    ("qwen.tiktoken", TOKENIZER), ("chat_template.jinja", TOKENIZER), ("chat_template.json", TOKENIZER),
    ("preprocessor_config.json", TOKENIZER), ("processor_config.json", TOKENIZER),
    ("training_args.bin", STATE), ("trainer_state.json", STATE), ("optimizer.pt", STATE), ("optimizer.bin", STATE),
    ("scheduler.pt", STATE), ("scheduler.bin", STATE), ("scaler.pt", STATE), ("rng_state.pth", STATE),
    ("latest", STATE), ("training_args.json", STATE), ("training_args.yaml", STATE),
    ("all_results.json", RESULTS), ("train_results.json", RESULTS), ("eval_results.json", RESULTS),
    ("predict_results.json", RESULTS), ("trainer_log.jsonl", RESULTS), ("logging.jsonl", RESULTS),
    ("training_loss.png", RESULTS), ("training_eval_loss.png", RESULTS), ("val_loss.png", RESULTS),
    ("config.json", SETTINGS), ("generation_config.json", SETTINGS), ("args.json", SETTINGS),
    ("additional_config.json", SETTINGS), ("training_config.json", SETTINGS), ("finetuning_args.json", SETTINGS),
    ("readme.md", TEXT), ("license", TEXT), ("license.txt", TEXT), ("license.md", TEXT), ("notice", TEXT),
    ("notice.txt", TEXT), ("notice.md", TEXT),
    ("dataset.jsonl", RECORD), ("regression.jsonl", RECORD), ("outputs.jsonl", RECORD), ("run.json", RECORD),
    ("training.json", RECORD),
    (".gitattributes", SYSTEM), (".gitignore", SYSTEM), (".ds_store", SYSTEM),
];

const FOLDERS: &[(&str, &str)] = &[
    ("runs", RESULTS),
    ("logs", RESULTS),
    ("wandb", RESULTS),
    ("tensorboard", RESULTS),
    ("mlruns", RESULTS),
    ("lightning_logs", RESULTS),
    ("additional_chat_templates", TOKENIZER),
    (".git", SYSTEM),
    (".cache", SYSTEM),
];

/// Why a file at the top of the folder is left out; `None` when no trainer is known to write it.
pub(super) fn file_left_out(lower: &str) -> Option<&'static str> {
    if let Some((_, why)) = FILES.iter().find(|(name, _)| *name == lower) {
        return Some(why);
    }
    let between = |start: &str, end: &str| {
        lower
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    if between("rng_state_", ".pth") || between("random_states_", ".pkl") {
        return Some(STATE);
    }
    if lower.starts_with("events.out.tfevents.") || ends(lower, ".log") {
        return Some(RESULTS);
    }
    (ends(lower, ".yaml") || ends(lower, ".yml")).then_some(SETTINGS)
}

/// Why a folder at the top is left out as a whole.
pub(super) fn folder_left_out(name: &str) -> Option<&'static str> {
    let numbered =
        |start: &str| name.strip_prefix(start).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if numbered("checkpoint-") || numbered("global_step") {
        return Some("a checkpoint of the trainer");
    }
    FOLDERS.iter().find(|(folder, _)| *folder == name).map(|(_, why)| *why)
}

fn ends(name: &str, end: &str) -> bool {
    name.len() > end.len() && name.ends_with(end)
}
