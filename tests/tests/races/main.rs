//! Many at once, and ends in the middle: racing pushes and decisions, a registry that is killed, a download that may end.

mod decisions;
mod ends;
mod memberships;
mod pushes;
