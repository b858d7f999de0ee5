//! `vectors/split.json`: seeds and families, and the parts of the split.
