#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::id::BasePin;
use crate::problem::{
    ALPHA_INVALID, BASE_CONFLICT, BASE_MISMATCH, BASE_NOT_STATED, CONFIG_BOM, CONFIG_DUPLICATE_KEY,
    CONFIG_FIELD_INVALID, CONFIG_INVALID_JSON, CONFIG_NOT_PACKAGED, CONFIG_NOT_PEFT, CONFIG_NUL, CONFIG_TOO_DEEP,
    CONFIG_TOO_LARGE, COVERAGE_UNKNOWN, Code, DROPOUT_INVALID, PEFT_TYPE_MISSING, PEFT_TYPE_UNSUPPORTED, RANK_INVALID,
    REVISION_MISMATCH, REVISION_NOT_PINNED, UNSUPPORTED_OPTION,
};

const COMMIT: &str = "7ae557604adf67be50417f59c2c2f167def9a775";

fn declared() -> BasePin {
    format!("Qwen/Qwen2.5-0.5B-Instruct@{COMMIT}").parse().unwrap()
}

/// A plain configuration with `more` put in front (members, each with a comma).
fn with(more: &str) -> String {
    let has = |key: &str| more.contains(&format!("\"{key}\""));
    let mut text = format!("{{{more}");
    for (key, value) in [
        ("peft_type", "\"LORA\""),
        ("r", "4"),
        ("lora_alpha", "8"),
        ("lora_dropout", "0.05"),
        ("target_modules", "[\"q_proj\"]"),
    ] {
        if !has(key) {
            text.extend(["\"", key, "\": ", value, ","]);
        }
    }
    text.push_str("\"inference_mode\": true}");
    text
}

fn codes(text: &str) -> Vec<Code> {
    parse(text.as_bytes()).1.list().iter().map(|f| f.code).collect()
}

#[test]
fn documents() {
    let deep = format!("\"x\": {}{},", "[".repeat(20), "]".repeat(20));
    for (text, code) in [
        (String::new(), CONFIG_INVALID_JSON),
        ("{".to_owned(), CONFIG_INVALID_JSON),
        ("\u{feff}{}".to_owned(), CONFIG_BOM),
        ("{\"a\": \"\0\"}".to_owned(), CONFIG_NUL),
        ("{}\0".to_owned(), CONFIG_INVALID_JSON),
        ("\0{}".to_owned(), CONFIG_NUL),
        (with("\"x\": \"\\u0000\","), CONFIG_NUL),
        (with("\"r\": 4, \"\\u0072\": 8,"), CONFIG_DUPLICATE_KEY),
        (with("\"rank_pattern\": {\"a\": 1, \"\\u0061\": 2},"), CONFIG_DUPLICATE_KEY),
        (with(&deep), CONFIG_TOO_DEEP),
        (with(&format!("\"x\": \"{}\",", "y".repeat(70_000))), CONFIG_TOO_LARGE),
        (with("\"r\": Infinity,"), CONFIG_INVALID_JSON),
        ("{}".to_owned(), CONFIG_NOT_PEFT),
        ("{\"r\": 4}".to_owned(), PEFT_TYPE_MISSING),
        (with("\"peft_type\": null,"), PEFT_TYPE_MISSING),
        (with("\"peft_type\": [\"LORA\"],"), PEFT_TYPE_UNSUPPORTED),
        (with("\"peft_type\": \"LORA \","), PEFT_TYPE_UNSUPPORTED),
        ("version https://git-lfs.github.com/spec/v1\n".to_owned(), CONFIG_INVALID_JSON),
    ] {
        assert_eq!(codes(&text), [code], "{}", text.chars().take(60).collect::<String>());
    }
}

#[test]
fn numbers_and_options() {
    for good in [
        "\"use_dora\": false,",
        "\"modules_to_save\": [],",
        "\"loftq_config\": {},",
        "\"megatron_core\": \"megatron.core\",",
        "\"future\": 0, \"other\": null, \"more\": [], \"last\": 0.0,",
        "\"lora_alpha\": 16.0,",
        "\"lora_dropout\": 1,",
        "\"r\": 1024,",
        "\"bias\": null,",
        "\"init_lora_weights\": \"gaussian\",",
        "\"init_lora_weights\": false,",
        "\"peft_version\": \"0.99.0.dev0@abc\",",
        "\"auto_mapping\": {\"base_model_class\": \"A\", \"parent_library\": \"b.c\", \"unsloth_fixed\": true},",
        "\"target_modules\": \"all-linear\",",
        "\"target_modules\": \"(a+)+$\",",
    ] {
        assert_eq!(codes(&with(good)), [], "{good}");
    }
    for (bad, code) in [
        ("\"r\": 0,", RANK_INVALID),
        ("\"r\": true,", RANK_INVALID),
        ("\"r\": null,", RANK_INVALID),
        ("\"r\": 4.0,", RANK_INVALID),
        ("\"r\": 4e0,", RANK_INVALID),
        ("\"r\": 1025,", RANK_INVALID),
        ("\"r\": 18446744073709551620,", RANK_INVALID),
        ("\"lora_alpha\": 0,", ALPHA_INVALID),
        ("\"lora_alpha\": -8,", ALPHA_INVALID),
        ("\"lora_alpha\": 1e400,", ALPHA_INVALID),
        ("\"lora_alpha\": 1e-400,", ALPHA_INVALID),
        ("\"lora_alpha\": true,", ALPHA_INVALID),
        ("\"lora_alpha\": \"8\",", ALPHA_INVALID),
        ("\"lora_dropout\": -0.1,", DROPOUT_INVALID),
        ("\"lora_dropout\": 1.5,", DROPOUT_INVALID),
        ("\"lora_dropout\": null,", DROPOUT_INVALID),
        ("\"use_rslora\": 1,", CONFIG_FIELD_INVALID),
        ("\"use_dora\": true,", UNSUPPORTED_OPTION),
        ("\"lora_bias\": true,", UNSUPPORTED_OPTION),
        ("\"fan_in_fan_out\": true,", UNSUPPORTED_OPTION),
        ("\"bias\": \"lora_only\",", UNSUPPORTED_OPTION),
        ("\"layers_to_transform\": 0,", UNSUPPORTED_OPTION),
        ("\"layers_to_transform\": [0],", UNSUPPORTED_OPTION),
        ("\"exclude_modules\": \"x\",", UNSUPPORTED_OPTION),
        ("\"trainable_token_indices\": [1],", UNSUPPORTED_OPTION),
        ("\"target_parameters\": [\"x\"],", UNSUPPORTED_OPTION),
        ("\"layer_replication\": [[0, 1]],", UNSUPPORTED_OPTION),
        ("\"alora_invocation_tokens\": [5],", UNSUPPORTED_OPTION),
        ("\"loftq_config\": {\"loftq_bits\": 4},", UNSUPPORTED_OPTION),
        ("\"init_lora_weights\": \"pissa\",", UNSUPPORTED_OPTION),
        ("\"init_lora_weights\": \"pissa_niter_4\",", UNSUPPORTED_OPTION),
        ("\"init_lora_weights\": \"loftq\",", UNSUPPORTED_OPTION),
        ("\"init_lora_weights\": \"olora\",", UNSUPPORTED_OPTION),
        ("\"megatron_config\": {\"a\": 1},", UNSUPPORTED_OPTION),
        ("\"megatron_core\": \"evil.core\",", UNSUPPORTED_OPTION),
        ("\"task_type\": \"SEQ_CLS\",", UNSUPPORTED_OPTION),
        ("\"auto_mapping\": {\"parent_library\": \"transformers_modules.x\"},", UNSUPPORTED_OPTION),
        ("\"auto_mapping\": {\"parent_library\": \"/home/sam/x\"},", UNSUPPORTED_OPTION),
        ("\"auto_mapping\": {\"base_model_class\": \"AKIAIOSFODNN7EXAMPLF\"},", UNSUPPORTED_OPTION),
        ("\"enable_lora\": [true],", UNSUPPORTED_OPTION),
        ("\"future\": \"\",", UNSUPPORTED_OPTION),
        ("\"inference_mode2\": 1,", UNSUPPORTED_OPTION),
        ("\"qalora_group_size\": \"x\",", CONFIG_FIELD_INVALID),
        ("\"peft_version\": \"/home/sam\",", CONFIG_FIELD_INVALID),
        ("\"target_modules\": null,", COVERAGE_UNKNOWN),
        ("\"target_modules\": \"\",", COVERAGE_UNKNOWN),
        ("\"target_modules\": {\"a\": 1},", CONFIG_FIELD_INVALID),
        ("\"target_modules\": [1],", CONFIG_FIELD_INVALID),
        ("\"target_modules\": [\"/home/sam\"],", CONFIG_FIELD_INVALID),
    ] {
        assert_eq!(codes(&with(bad)), [code], "{bad}");
        assert!(!parse(with(bad).as_bytes()).1.list()[0].found.contains("sam"), "{bad}");
    }
    let three = codes(&with("\"r\": 0, \"use_dora\": true, \"lora_alpha\": 0,"));
    assert_eq!(three, [UNSUPPORTED_OPTION, RANK_INVALID, ALPHA_INVALID], "all faults together");
}

#[test]
fn base_statements() {
    let codes = |more: &str| {
        let (draft, findings) = parse(with(more).as_bytes());
        assert!(!findings.refused(), "{more}");
        let (_, findings) = pin(&draft.unwrap(), &declared(), None);
        let text = format!("{findings:?}");
        assert!(!text.contains("sam") && !text.contains("/home"), "{more}: {text}");
        findings.list().iter().map(|f| f.code).filter(|c| c.name() != "revision_not_stated").collect::<Vec<_>>()
    };
    let base = |text: &str| codes(&format!("\"base_model_name_or_path\": \"{text}\","));
    for agrees in ["Qwen/Qwen2.5-0.5B-Instruct", "Qwen2.5-0.5B-Instruct"] {
        assert_eq!(base(agrees), []);
    }
    for open in ["", "/home/sam/x", "~/x", "C:\\\\Users\\\\sam", "./x", "a/b/c", "models/x/", "file:///home/sam/x"] {
        assert_eq!(base(open), [BASE_NOT_STATED], "{open}");
    }
    assert_eq!(base("qwen2.5-0.5b-instruct"), [BASE_CONFLICT]);
    assert_eq!(base("None"), [BASE_CONFLICT]);
    for other in
        ["qwen/Qwen2.5-0.5B-Instruct", "unsloth/Qwen2.5-0.5B", "https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct"]
    {
        assert_eq!(base(other), [BASE_MISMATCH], "{other}");
    }
    assert_eq!(codes("\"base_model_name_or_path\": 5,"), [CONFIG_FIELD_INVALID]);
    let revision = |text: &str| codes(&format!("\"base_model_name_or_path\": null, \"revision\": \"{text}\","));
    assert_eq!(revision(COMMIT), [BASE_NOT_STATED]);
    assert_eq!(revision(""), [BASE_NOT_STATED]);
    assert_eq!(revision(&"a".repeat(40)), [BASE_NOT_STATED, REVISION_MISMATCH]);
    for word in ["main", "7ae5576", "refs/pr/1", "v1.0", &COMMIT.to_uppercase()] {
        assert_eq!(revision(word), [BASE_NOT_STATED, REVISION_NOT_PINNED], "{word}");
    }
}

#[test]
fn the_packaged_form_is_one() {
    let (draft, _) = parse(with("\"lora_alpha\": 8.50, \"auto_mapping\": null,").as_bytes());
    let (pinned, _) = pin(&draft.unwrap(), &declared(), None);
    let (again, findings) = check_packaged(&pinned.bytes, &declared());
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(again.unwrap().alpha.as_deref(), Some("8.5"));
    let text = String::from_utf8(pinned.bytes).unwrap();
    assert!(text.contains("\"lora_alpha\": 8.50") && text.ends_with("}\n"));
    let first = |text: &str| check_packaged(text.as_bytes(), &declared()).1.list()[0].code;
    assert_eq!(first(&text.replace("  ", " ")), CONFIG_NOT_PACKAGED);
    assert_eq!(first(text.trim_end()), CONFIG_NOT_PACKAGED);
    assert_eq!(first(&text.replace(COMMIT, "")), CONFIG_NOT_PACKAGED);
    assert_eq!(first(&text.replace("Qwen/", "")), CONFIG_NOT_PACKAGED);
    assert_eq!(first(&text.replace("Qwen/Qwen2.5-0.5B-Instruct", "/home/sam")), CONFIG_NOT_PACKAGED);
    assert_eq!(first(&text.replace(COMMIT, &"b".repeat(40))), REVISION_MISMATCH);
    let (draft, _) = parse(with("\"target_modules\": \".*\",").as_bytes());
    let (pinned, _) = pin(&draft.clone().unwrap(), &declared(), None);
    assert!(check_packaged(&pinned.bytes, &declared()).1.has(CONFIG_NOT_PACKAGED));
    let names = ["q_proj".to_owned()];
    let (pinned, _) = pin(&draft.unwrap(), &declared(), Some(&names));
    assert!(check_packaged(&pinned.bytes, &declared()).1.is_empty());
}
