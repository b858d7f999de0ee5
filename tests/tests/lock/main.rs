//! `lock`, `sync`, `outdated` and `audit`, against a real registry and against people who edit what they find.

mod attacks;
mod project;
mod state;
mod world;
