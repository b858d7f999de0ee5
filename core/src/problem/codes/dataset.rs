//! Codes about datasets.

codes! {}
