//! Secrets with an unmistakable beginning, and the AWS secret key, which has none but stands by its name.

use super::{Hit, Rule, after, before};

type Alphabet = fn(u8) -> bool;

/// A prefix, the alphabet of the rest, and how long the rest is.
struct Shape {
    rule: Rule,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
}

const fn shape(rule: Rule, prefix: &'static str, alphabet: Alphabet, least: usize, most: usize) -> Shape {
    Shape { rule, prefix, alphabet, least, most }
}

const ANY: usize = usize::MAX;

/// More of a token than this is not looked at, so that a text of prefixes does not cost its square.
const LONGEST: usize = 512;

const SHAPES: [Shape; 35] = [
    shape(Rule::AwsKeyId, "AKIA", upper, 16, 16),
    shape(Rule::AwsKeyId, "ASIA", upper, 16, 16),
    shape(Rule::AwsKeyId, "ABIA", upper, 16, 16),
    shape(Rule::AwsKeyId, "ACCA", upper, 16, 16),
    shape(Rule::AwsKeyId, "A3T", upper, 17, 17),
    shape(Rule::AwsBedrock, "ABSK", base64, 40, ANY),
    shape(Rule::AwsBedrock, "bedrock-api-key-", base64, 20, ANY),
    shape(Rule::PrivateKey, "AGE-SECRET-KEY-1", upper, 50, ANY),
    shape(Rule::PrivateKey, "age-secret-key-1", letter_or_digit, 50, ANY),
    shape(Rule::StripeLive, "sk_live_", letter_or_digit, 16, ANY),
    shape(Rule::StripeLive, "rk_live_", letter_or_digit, 16, ANY),
    shape(Rule::StripeTest, "sk_test_", letter_or_digit, 16, ANY),
    shape(Rule::StripeTest, "rk_test_", letter_or_digit, 16, ANY),
    shape(Rule::GitHub, "ghp_", letter_or_digit, 36, ANY),
    shape(Rule::GitHub, "gho_", letter_or_digit, 36, ANY),
    shape(Rule::GitHub, "ghu_", letter_or_digit, 36, ANY),
    shape(Rule::GitHub, "ghs_", letter_or_digit, 36, ANY),
    shape(Rule::GitHub, "ghr_", letter_or_digit, 36, ANY),
    shape(Rule::GitHub, "github_pat_", word, 36, ANY),
    shape(Rule::HuggingFace, "hf_", letter_or_digit, 30, ANY),
    shape(Rule::HuggingFace, "hf_oauth_", word, 30, ANY),
    shape(Rule::HuggingFace, "api_org_", letter_or_digit, 30, ANY),
    shape(Rule::OtherToken, "rtq_", word, 20, ANY),
    shape(Rule::OtherToken, "glpat-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "npm_", letter_or_digit, 36, ANY),
    shape(Rule::OtherToken, "pypi-AgEI", url_safe, 50, ANY),
    shape(Rule::OtherToken, "AIza", url_safe, 35, 35),
    shape(Rule::OtherToken, "xoxb-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "xoxp-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "xoxa-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "xoxr-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "xoxs-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "xapp-", url_safe, 20, ANY),
    shape(Rule::OtherToken, "gsk_", letter_or_digit, 40, ANY),
    shape(Rule::OtherToken, "xai-", letter_or_digit, 60, ANY),
];

const fn upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

const fn letter_or_digit(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

const fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

const fn url_safe(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

const fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

pub(super) fn scan(text: &str, hits: &mut Vec<Hit>) {
    for shape in &SHAPES {
        for (at, _) in text.match_indices(shape.prefix).filter(|(at, _)| starts_alone(text, *at)) {
            let rest = run(&text[at + shape.prefix.len()..], shape.alphabet);
            let end = at + shape.prefix.len() + rest.len();
            let fits = (shape.least..=shape.most).contains(&rest.len());
            let ends = rest.len() == LONGEST || ends_alone(text, end);
            if fits && ends && !is_placeholder(rest) {
                hits.push(Hit::new(shape.rule, &text[at..end]));
            }
        }
    }
    for (at, _) in text.match_indices("sk-") {
        let rest = run(&text[at + 3..], url_safe);
        if starts_alone(text, at) && before(text, at) != Some('-') && is_sk_key(rest) {
            hits.push(Hit::new(Rule::ApiKey, &text[at..at + 3 + rest.len()]));
        }
    }
    aws_secret(text, hits);
}

/// The longest beginning in an alphabet, of at most [`LONGEST`] bytes.
fn run(text: &str, alphabet: Alphabet) -> &str {
    &text[..text.bytes().take(LONGEST).take_while(|b| alphabet(*b)).count()]
}

fn starts_alone(text: &str, at: usize) -> bool {
    before(text, at).is_none_or(|c| !c.is_ascii_alphanumeric())
}

fn ends_alone(text: &str, at: usize) -> bool {
    after(text, at).is_none_or(|c| !c.is_ascii_alphanumeric())
}

/// A row of one filler character, as documentation writes it.
fn is_placeholder(rest: &str) -> bool {
    rest.bytes().all(|b| matches!(b, b'x' | b'X' | b'-' | b'_'))
}

/// What follows `sk-` in keys: the forms of several vendors, and the plain ones.
fn is_sk_key(rest: &str) -> bool {
    if is_placeholder(rest) {
        return false;
    }
    if let Some(rest) = rest.strip_prefix("ant-") {
        let kinds = ["api", "admin", "oat", "sid", "ort"];
        let Some(rest) = kinds.into_iter().find_map(|kind| rest.strip_prefix(kind)) else { return false };
        let key = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('-');
        return key.is_some_and(|key| key.len() >= 40 && !is_placeholder(key));
    }
    if let Some(rest) = rest.strip_prefix("or-v1-") {
        let hex = run(rest, |b| b.is_ascii_hexdigit());
        return hex.len() >= 64 && !is_placeholder(hex);
    }
    for kind in ["proj-", "svcacct-", "admin-", "None-"] {
        if let Some(rest) = rest.strip_prefix(kind) {
            return rest.len() >= 40 && (rest.contains("T3BlbkFJ") || is_varied(rest));
        }
    }
    if !rest.bytes().all(letter_or_digit) {
        return false;
    }
    let hex = rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
    hex || (rest.len() >= 40 && rest.contains("T3BlbkFJ")) || (rest.len() >= 32 && is_varied(rest))
}

/// Letters and digits in a mixture that words do not have.
fn is_varied(text: &str) -> bool {
    let distinct: std::collections::HashSet<u8> = text.bytes().collect();
    let any = |test: fn(&u8) -> bool| distinct.iter().any(test);
    distinct.len() >= 10 && any(u8::is_ascii_digit) && any(u8::is_ascii_alphabetic)
}

/// 40 characters of base64 after a name such as `aws_secret_access_key`.
fn aws_secret(text: &str, hits: &mut Vec<Hit>) {
    let lower = text.to_ascii_lowercase();
    for (at, _) in lower.match_indices("secret") {
        let mut name = &lower[at + 6..];
        for part in ["access", "key"] {
            let trimmed = name.trim_start_matches(['_', '-', ' ']);
            match trimmed.strip_prefix(part) {
                Some(rest) => name = rest,
                None if part == "access" => {}
                None => {
                    name = "";
                    break;
                }
            }
        }
        if name.is_empty() {
            continue;
        }
        let gap =
            name.len() - name.trim_start_matches([' ', '\t', '\n', ':', '=', '>', ',', '"', '\'', '\\', '`']).len();
        let start = text.len() - name.len() + gap;
        let value = run(&text[start..], |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'));
        let ends = after(text, start + value.len()).is_none_or(|c| c != '=' && c != '_' && c != '-');
        if (1..=12).contains(&gap) && value.len() == 40 && ends && !is_placeholder(value) {
            hits.push(Hit::new(Rule::AwsSecret, value));
        }
    }
}
