//! The transparency log of the registry: the tree in the database, what is served of it, many writers and sudden ends,
//! and programs that are not ours.

mod naive;
mod peers;
mod published;
mod reader;
mod receipts;
mod refused;
mod replicas;
mod served;
mod tree;
mod upgrade;
mod writers;
