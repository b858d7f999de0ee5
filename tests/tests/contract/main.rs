//! Contract tests: every row of `tests/cases` and `tests/vectors` is a test of the rules it was made for.
//!
//! The folders are read generically, so that adding a row or a folder adds a test, and replacing them by
//! others of the same layout tests those.

mod adapters;
mod archives;
mod commands;
mod datasets;
mod detect;
mod evidence;
mod files;
mod grading;
mod record;
#[path = "../cli/run.rs"]
mod run;
mod split;
