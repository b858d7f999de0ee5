//! Rows of other formats: recognised by their fields, told once, with the command that converts them.

use crate::json::Value;
use crate::problem::{DATASET_WRONG_SHAPE, Finding, Place};

/// A format that people keep training rows in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Messages,
    ShareGpt,
    Alpaca,
    PromptCompletion,
    QuestionAnswer,
    Preference,
    Text,
}

/// The format whose fields these are, when they are not those of a dataset row.
pub(crate) fn recognise(members: &[(String, Value)]) -> Option<Shape> {
    let has = |name: &str| members.iter().any(|(key, _)| key == name);
    if has("user") || has("assistant") {
        return None;
    }
    let known = [
        (Shape::Messages, has("messages")),
        (Shape::ShareGpt, has("conversations") || has("conversation") || has("trajectory")),
        (Shape::Preference, has("chosen") && has("rejected")),
        (Shape::Alpaca, has("instruction") && (has("output") || has("response"))),
        (Shape::PromptCompletion, has("prompt") && (has("completion") || has("response"))),
        (Shape::PromptCompletion, has("input") && has("output")),
        (Shape::QuestionAnswer, has("question") && (has("answer") || has("answers"))),
        (Shape::Text, has("text")),
    ];
    known.into_iter().find(|(_, fits)| *fits).map(|(shape, _)| shape)
}

impl Shape {
    const fn name(self) -> &'static str {
        match self {
            Self::Messages => "chat messages (`messages`)",
            Self::ShareGpt => "ShareGPT conversations (`conversations`)",
            Self::Alpaca => "Alpaca rows (`instruction`, `input`, `output`)",
            Self::PromptCompletion => "prompt and completion rows",
            Self::QuestionAnswer => "question and answer rows",
            Self::Preference => "preference pairs (`chosen`, `rejected`)",
            Self::Text => "plain `text` rows",
        }
    }

    /// The command that converts such a file; `KIND` is the column that says which family a row belongs to.
    const fn next(self) -> &'static str {
        match self {
            Self::Messages => {
                "convert the last turn of each: `jq -c '{user: .messages[-2].content, assistant: \
                 .messages[-1].content, family: .KIND}' FILE > dataset.jsonl`"
            }
            Self::ShareGpt => {
                "convert the last turn of each: `jq -c '{user: .conversations[-2].value, assistant: \
                 .conversations[-1].value, family: .KIND}' FILE > dataset.jsonl`"
            }
            Self::Alpaca => {
                "convert them: `jq -c '{user: ([.instruction, .input] | map(select(. != null and . != \"\")) | \
                 join(\"\\n\")), assistant: .output, family: .KIND}' FILE > dataset.jsonl`"
            }
            Self::PromptCompletion => {
                "convert them: `jq -c '{user: (.prompt // .input), assistant: (.completion // .response // .output), \
                 family: .KIND}' FILE > dataset.jsonl`"
            }
            Self::QuestionAnswer => {
                "convert them: `jq -c '{user: .question, assistant: .answer, family: .KIND}' FILE > dataset.jsonl`"
            }
            Self::Preference => {
                "convert them: `jq -c '{user: .prompt, assistant: .chosen, family: .KIND}' FILE > dataset.jsonl`"
            }
            Self::Text => "split each text into `user` and `assistant`, and name its `family`",
        }
    }

    /// The one finding for all rows of this format.
    pub(crate) fn finding(self, first_line: u64, rows: u64) -> Finding {
        Finding::new(
            DATASET_WRONG_SHAPE,
            Place::default().at_line(first_line),
            format!("{} in {rows} rows, the first of them here", self.name()),
            "rows with user, assistant, family and perhaps system",
            self.next(),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn formats_are_known_by_their_fields() {
        for (row, word) in [
            (r#"{"messages":[]}"#, "chat messages"),
            (r#"{"conversations":[],"id":1}"#, "ShareGPT"),
            (r#"{"instruction":"a","input":"","output":"b"}"#, "Alpaca"),
            (r#"{"prompt":"a","completion":"b"}"#, "prompt and completion"),
            (r#"{"prompt":"a","chosen":"b","rejected":"c"}"#, "preference"),
            (r#"{"question":"a","answer":"b"}"#, "question"),
            (r#"{"text":"a"}"#, "text"),
        ] {
            let value = parse(row.as_bytes(), Limits::TEXT).unwrap();
            let finding = recognise(value.as_object().unwrap()).unwrap().finding(1, 1);
            assert!(finding.found.contains(word), "{finding}");
            assert!(word == "text" || finding.next.contains("jq -c '"), "{}", finding.next);
        }
        let own = parse(br#"{"user":"a","text":"b"}"#, Limits::TEXT).unwrap();
        assert_eq!(recognise(own.as_object().unwrap()), None);
    }
}
