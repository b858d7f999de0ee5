//! What must stop an attacker, attack by attack: each with what the attacker makes, against a real registry.
//!
//! Every refusal has its own code and exit status, and leaves what the client remembers as it was.

mod clocks;
mod forged;
mod fork;
mod freeze;
mod history;
mod lies;
mod mirrors;
mod receipts;
mod scene;
