//! A Rust file as the rules see it: the paths its code names and the lines that only tests compile.
//!
//! Comments and literals are blanked first, so that a rule about code is not tripped by prose. Imports are
//! expanded (`use std::{fs, io::Read}` names `std::fs` and `std::io::Read`), so that braces hide nothing.

/// A path that the code names, `a::b::c`; a macro call keeps its `!`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Physical line, counted from 1.
    pub line: usize,
    /// The segments, joined by `::`.
    pub path: String,
}

/// One parsed file.
pub struct Source {
    /// The text with comments and literals replaced by spaces; line ends stay.
    pub code: String,
    /// Every path in order of appearance.
    pub named: Vec<Named>,
    test_lines: Vec<bool>,
}

impl Source {
    /// Reads `text`; never fails, since the compiler refuses what is not Rust.
    pub fn parse(text: &str) -> Self {
        let code = blank(text);
        Self { named: named(&code), test_lines: test_lines(&code), code }
    }

    /// Whether `line` (from 1) is inside an item marked `#[cfg(test)]`.
    pub fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.get(line - 1).copied().unwrap_or(false)
    }
}

/// Replaces comments, strings and character literals by spaces.
fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => find(&chars, at, |c| c == '\n'),
            '/' if chars.get(at + 1) == Some(&'*') => block_comment_end(&chars, at),
            '"' => quoted_end(&chars, at, '"'),
            'r' if !continues_word(&chars, at) => raw_string_end(&chars, at).unwrap_or(at),
            '\'' if chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\'') => {
                quoted_end(&chars, at, '\'')
            }
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { c } else { ' ' }));
            at = end;
        }
    }
    out
}

fn find(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|&i| stop(chars[i])).unwrap_or(chars.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether the character before `at` belongs to the same word; `br"…"` is a literal all the same.
fn continues_word(chars: &[char], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|i| chars[i]);
    match before(1) {
        Some('b' | 'c') => before(2).is_some_and(is_word),
        Some(c) => is_word(c),
        None => false,
    }
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn quoted_end(chars: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

fn raw_string_end(chars: &[char], start: usize) -> Option<usize> {
    let open = find(chars, start + 1, |c| c != '#');
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let hashes = open - start - 1;
    let closes = |i: usize| chars[i] == '"' && (1..=hashes).all(|n| chars.get(i + n) == Some(&'#'));
    Some((open + 1..chars.len()).find(|&i| closes(i)).map_or(chars.len(), |i| i + 1 + hashes))
}

/// Marks the lines from each `#[cfg(test)]` to the end of the item that follows it.
fn test_lines(code: &str) -> Vec<bool> {
    let mut marked = vec![false; code.lines().count()];
    let line_of = |byte: usize| code[..byte].matches('\n').count();
    for (start, attribute) in code.match_indices("#[cfg(test)]") {
        let mut depth = 0_usize;
        let item = code[start + attribute.len()..].char_indices();
        let end = item
            .map(|(i, c)| (start + attribute.len() + i, c))
            .find(|&(_, c)| {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && matches!(c, '}' | ';')
            })
            .map_or(code.len() - 1, |(i, _)| i);
        marked[line_of(start)..=line_of(end)].fill(true);
    }
    marked
}

/// Collects the paths of blanked code.
fn named(code: &str) -> Vec<Named> {
    let mut reader = Reader { chars: code.chars().collect(), at: 0, line: 1, found: Vec::new() };
    while reader.at < reader.chars.len() {
        if is_word(reader.chars[reader.at]) {
            reader.path("");
        } else {
            reader.step();
        }
    }
    reader.found
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    line: usize,
    found: Vec<Named>,
}

impl Reader {
    fn step(&mut self) {
        self.line += usize::from(self.chars[self.at] == '\n');
        self.at += 1;
    }

    fn skip_space(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.step();
        }
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    /// Reads one path (or a whole `{…}` group) that continues `prefix`.
    fn path(&mut self, prefix: &str) {
        let line = self.line;
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|&c| is_word(c)) {
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().collect();
        let mut path = if prefix.is_empty() { word } else { format!("{prefix}::{word}") };
        let before = (self.at, self.line);
        self.skip_space();
        if self.starts_with("::") {
            self.at += 2;
            self.skip_space();
            match self.chars.get(self.at) {
                Some('{') => return self.group(&path),
                Some('*') => path.push_str("::*"),
                Some(&c) if is_word(c) => return self.path(&path),
                _ => {}
            }
        } else {
            (self.at, self.line) = before;
            if self.starts_with("!") && !self.starts_with("!=") {
                path.push('!');
            }
        }
        self.found.push(Named { line, path });
    }

    fn group(&mut self, prefix: &str) {
        self.step();
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                '}' => return self.step(),
                '{' => self.group(prefix),
                c if is_word(c) => self.path(prefix),
                _ => self.step(),
            }
        }
    }
}

#[test]
fn prose_and_literals_name_nothing() {
    let text = "// std::fs\n/* a /* std::fs */ b */ let s = \"std::fs \\\" x\"; let r = br#\"std::fs \" \"#; let c = '\"';\nlet x: &'a str = real;";
    let source = Source::parse(text);
    assert!(!source.code.contains("std::fs"), "{}", source.code);
    assert_eq!(source.code.lines().count(), text.lines().count());
    assert_eq!(source.named.last(), Some(&Named { line: 3, path: "real".into() }));
}

#[test]
fn groups_and_macros_are_expanded() {
    let source = Source::parse("use std::{\n    fs,\n    io::{self, Read},\n};\nuse sqlx::*;\nprintln!(x); a != b");
    let paths: Vec<_> = source.named.iter().map(|n| (n.line, n.path.as_str())).collect();
    let expected =
        [(2, "std::fs"), (3, "std::io::self"), (3, "std::io::Read"), (5, "sqlx::*"), (6, "println!"), (6, "a")];
    for one in expected {
        assert!(paths.contains(&one), "{one:?} is missing in {paths:?}");
    }
}

#[test]
fn a_test_module_ends_at_its_own_brace() {
    let source = Source::parse(
        "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod more;\nfn d() {}",
    );
    let marked: Vec<bool> = (1..=9).map(|line| source.is_test_line(line)).collect();
    assert_eq!(marked, [false, true, true, true, true, false, true, true, false]);
}
