//! The HTTP interface over a registry that runs in this process.

#[path = "http/frame.rs"]
mod frame;
#[path = "http/gate.rs"]
mod gate;
#[path = "http/keys.rs"]
mod keys;
#[path = "http/patches.rs"]
mod patches;
#[path = "http/rotation.rs"]
mod rotation;
#[path = "http/tokens.rs"]
mod tokens;
#[path = "http/world.rs"]
mod world;
