//! The one form in which a configuration is written: keys sorted, two spaces, numbers as they were.

use crate::json::Value;

/// The text of `value` with a line end.
pub(super) fn to_bytes(value: &Value) -> Vec<u8> {
    let mut out = String::new();
    put(value, 0, &mut out);
    out.push('\n');
    out.into_bytes()
}

fn put(value: &Value, level: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) => out.push_str(n.text()),
        Value::String(text) => put_text(text, out),
        Value::Array(items) => list(items.iter(), ['[', ']'], level, out, put),
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            list(sorted.into_iter(), ['{', '}'], level, out, |(key, value), level, out| {
                put_text(key, out);
                out.push_str(": ");
                put(value, level, out);
            });
        }
    }
}

fn list<T>(
    items: impl ExactSizeIterator<Item = T>,
    [open, close]: [char; 2],
    level: usize,
    out: &mut String,
    mut item: impl FnMut(T, usize, &mut String),
) {
    out.push(open);
    let empty = items.len() == 0;
    for (at, value) in items.enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(level + 1));
        item(value, level + 1, out);
    }
    if !empty {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    }
    out.push(close);
}

fn put_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                for unit in format!("\\u{:04x}", u32::from(c)).chars() {
                    out.push(unit);
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
