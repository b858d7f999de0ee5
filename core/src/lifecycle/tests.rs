#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_state_and_action_has_at_most_one_move() {
    let mut seen = BTreeSet::new();
    for t in TRANSITIONS {
        assert!(seen.insert((t.from, t.action)), "{} {}", t.from, t.action);
        let reasons = t.needs.contains(&Requirement::Reason);
        assert_eq!(reasons, !reason_codes(t.action).is_empty(), "{}", t.action);
    }
    assert_eq!(TRANSITIONS.iter().filter(|t| t.action == Action::TakeDown).count(), State::ALL.len() - 1);
    assert!(State::ALL.iter().all(|s| *s == State::TakenDown || transition(*s, Action::TakeDown).is_some()));
    assert!(Action::ALL.iter().all(|a| transition(State::TakenDown, *a).is_none()));
}

#[test]
fn names_read_back() {
    assert!(State::ALL.iter().all(|s| State::from_name(s.name()) == Some(*s)));
    assert!(Action::ALL.iter().all(|a| Action::from_name(a.name()) == Some(*a)));
    let state: State = serde_json::from_str("\"taken-down\"").unwrap();
    assert_eq!(state, State::TakenDown);
    assert_eq!(serde_json::to_string(&Action::TakeDown).unwrap(), "\"take-down\"");
}

#[test]
fn the_committed_table_is_the_one_in_force() {
    compare_generated(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/format/lifecycle-table.md"), &markdown());
}
