//! `vectors/split.json`: seeds and families, and the parts of the split.

use std::collections::BTreeMap;

use retoque_core::dataset::{PartName, split};

use crate::files::{vectors, whole_number};

#[test]
fn every_vector_splits_as_stated() {
    for (index, case) in vectors("split.json").iter().enumerate() {
        let rows: BTreeMap<String, u64> = case["rows_per_family"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(family, rows)| (family.clone(), rows.as_u64().unwrap()))
            .collect();
        let split = split(&rows, &whole_number(&case["seed"]).parse().unwrap());
        for part in PartName::ALL {
            let families: Vec<&str> = case["expect"]["families"][part.name()]
                .as_array()
                .unwrap()
                .iter()
                .map(|family| family.as_str().unwrap())
                .collect();
            let got = split.part(part);
            assert_eq!(got.families, families, "case {index}, {}", part.name());
            assert_eq!(Some(got.rows), case["expect"]["rows"][part.name()].as_u64(), "case {index}, {}", part.name());
        }
    }
}
