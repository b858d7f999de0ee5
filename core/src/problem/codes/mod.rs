//! The catalogue, one table per concern. Adding a code is adding a row; names are never reused.

use super::code::Code;
pub(in crate::problem) use super::code::Row as RowAlias;

/// Declares the constants of one table and the table itself.
macro_rules! codes {
    ($($name:ident = $text:literal, $kind:ident, $meaning:literal;)*) => {
        $(
            #[doc = $meaning]
            pub const $name: $crate::problem::Code = $crate::problem::Code({
                static ROW: $crate::problem::codes::RowAlias = $crate::problem::codes::RowAlias {
                    name: $text,
                    kind: $crate::problem::Kind::$kind,
                    meaning: $meaning,
                };
                &ROW
            });
        )*
        /// Every code of this table.
        pub(super) const TABLE: &[$crate::problem::Code] = &[$($name),*];
    };
}

pub(super) mod adapter;
pub(super) mod archive;
pub(super) mod bundle;
pub(super) mod client;
pub(super) mod dataset;
pub(super) mod evaluation;
pub(super) mod lifecycle;
pub(super) mod lock;
pub(super) mod log;
pub(super) mod operation;
pub(super) mod service;
pub(super) mod status;
pub(super) mod trust;

pub(super) const TABLES: &[&[Code]] = &[
    adapter::TABLE,
    archive::TABLE,
    client::TABLE,
    dataset::TABLE,
    evaluation::TABLE,
    lifecycle::TABLE,
    operation::TABLE,
    service::TABLE,
    status::TABLE,
    trust::TABLE,
    log::TABLE,
    lock::TABLE,
    bundle::TABLE,
];
