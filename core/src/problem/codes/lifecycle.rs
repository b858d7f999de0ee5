//! Codes about moves of a version and what they need.

codes! {}
