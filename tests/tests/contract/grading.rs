//! `vectors/grading.json`: pairs of expected answer and output, and whether they pass.

use retoque_core::evaluation::grade;

use crate::files::vectors;

#[test]
fn every_vector_is_graded_as_stated() {
    let mut wrong = Vec::new();
    for (index, case) in vectors("grading.json").iter().enumerate() {
        let grade = grade(case["expected"].as_str().unwrap(), case["output"].as_str().unwrap());
        assert_eq!(grade.passed, grade.reason.is_none());
        if Some(grade.passed) != case["pass"].as_bool() {
            wrong.push(format!("case {index}: {case}, got {grade:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
