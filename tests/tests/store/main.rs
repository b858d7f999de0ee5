//! The store, on both engines: one body per test, run on each.

mod append_only;
mod catalogue;
mod faults;
mod installation;
mod listing;
mod logs;
mod names;
mod people;
mod reviews;
mod rows;
mod schema;
mod transactions;
mod versions;

use retoque_tests::on_both_engines;
