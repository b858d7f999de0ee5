//! The ceremony of the root of trust with the real programs: machines without network that hold one root key each, a
//! registry that begins with their root, keys of every role that come and go while versions keep verifying, and roots
//! that nobody takes.

mod begin;
mod desk;
mod late;
mod refused;
mod rotate;
