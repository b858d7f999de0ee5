//! The signed status and listing: recomputed by a reader from the served log after every kind of decision.

#[path = "../log/reader.rs"]
#[allow(dead_code, reason = "shared with the tests of the log")]
mod reader;
mod recomputed;
