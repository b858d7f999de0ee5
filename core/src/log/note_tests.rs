//! Notes: what is read is printed again, and nothing else is read.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::sign::SecretKey;

fn signer() -> SecretKey {
    SecretKey::from_seed(&[5; 32]).unwrap()
}

#[test]
fn the_published_example_is_read_and_printed() {
    let example = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n\
        — quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
    let note = Note::parse(example.as_bytes()).unwrap();
    assert!(note.text().ends_with("\n\ned è subito sera.\n"));
    assert_eq!(note.to_string(), example);
}

#[test]
fn signed_and_verified() {
    let mut note = Note::sign("hello\n", "log.example", &signer()).unwrap();
    let key = VerifierKey::log("log.example", signer().public().clone()).unwrap();
    assert_eq!(note.signed_by(&key), Some(true));
    assert_eq!(Note::parse(note.to_string().as_bytes()).unwrap(), note);
    let other = VerifierKey::log("other.example", signer().public().clone()).unwrap();
    assert_eq!(note.signed_by(&other), None);
    // A second line that claims the same key, but was not made by it, spoils the note.
    note.lines.push(Line { signature: vec![1; 64], ..note.lines[0].clone() });
    assert_eq!(note.signed_by(&key), Some(false));
}

#[test]
fn other_spellings_are_refused() {
    let good = Note::sign("hello\n", "log.example", &signer()).unwrap().to_string();
    Note::parse(good.as_bytes()).unwrap();
    let without_padding = good.replace("=\n", "\n");
    let bad: Vec<String> = vec![
        String::new(),
        "\n\n".into(),
        "hello\n\n".into(),
        good[..good.len() - 1].into(),
        format!("{good}\n"),
        good.replace('\u{2014}', "-"),
        good.replace("\u{2014} ", "\u{2014}  "),
        good.replace("log.example ", "log+example "),
        good.replace("log.example ", ""),
        good.replace("hello", "hel\tlo"),
        good.replace("\nhello", "\r\nhello").replace("hello\n", "hello\r\n"),
        good.replace("hello\n\n", "hello\n"),
        good.replace("hello\n\n\u{2014}", "hello\n\n\n\u{2014}").replace('\u{2014}', "x\u{2014}"),
        if without_padding == good { good.replace('\n', "=\n") } else { without_padding },
        format!("{}\u{2014} a AAAA\n", good),
        format!("{good}{}", "\u{2014} a AAAAAAAA\n".repeat(MAX_LINES)),
        "x".repeat(MAX_BYTES + 1),
    ];
    for text in bad {
        assert_eq!(Note::parse(text.as_bytes()).unwrap_err().code, NOTE_INVALID, "{text:?}");
    }
    assert_eq!(Note::parse(b"\xff\n\n").unwrap_err().code, NOTE_INVALID);
}

#[test]
fn a_newer_line_of_a_key_takes_the_place_of_the_older() {
    let mut note = Note::sign("hello\n", "log.example", &signer()).unwrap();
    let key = VerifierKey::cosigner("w.example", signer().public().clone()).unwrap();
    note.put(Line::new(&key, vec![1; 72]));
    note.put(Line::new(&key, vec![2; 72]));
    assert_eq!(note.lines().len(), 2);
    assert_eq!(note.line_of(&key).unwrap().signature(), [2; 72]);
}
