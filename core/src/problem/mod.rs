//! What a refusal is: a stable code, the place, what was found, what was expected, and one next step.
//!
//! The catalogue ([`code`]) is closed and shared by the registry and the command line. Findings of one
//! input are collected and reported together ([`Findings`]); nobody has to fix one error to see the next.
//! Clause: specification, sections 3 and 9.

pub mod code;
mod codes;
mod finding;
mod quote;

pub use code::{Code, Kind, catalogue};
pub use codes::{
    adapter::*, archive::*, bundle::*, client::*, dataset::*, evaluation::*, lifecycle::*, lock::*, log::*,
    operation::*, service::*, status::*, trust::*,
};
pub use finding::{Finding, Findings, Place, Severity, excerpt};
pub use quote::quote;
