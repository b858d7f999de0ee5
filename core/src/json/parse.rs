//! The strict parser: one pass, recursion bounded by the depth limit.

use std::collections::HashSet;

use super::{JsonError, JsonErrorKind as Kind, Limits, Number, Value};

/// Parses one strict JSON document.
pub fn parse(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError { kind: Kind::TooLarge(limits.bytes), at: limits.bytes });
    }
    let text = std::str::from_utf8(bytes).map_err(|e| JsonError { kind: Kind::NotUtf8, at: e.valid_up_to() })?;
    if text.starts_with('\u{feff}') {
        return Err(JsonError { kind: Kind::ByteOrderMark, at: 0 });
    }
    let mut parser = Parser { text, at: 0, depth_left: limits.depth, limits };
    parser.skip_space();
    let value = parser.value()?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.error(Kind::Trailing));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth_left: usize,
    limits: Limits,
}

impl Parser<'_> {
    const fn error(&self, kind: Kind) -> JsonError {
        JsonError { kind, at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The refusal of whatever stands here.
    fn unexpected(&self) -> JsonError {
        match self.text[self.at..].chars().next() {
            None => self.error(Kind::Incomplete),
            Some(c) => self.error(Kind::Unexpected(format!("{c:?}"))),
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Value, JsonError> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected()),
        }
    }

    fn nested(&mut self, body: fn(&mut Self) -> Result<Value, JsonError>) -> Result<Value, JsonError> {
        if self.depth_left == 0 {
            return Err(self.error(Kind::TooDeep(self.limits.depth)));
        }
        self.depth_left -= 1;
        self.at += 1;
        self.skip_space();
        let value = body(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, JsonError> {
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            let key_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            let key = self.string()?;
            if !seen.insert(key.clone()) {
                let shown = key.chars().take(80).collect();
                return Err(JsonError { kind: Kind::DuplicateKey(shown), at: key_at });
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected());
            }
            self.at += 1;
            self.skip_space();
            members.push((key, self.value()?));
            if self.next_item(b'}')? {
                return Ok(Value::Object(members));
            }
        }
    }

    fn array(&mut self) -> Result<Value, JsonError> {
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.next_item(b']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// Passes a comma (`false`: another item follows) or the closing bracket (`true`).
    fn next_item(&mut self, close: u8) -> Result<bool, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(false)
            }
            Some(b) if b == close => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, JsonError> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        Err(if word.starts_with(&self.text[self.at..]) { self.error(Kind::Incomplete) } else { self.unexpected() })
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected());
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Value::Number(Number::from_grammar(&self.text[start..self.at])))
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c: char| c == '"' || c == '\\' || u32::from(c) < 0x20).unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                None => return Err(self.error(Kind::Incomplete)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(control) => return Err(self.error(Kind::ControlCharacter(u32::from(control)))),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let decoded = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(decoded)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let lone = JsonError { kind: Kind::LoneSurrogate, at: start };
        let first = self.hex4()?;
        if !(0xd800..=0xdfff).contains(&first) {
            return char::from_u32(first).ok_or(lone);
        }
        if first >= 0xdc00 || !self.text[self.at..].starts_with("\\u") {
            return Err(lone);
        }
        self.at += 2;
        let second = self.hex4()?;
        if !(0xdc00..=0xdfff).contains(&second) {
            return Err(lone);
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(lone)
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(b @ b'0'..=b'9') => b - b'0',
                Some(b @ b'a'..=b'f') => b - b'a' + 10,
                Some(b @ b'A'..=b'F') => b - b'A' + 10,
                _ => return Err(self.unexpected()),
            };
            value = value * 16 + u32::from(digit);
            self.at += 1;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Kind {
        parse(text.as_bytes(), Limits { bytes: 1000, depth: 4 }).unwrap_err().kind
    }

    #[test]
    fn accepts_what_all_readers_agree_on() {
        let value =
            parse(r#" {"a":[1,-2.5e+3,true,null,"\u00e9\ud83d\ude00\n"]} "#.as_bytes(), Limits::DOCUMENT).unwrap();
        let items = value.get("a").unwrap().as_array().unwrap();
        assert_eq!(items[4].as_str(), Some("é😀\n"));
        assert_eq!(items[1].as_number().unwrap().text(), "-2.5e+3");
    }

    #[test]
    fn refuses_what_readers_differ_on() {
        assert_eq!(kind(r#"{"a":1,"\u0061":2}"#), Kind::DuplicateKey("a".into()));
        assert_eq!(kind(r#""\ud800""#), Kind::LoneSurrogate);
        assert_eq!(kind(r#""\ud800\u0041""#), Kind::LoneSurrogate);
        assert_eq!(kind(r#""\udc00""#), Kind::LoneSurrogate);
        assert_eq!(kind("\u{feff}{}"), Kind::ByteOrderMark);
        assert_eq!(kind("\"\u{1}\""), Kind::ControlCharacter(1));
        assert_eq!(kind("[[[[[]]]]]"), Kind::TooDeep(4));
        assert_eq!(kind("{} {}"), Kind::Trailing);
        assert_eq!(kind("[1,]"), Kind::Unexpected("']'".into()));
        for incomplete in ["", "{", "[1", "\"a", "tru", "1.", "-", "1e"] {
            assert_eq!(kind(incomplete), Kind::Incomplete, "{incomplete}");
        }
        for wrong in [
            "NaN",
            "Infinity",
            "-Infinity",
            "01",
            "+1",
            ".5",
            "1.e3",
            "'a'",
            "{a:1}",
            "//x\n1",
            "\"\\x41\"",
            "\"\\u00g0\"",
        ] {
            assert!(matches!(kind(wrong), Kind::Unexpected(_) | Kind::Trailing), "{wrong}: {:?}", kind(wrong));
        }
        assert!(matches!(parse(b"\"\xff\"", Limits::DOCUMENT).unwrap_err().kind, Kind::NotUtf8));
        assert!(matches!(kind(&" ".repeat(1001)), Kind::TooLarge(1000)));
    }
}
