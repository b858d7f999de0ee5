//! `vectors/evidence.json`: counts, and the state computed from them.
