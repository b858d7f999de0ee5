//! `vectors/evidence.json`: counts, and the state computed from them.

use retoque_core::evaluation::{Tally, evidence_state};
use serde_json::Value;

use crate::files::vectors;

fn tally(suite: &Value) -> Tally {
    let number = |name: &str| suite[name].as_u64().unwrap();
    Tally { cases: number("cases"), base: number("base_passed"), patched: number("patched_passed") }
}

#[test]
fn every_vector_has_the_stated_state() {
    for (index, case) in vectors("evidence.json").iter().enumerate() {
        let state = evidence_state(
            tally(&case["held_out"]),
            tally(&case["regression"]),
            case["regression"]["introduced"].as_u64().unwrap(),
            case["allowance_points"].as_u64().unwrap(),
        );
        assert_eq!(Some(state.name()), case["expect"].as_str(), "case {index}: {case}");
    }
}
