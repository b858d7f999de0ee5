//! Whole-file diagnosis: what a file is when it is not JSON Lines, told once, before any row is looked at.

use crate::json::{self, JsonErrorKind, Limits};
use crate::problem::{
    Code, DATASET_EMPTY, DATASET_LFS_POINTER, DATASET_NOT_JSON_LINES, DATASET_NOT_UTF8, Finding, Place,
    ROW_INVALID_JSON,
};

/// How much of the beginning is looked at.
pub(crate) const HEAD: usize = 64 * 1024;

/// UTF-8's byte-order mark.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

const EXPECTED: &str = "one JSON object per line, in UTF-8";

/// Says what the file is, when that is not JSON Lines. `whole`: `head` is the whole file.
pub(crate) fn diagnose(head: &[u8], whole: bool) -> Option<Finding> {
    let body = head.strip_prefix(BOM).unwrap_or(head);
    if whole && body.is_empty() {
        let found = if head.is_empty() { "an empty file" } else { "a byte-order mark and nothing else" };
        return Some(finding(DATASET_EMPTY, found, "write the rows into the file"));
    }
    if body.starts_with(b"version https://git-lfs") {
        let next = "run `git lfs pull` where the file comes from, then check it again";
        return Some(finding(DATASET_LFS_POINTER, "a Git LFS pointer", next));
    }
    packed(head).or_else(|| wide(head)).or_else(|| text(body, whole))
}

fn finding(code: Code, found: &str, next: &str) -> Finding {
    Finding::new(code, Place::default(), found, EXPECTED, next)
}

/// Compressed and columnar files, by their first bytes.
fn packed(head: &[u8]) -> Option<Finding> {
    let known: [(&[u8], &str, &str); 7] = [
        (b"\x1f\x8b", "a gzip file", "unpack it: `gunzip -c FILE > dataset.jsonl`"),
        (b"\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it: `zstd -dc FILE > dataset.jsonl`"),
        (b"\xfd7zXZ\0", "an xz file", "unpack it: `xz -dc FILE > dataset.jsonl`"),
        (b"BZh", "a bzip2 file", "unpack it: `bzip2 -dc FILE > dataset.jsonl`"),
        (b"PK\x03\x04", "a ZIP archive or a spreadsheet", "unpack it, or export it as JSON Lines"),
        (b"PAR1", "a Parquet file", "convert it: `duckdb -c \"copy 'FILE' to 'dataset.jsonl' (format json)\"`"),
        (b"SQLite format 3\0", "an SQLite database", "export the rows as JSON Lines"),
    ];
    let (_, found, next) = known.into_iter().find(|(magic, ..)| head.starts_with(magic))?;
    Some(finding(DATASET_NOT_UTF8, found, next))
}

/// UTF-16 and UTF-32, by their mark or by the zero bytes of ASCII text.
fn wide(head: &[u8]) -> Option<Finding> {
    let sample = &head[..head.len().min(64)];
    let zeros = |step: usize, offset: usize| {
        let at: Vec<u8> = sample.iter().skip(offset).step_by(step).copied().collect();
        at.len() > 1 && at.iter().all(|b| *b == 0)
    };
    let encoding = if head.starts_with(b"\xff\xfe\0\0") || (zeros(4, 1) && zeros(4, 2) && zeros(4, 3)) {
        "UTF-32LE"
    } else if head.starts_with(b"\0\0\xfe\xff") || (zeros(4, 0) && zeros(4, 1) && zeros(4, 2)) {
        "UTF-32BE"
    } else if head.starts_with(b"\xff\xfe") || zeros(2, 1) {
        "UTF-16LE"
    } else if head.starts_with(b"\xfe\xff") || zeros(2, 0) {
        "UTF-16BE"
    } else {
        return None;
    };
    let next =
        format!("convert it: `iconv -f {encoding} -t UTF-8 FILE > dataset.jsonl`, and remove the byte-order mark");
    Some(finding(DATASET_NOT_UTF8, &format!("text in {encoding}"), &next))
}

fn text(body: &[u8], whole: bool) -> Option<Finding> {
    let mut lines = body.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let second = lines.next();
    match first[0] {
        b'<' => Some(finding(
            DATASET_NOT_JSON_LINES,
            "an HTML or XML page, such as a login or error page saved in place of the file",
            "download the file itself",
        )),
        b'[' if is_array(first, second.is_none(), whole) => Some(finding(
            DATASET_NOT_JSON_LINES,
            "one JSON array",
            "write one object per line: `jq -c '.[]' FILE > dataset.jsonl`",
        )),
        b'{' if breaks_off(first) && second.is_some_and(|line| matches!(line[0], b'"' | b'}' | b'{')) => Some(finding(
            DATASET_NOT_JSON_LINES,
            "pretty-printed JSON, objects over several lines",
            "write one object per line: `jq -c . FILE > dataset.jsonl`",
        )),
        b'{' if carriage_returns(first) => Some(finding(
            ROW_INVALID_JSON,
            "rows that end in carriage returns alone",
            "convert the line ends: `tr '\\r' '\\n' < FILE > dataset.jsonl`",
        )),
        b'{' | b'[' | b'"' => None,
        _ if looks_like_csv(first, second) => Some(finding(
            DATASET_NOT_JSON_LINES,
            "a table of separated values (CSV or TSV)",
            "convert it to one object per line: `mlr --icsv --ojsonl cat FILE > dataset.jsonl`",
        )),
        _ => None,
    }
}

/// Whether a first line that opens an array is (the start of) one array for the whole file.
fn is_array(first: &[u8], only: bool, whole: bool) -> bool {
    json::parse(first, Limits::TEXT).map_or_else(|_| breaks_off(first) || (only && !whole), |_| only && whole)
}

fn breaks_off(line: &[u8]) -> bool {
    json::parse(line, Limits::TEXT).is_err_and(|e| e.kind == JsonErrorKind::Incomplete)
}

fn carriage_returns(first: &[u8]) -> bool {
    first.split(|b| *b == b'\r').filter(|part| json::parse(part, Limits::TEXT).is_ok()).take(2).count() == 2
}

fn looks_like_csv(first: &[u8], second: Option<&[u8]>) -> bool {
    let Ok(header) = std::str::from_utf8(first) else { return false };
    let columns = |separator| header.split(separator).map(|c| c.trim().trim_matches('"').to_ascii_lowercase());
    let known = ["user", "assistant", "family", "prompt", "completion", "instruction", "input", "output"];
    second.is_some()
        && [',', ';', '\t'].into_iter().any(|s| columns(s).filter(|c| known.contains(&c.as_str())).count() >= 2)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_file_is_named() {
        for (head, word) in [
            (&b""[..], "empty"),
            (b"\xef\xbb\xbf", "byte-order mark"),
            (b"version https://git-lfs.github.com/spec/v1\n", "LFS"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"PAR1\x15", "Parquet"),
            (b"\xff\xfe{\0", "UTF-16LE"),
            (b"{\0\"\0u\0", "UTF-16LE"),
            (b"\0{\0\"\0u", "UTF-16BE"),
            (b"{\0\0\0\"\0\0\0", "UTF-32LE"),
            (b"<!DOCTYPE html>", "HTML"),
            (b"[{\"user\":\"a\"}]", "one JSON array"),
            (b"[\n{\"user\":\"a\"}\n]\n", "one JSON array"),
            (b"{\n  \"user\": \"a\"\n}\n", "pretty-printed"),
            (b"{\"a\":1}\r{\"a\":2}\r", "carriage returns"),
            (b"user,assistant,family\na,b,c\n", "separated values"),
        ] {
            let finding = diagnose(head, true).unwrap();
            assert!(finding.found.contains(word), "{finding}");
        }
    }

    #[test]
    fn lines_of_json_are_left_to_the_rows() {
        for head in [&b"{\"a\":1}\n{\"a\":2}\n"[..], b"[1]\n[2]\n", b"\"a\"\n", b"{'a': 1}\n", b"\n\n", b"{\"a\":\n"] {
            assert_eq!(diagnose(head, true), None, "{head:?}");
        }
    }
}
