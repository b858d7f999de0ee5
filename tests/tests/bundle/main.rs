//! Bundles of a real registry: made, proven and unpacked without network, and in the hands of people who change them.

mod attacks;
mod offline;
mod parts;
