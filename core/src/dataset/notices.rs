//! What is worth a warning in a dataset that is taken: one finding per kind, with a count and the first lines.

use std::collections::{BTreeMap, HashMap};

use super::blank::folded;
use super::row::Row;
use crate::digest::Digest;
use crate::problem::{
    BIDI_CONTROLS, CODE_FENCES, CONFLICTING_ANSWERS, CONTROL_ESCAPES, CONTROL_TOKENS, Code, FAMILY_OF_ONE,
    FAMILY_TWINS, Finding, Findings, NEAR_REPEATS, Place, TAG_CHARACTERS,
};

/// Marks of chat templates; in a row they would end or open a turn.
const CONTROL_MARKS: [&str; 12] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|begin_of_text|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[INST]",
    "[/INST]",
    "<|assistant|>",
];

/// Lines on which one thing was seen: how many, and the first few.
#[derive(Debug, Default)]
struct Seen {
    rows: u64,
    first: Vec<u64>,
}

impl Seen {
    fn on(&mut self, line: u64) {
        self.rows += 1;
        if self.first.len() < 3 {
            self.first.push(line);
        }
    }
}

/// Collects what is worth a warning, row by row.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    users: HashMap<Digest, Digest>,
    near: HashMap<Digest, Digest>,
    conflicting: Seen,
    repeats: Seen,
    bidi: Seen,
    tags: Seen,
    marks: Seen,
    fences: Seen,
    controls: Seen,
}

impl Notices {
    pub(crate) fn row(&mut self, row: &Row) {
        let answer = Digest::of(row.assistant.as_bytes());
        let user = Digest::of(row.user.as_bytes());
        if *self.users.entry(user).or_insert(answer) != answer {
            self.conflicting.on(row.line);
        }
        let exact = Digest::of(format!("{user}{answer}").as_bytes());
        let loose = format!("{}\0{}", folded(&row.user), folded(&row.assistant));
        if *self.near.entry(Digest::of(loose.as_bytes())).or_insert(exact) != exact {
            self.repeats.on(row.line);
        }
        let any = |test: fn(char) -> bool| row.fields().any(|(_, text)| text.chars().any(test));
        if any(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}'))
        {
            self.bidi.on(row.line);
        }
        if any(|c| matches!(c, '\u{e0000}'..='\u{e007f}')) {
            self.tags.on(row.line);
        }
        if any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            self.controls.on(row.line);
        }
        if row.fields().any(|(_, text)| CONTROL_MARKS.iter().any(|mark| text.contains(mark))) {
            self.marks.on(row.line);
        }
        if row.assistant.trim_start().starts_with("```") {
            self.fences.on(row.line);
        }
    }

    pub(crate) fn into_findings(self, families: &BTreeMap<String, u64>) -> Findings {
        let mut findings = Findings::new();
        let mut told = |code: Code, seen: &Seen, expected: &str, next: &str| {
            let Some(first) = seen.first.first() else { return };
            let lines: Vec<String> = seen.first.iter().map(u64::to_string).collect();
            let found = format!("{} rows, such as lines {}", seen.rows, lines.join(", "));
            findings.push(Finding::new(code, Place::default().at_line(*first), found, expected, next));
        };
        let (once, check) = ("one answer for each user text", "check which of the answers is meant");
        told(CONFLICTING_ANSWERS, &self.conflicting, once, check);
        told(NEAR_REPEATS, &self.repeats, "rows that differ in substance", "remove the nearly equal rows");
        told(BIDI_CONTROLS, &self.bidi, "texts without marks of direction", "check that the marks are meant");
        told(TAG_CHARACTERS, &self.tags, "visible text", "remove the invisible characters");
        told(CONTROL_TOKENS, &self.marks, "text without marks of chat templates", "check that the marks are meant");
        let plain = "answers without code fences, or outputs that carry the same fence";
        told(CODE_FENCES, &self.fences, plain, "remove the fences if the answer is meant to be graded as JSON");
        told(CONTROL_ESCAPES, &self.controls, "printable text", "remove the control characters");
        family_notices(families, &mut findings);
        findings
    }
}

fn family_notices(families: &BTreeMap<String, u64>, findings: &mut Findings) {
    let mut twins: HashMap<String, &str> = HashMap::new();
    for (family, rows) in families {
        if let Some(other) = twins.insert(folded(family), family) {
            let found = format!("{} and {}", short(other), short(family));
            let next = "write the name in one way; families are compared byte for byte";
            findings.push(Finding::new(FAMILY_TWINS, Place::field("family"), found, "names that differ clearly", next));
        }
        if *rows == 1 {
            let found = format!("one row in {}", short(family));
            let next = "add rows of the same kind, or join it with another family";
            findings.push(Finding::new(FAMILY_OF_ONE, Place::field("family"), found, "several rows", next));
        }
    }
}

fn short(name: &str) -> String {
    let cut: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    format!("\"{cut}\"")
}
