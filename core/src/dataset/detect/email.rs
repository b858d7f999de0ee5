//! E-mail addresses, with plus tags, quoted local parts and international names.
//!
//! Not taken for one: decorators, package versions, `git@host:` remotes, file names such as `a@2x.png`,
//! attributes in code, hosts without a dot. Addresses at reserved domains (`example.com`) count like others:
//! whether they are made up is for the person who acknowledges them to say.

use super::{Hit, Rule, after};

/// Endings that are files or attributes of code, not domains.
const NO_DOMAINS: [&str; 38] = [
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "bmp",
    "ico",
    "pdf",
    "css",
    "scss",
    "js",
    "jsx",
    "tsx",
    "mjs",
    "json",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "xml",
    "html",
    "htm",
    "txt",
    "csv",
    "log",
    "exe",
    "dll",
    "shape",
    "dtype",
    "grad",
    "weight",
    "bias",
    "transpose",
    "reshape",
    "mean",
    "sum",
    "size",
];

/// How far before a slash the `@` of a package scope is looked for.
const SCOPE: usize = 64;

pub(super) fn scan(text: &str, hits: &mut Vec<Hit>) {
    for (at, _) in text.match_indices('@') {
        let Some(local) = local_part(&text[..at]) else { continue };
        let Some(domain) = domain(&text[at + 1..]) else { continue };
        let end = at + 1 + domain.len();
        let remote = local == "git" && after(text, end) == Some(':');
        if !remote {
            hits.push(Hit::new(Rule::Email, &format!("{local}@{domain}")));
        }
    }
}

/// The longest local part that ends the text.
fn local_part(text: &str) -> Option<&str> {
    if let Some(inside) = text.strip_suffix('"') {
        let start = inside.rfind('"')?;
        let quoted = &inside[start + 1..];
        return (!quoted.is_empty() && quoted.len() <= 64 && !quoted.contains('\n')).then_some(quoted);
    }
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+-=?^_`{|}~.".contains(c);
    let start = text.char_indices().rev().take_while(|(_, c)| allowed(*c)).last()?.0;
    let before = text[..start].chars().next_back();
    let local = text[start..].trim_start_matches(['.', '\'', '`', '*', '{', '=', '|', '&', '?']);
    // `@scope/name@1.2` and `a@b@c.d` are no addresses.
    let scoped =
        before == Some('@') || (before == Some('/') && text[..start].chars().rev().take(SCOPE).any(|c| c == '@'));
    let fits =
        !local.is_empty() && !local.ends_with('.') && !local.contains("..") && local.chars().any(char::is_alphanumeric);
    (fits && !scoped).then_some(local)
}

/// The longest domain that begins the text.
fn domain(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(text.len());
    let domain = text[..end].trim_end_matches(['.', '-']);
    let labels: Vec<&str> = domain.split('.').collect();
    let (last, rest) = labels.split_last()?;
    let label_fits = |label: &&str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    let ending = last.to_lowercase();
    let last_fits =
        ending.starts_with("xn--") || (ending.chars().count() >= 2 && ending.chars().all(char::is_alphabetic));
    // `18.2.0-rc.next` is a version, `2x.png` a picture.
    let version = rest.len() >= 2
        && rest[0].bytes().all(|b| b.is_ascii_digit())
        && rest[1].starts_with(|c: char| c.is_ascii_digit());
    let picture = matches!(rest.first(), Some(&("2x" | "3x" | "1x")));
    let fits = !rest.is_empty() && labels.iter().all(label_fits) && last_fits && !version && !picture;
    (fits && !NO_DOMAINS.contains(&ending.as_str())).then_some(domain)
}
