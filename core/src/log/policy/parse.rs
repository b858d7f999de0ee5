//! Reading a policy file: `log`, `witness`, `group` and `quorum` lines, each name defined before it is used.
//!
//! Refuses control characters other than tab and newline, a last line without newline (it may have been cut off, and
//! then means something weaker), unknown lines, and more or fewer than one quorum.

use super::{Group, Log, MAX_BYTES, Member, NONE, Policy, Witness, refuse};
use crate::log::decimal;
use crate::log::vkey::VerifierKey;
use crate::problem::{Finding, quote};

impl Policy {
    /// Reads a policy file, strictly and within [`MAX_BYTES`]. The finding names the line.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        if bytes.len() > MAX_BYTES {
            return Err(refuse(format!("{} bytes", bytes.len()), format!("at most {MAX_BYTES} bytes")));
        }
        let whole = match bytes {
            [] => bytes,
            _ => bytes.strip_suffix(b"\n").ok_or_else(|| refuse("no newline at the end", "whole lines"))?,
        };
        let mut reading = Reading { policy: Self::without_witnesses(), quorum: false };
        for (number, line) in (1..).zip(whole.split(|byte| *byte == b'\n')) {
            reading.line(line).map_err(|mut finding| {
                finding.place.line = Some(number);
                finding
            })?;
        }
        if reading.quorum { Ok(reading.policy) } else { Err(refuse("no quorum line", "one, perhaps `quorum none`")) }
    }
}

struct Reading {
    policy: Policy,
    quorum: bool,
}

impl Reading {
    fn line(&mut self, line: &[u8]) -> Result<(), Finding> {
        if line.iter().any(|byte| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f) {
            return Err(refuse("a control character", "text; tab is the only control character"));
        }
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        let line = std::str::from_utf8(line).map_err(|_| refuse("a line that is not UTF-8", "UTF-8 text"))?;
        let items: Vec<&str> = line.split([' ', '\t']).filter(|item| !item.is_empty()).collect();
        match items.as_slice() {
            ["log", key, url @ ..] if url.len() <= 1 => {
                self.policy.add_log(Log { key: verifier_key(key)?, url: one(url) })
            }
            ["witness", name, key, url @ ..] if url.len() <= 1 => {
                let witness = Witness { name: (*name).to_owned(), key: verifier_key(key)?, url: one(url) };
                self.policy.add_witness(witness)
            }
            ["group", name, threshold, members @ ..] => self.group(name, threshold, members),
            ["quorum", name] => self.quorum(name),
            _ => Err(refuse(
                quote(line),
                "`log KEY [URL]`, `witness NAME KEY [URL]`, `group NAME K NAME…` or `quorum NAME`",
            )),
        }
    }

    fn group(&mut self, name: &str, threshold: &str, members: &[&str]) -> Result<(), Finding> {
        let members = members.iter().map(|member| self.defined(member)).collect::<Result<Vec<_>, _>>()?;
        let threshold = match threshold {
            "any" => 1,
            "all" => members.len(),
            number => decimal::parse(number)
                .and_then(|n| usize::try_from(n).ok())
                .ok_or_else(|| refuse(format!("the threshold {}", quote(number)), "`any`, `all` or a number"))?,
        };
        self.policy.add_group(Group { name: name.to_owned(), threshold, members })
    }

    fn quorum(&mut self, name: &str) -> Result<(), Finding> {
        if self.quorum {
            return Err(refuse("a second quorum line", "exactly one"));
        }
        self.quorum = true;
        self.policy.quorum = if name == NONE { None } else { Some(self.defined(name)?) };
        Ok(())
    }

    fn defined(&self, name: &str) -> Result<Member, Finding> {
        let expected = "a witness or group of a line above";
        self.policy.member(name).ok_or_else(|| refuse(format!("the name {}", quote(name)), expected))
    }
}

fn verifier_key(text: &str) -> Result<VerifierKey, Finding> {
    text.parse().map_err(|finding: Finding| refuse(finding.found, finding.expected))
}

fn one(url: &[&str]) -> Option<String> {
    url.first().map(|url| (*url).to_owned())
}
