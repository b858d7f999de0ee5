//! The built program as an operator meets it: exit statuses, messages, signals, and what is left behind.

#![allow(clippy::unwrap_used, reason = "tests")]

mod faults;
mod program;
mod refusals;
mod running;
