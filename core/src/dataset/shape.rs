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

    const fn next(self) -> &'static str {
        match self {
            Self::Messages => "convert them: `retoque dataset import messages FILE --family COLUMN`",
            Self::ShareGpt => "convert them: `retoque dataset import sharegpt FILE --family COLUMN`",
            Self::Alpaca => "convert them: `retoque dataset import alpaca FILE --family COLUMN`",
            Self::PromptCompletion => "convert them: `retoque dataset import prompt-completion FILE --family COLUMN`",
            Self::QuestionAnswer => {
                "convert them: `jq -c '{user: .question, assistant: .answer, family: .FAMILY}' FILE > dataset.jsonl`"
            }
            Self::Preference => {
                "convert them: `jq -c '{user: .prompt, assistant: .chosen, family: .FAMILY}' FILE > dataset.jsonl`"
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
