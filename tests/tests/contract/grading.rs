//! `vectors/grading.json`: pairs of expected answer and output, and whether they pass.
