//! Settings: the environment, the folder of the configuration and what it holds.
//!
//! The only module that reads environment variables. Clauses: specification, sections 8 and 9.

mod environment;

pub use environment::Environment;
