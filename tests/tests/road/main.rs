//! The whole road of a version, from a trainer's folder to its take-down, with the real programs on both databases.

mod hidden;
mod journey;
mod judged;
mod stopped;
mod upkeep;
